package dev.holdfast.tools.memory;

import dev.holdfast.store.Store;
import dev.holdfast.tools.files.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
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
  private static final int RAW_BYTES_MAX = 1_048_576;

  private static final Pattern LINE_ENDS = Pattern.compile("[\\s\\p{Cntrl}\\u2028\\u2029]+");

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
    byte[] before = bytes(scope);
    if (!Arrays.equals(before, expected) || before.length >= RAW_BYTES_MAX) {
      return false;
    }
    versions(scope).keep(before, by, now);
    store.texts().replace(file(scope), content);
    return true;
  }

  /** Earlier contents, oldest first. */
  public synchronized List<MemoryVersion> history(Scope scope) throws IOException {
    return versions(scope).list();
  }

  /** An earlier content; empty when there is no such version. */
  public synchronized Optional<byte[]> version(Scope scope, int number) throws IOException {
    return versions(scope).read(number);
  }

  /** Brings an earlier content back, byte for byte; what was there is kept as a version. */
  public synchronized void restore(Scope scope, byte[] content, Instant now) throws IOException {
    versions(scope).keep(bytes(scope), "restore", now);
    store.texts().replace(file(scope), content);
  }

  /** As {@link #add}, with a version of what was there. */
  public synchronized Added addKept(
      Scope scope, String key, LocalDate day, String text, String by, Instant now)
      throws IOException {
    if (!has(scope, key)) {
      versions(scope).keep(bytes(scope), by, now);
    }
    return add(scope, key, day, text);
  }

  /** Whether a call has added its line, and it is still there. */
  public boolean has(Scope scope, String key) throws IOException {
    return new String(bytes(scope), StandardCharsets.UTF_8).contains(mark(key));
  }

  private MemoryVersions versions(Scope scope) {
    return new MemoryVersions(
        store.texts(), file(scope).resolveSibling(MemoryVersions.FOLDER), RAW_BYTES_MAX);
  }

  public int bytesMax() {
    return bytesMax;
  }

  /**
   * Adds one line; durable on return. {@code key}: of the call, which adds once however often it
   * runs.
   */
  synchronized Added add(Scope scope, String key, LocalDate day, String text) throws IOException {
    String mark = mark(key);
    // One byte more than fits tells a file that somebody else has made too long.
    String old = store.texts().read(file(scope), bytesMax + 1).orElse("");
    if (old.contains(mark)) {
      return Added.KNOWN;
    }
    String line = "- " + day + ": " + folded(text) + " " + mark + "\n";
    String all = old + (old.isEmpty() || old.endsWith("\n") ? "" : "\n") + line;
    if (all.getBytes(StandardCharsets.UTF_8).length > bytesMax) {
      return Added.FULL;
    }
    store.texts().replace(file(scope), all);
    return Added.ADDED;
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

  private static String mark(String key) {
    return "<!-- by " + Sha256.of(key).substring(0, 12) + " -->";
  }
}
