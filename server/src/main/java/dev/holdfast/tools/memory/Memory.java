package dev.holdfast.tools.memory;

import dev.holdfast.store.Store;
import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.TextFiles;
import dev.holdfast.tools.files.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The MEMORY.md of each chat thread and the global one: lists that people may edit by hand.
 * Thread-safe.
 */
public final class Memory {
  public static final String FILE = "MEMORY.md";

  /** Behind each line stands which call has added it, where Markdown does not show it. */
  private static final Pattern MARK = Pattern.compile(" *<!-- by [0-9a-f]{12} -->");

  /** Whatever people have made of it, no more than this is read or written. */
  public static final int RAW_BYTES_MAX = 1_048_576;

  /** What replaces a content, for its version. */
  public static final String RESTORE = "restore";

  static final String REMEMBER = "remember";

  private static final int TRIES = 5;

  private static final Pattern LINE_ENDS = Pattern.compile("[\\s\\p{Cc}\\u2028\\u2029]+");

  private final Store store;
  private final Path globalFile;
  private final int bytesMax;

  public Memory(Store store, Path dataDir, int bytesMax) {
    this.store = store;
    this.globalFile = dataDir.resolve("memory").resolve(FILE);
    this.bytesMax = bytesMax;
  }

  /** Which one: of a chat thread, or of all. */
  public sealed interface Scope {
    record OfThread(String threadId) implements Scope {}

    record Global() implements Scope {}
  }

  /** What became of a wish to remember. */
  public enum Added {
    ADDED,
    /** The same call has added it before. */
    KNOWN,
    FULL
  }

  /** All of it as people see it; empty when there is none. */
  public String text(Scope scope) throws IOException {
    String raw = store.texts().read(file(scope), bytesMax).orElse("");
    return MARK.matcher(raw).replaceAll("").strip();
  }

  List<String> lines(Scope scope) throws IOException {
    return text(scope).lines().filter(line -> !line.isBlank()).toList();
  }

  /** Byte for byte; empty when there is none. Beyond the first MiB nothing is read. */
  public byte[] bytes(Scope scope) throws IOException {
    return store.texts().readBytes(file(scope), RAW_BYTES_MAX).orElse(new byte[0]);
  }

  /**
   * Replaces the whole, durably, unless somebody has changed it meanwhile; what was there is kept
   * as a version.
   *
   * @param by what replaces it, for its version
   * @return false, and nothing is changed, when it is not as {@code expected} any more or is too
   *     large to be handled
   */
  public synchronized boolean replace(
      Scope scope, byte[] expected, byte[] content, String by, Instant now) throws IOException {
    if (expected.length >= RAW_BYTES_MAX || !Arrays.equals(bytes(scope), expected)) {
      return false;
    }
    settle(scope, by, Sha256.of(content), now);
    Path kept = versions(scope).keep(file(scope), by, now);
    boolean isReplaced = store.texts().replace(file(scope), expected, content, kept);
    if (!isReplaced) {
      versions(scope).forget(kept, file(scope));
    }
    return isReplaced;
  }

  /**
   * Clears up what a crash left of a change: that may be what somebody wrote in that moment, and is
   * kept as a version, unless it is surely ours.
   *
   * @param by what made the change
   * @param after the SHA-256 of what it wrote; empty when that is not known
   */
  public synchronized void settle(Scope scope, String by, String after, Instant now)
      throws IOException {
    Path half = TextFiles.half(file(scope));
    if (Files.isRegularFile(half, LinkOption.NOFOLLOW_LINKS)
        && !Sha256.of(Files.readAllBytes(half)).equals(after)) {
      versions(scope).keepHalf(half, file(scope), by, now);
    }
    boolean _ = AtomicFiles.delete(half);
  }

  /** Earlier contents, oldest first. */
  public synchronized List<MemoryVersion> history(Scope scope) throws IOException {
    return versions(scope).list();
  }

  /** An earlier content; empty when there is no such version. */
  public synchronized Optional<byte[]> version(Scope scope, int number) throws IOException {
    return versions(scope).read(number);
  }

  /**
   * Brings an earlier content back, byte for byte; what was there is kept as a version, all of it.
   */
  public synchronized void restore(Scope scope, byte[] content, Instant now) throws IOException {
    settle(scope, RESTORE, Sha256.of(content), now);
    Path kept = versions(scope).keep(file(scope), RESTORE, now);
    store.texts().exchange(file(scope), content, kept);
  }

  /** Whether a call has added its line, and it is still there. */
  public boolean has(Scope scope, String key) throws IOException {
    return keys(scope).test(key);
  }

  /** As {@link #has}, of many calls at once. */
  public Predicate<String> keys(Scope scope) throws IOException {
    String all = new String(bytes(scope), StandardCharsets.UTF_8);
    return key -> all.contains(mark(key));
  }

  private MemoryVersions versions(Scope scope) {
    return new MemoryVersions(
        store.texts(), file(scope).resolveSibling(MemoryVersions.FOLDER), RAW_BYTES_MAX);
  }

  public int bytesMax() {
    return bytesMax;
  }

  /**
   * Adds one line, durably; what was there is kept as a version.
   *
   * @param key of the call, which adds once however often it runs
   * @param by what adds it, for its version
   */
  public synchronized Added add(
      Scope scope, String key, LocalDate day, String text, String by, Instant now)
      throws IOException {
    String line = "- " + day + ": " + folded(text) + " " + mark(key) + "\n";
    for (int i = 0; i < TRIES; i++) {
      // One byte more than fits tells a file that somebody else has made too long.
      byte[] before = store.texts().readBytes(file(scope), bytesMax + 1).orElse(new byte[0]);
      String old = new String(before, StandardCharsets.UTF_8);
      if (old.contains(mark(key))) {
        settle(scope, by, "", now);
        return Added.KNOWN;
      }
      ByteArrayOutputStream content = new ByteArrayOutputStream();
      content.writeBytes(before); // which need not be UTF-8
      content.writeBytes(
          ((old.isEmpty() || old.endsWith("\n") ? "" : "\n") + line)
              .getBytes(StandardCharsets.UTF_8));
      if (content.size() > bytesMax) {
        return Added.FULL;
      }
      if (replace(scope, before, content.toByteArray(), by, now)) {
        return Added.ADDED;
      }
    }
    throw new IOException("somebody changed it each time, at the same moment");
  }

  /** One line that holds no mark. */
  public static String folded(String text) {
    return LINE_ENDS.matcher(text.strip()).replaceAll(" ").replace("<!--", "<! --");
  }

  private Path file(Scope scope) {
    return switch (scope) {
      case Scope.OfThread(String threadId) -> store.threads().of(threadId).folder().resolve(FILE);
      case Scope.Global() -> globalFile;
    };
  }

  static String mark(String key) {
    return "<!-- by " + Sha256.of(key).substring(0, 12) + " -->";
  }
}
