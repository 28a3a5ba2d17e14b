package dev.holdfast.tools.memory;

import dev.holdfast.store.Store;
import dev.holdfast.tools.files.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The MEMORY.md of each chat thread and the global one: lists that people may edit by hand.
 * Thread-safe.
 */
public final class Memory {
  public static final String FILE = "MEMORY.md";

  /** Behind each line stands which call has added it, where Markdown does not show it. */
  private static final Pattern MARK = Pattern.compile(" *<!-- by [0-9a-f]{12} -->");

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
  enum Added {
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

  /**
   * Adds one line; durable on return. {@code key}: of the call, which adds once however often it
   * runs.
   */
  synchronized Added add(Scope scope, String key, LocalDate day, String text) throws IOException {
    String mark = "<!-- by " + hash(key) + " -->";
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
  static String folded(String text) {
    return LINE_ENDS.matcher(text.strip()).replaceAll(" ").replace("<!--", "<! --");
  }

  private Path file(Scope scope) {
    return switch (scope) {
      case Scope.OfThread(String threadId) -> store.threads().of(threadId).folder().resolve(FILE);
      case Scope.Global() -> globalFile;
    };
  }

  private static String hash(String key) {
    return Sha256.of(key).substring(0, 12);
  }
}
