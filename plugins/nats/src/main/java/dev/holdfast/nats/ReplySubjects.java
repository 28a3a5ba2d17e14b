package dev.holdfast.nats;

import dev.holdfast.kit.DurableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the answers to messages go that name a subject, by the key of the message: a file to which
 * a line is added for each, so that an answer finds its way after a crash too. The newest are kept.
 * Thread-safe.
 */
final class ReplySubjects implements AutoCloseable {
  private final Path file;
  private final int entriesMax;
  private final Map<String, String> subjects = new LinkedHashMap<>();
  private FileChannel channel;
  private int lines;

  private ReplySubjects(Path file, int entriesMax) throws IOException {
    this.file = file;
    this.entriesMax = entriesMax;
    if (Files.exists(file)) {
      // What a crash has cut off was not committed: its message comes again.
      for (String line :
          new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\n", -1)) {
        int tab = line.indexOf('\t');
        String subject = line.endsWith(".") ? line.substring(tab + 1, line.length() - 1) : "";
        if (tab > 0 && SubjectRules.isLiteral(subject)) {
          keep(line.substring(0, tab), subject);
        }
      }
    }
    this.channel = rewritten();
  }

  static ReplySubjects open(Path file, int entriesMax) throws IOException {
    return new ReplySubjects(file, entriesMax);
  }

  private void keep(String key, String subject) {
    subjects.remove(key);
    subjects.put(key, subject);
    if (subjects.size() > entriesMax) {
      subjects.remove(subjects.keySet().iterator().next());
    }
  }

  /** A key has no control characters, and neither has a subject. */
  private static String line(String key, String subject) {
    return key + "\t" + subject + ".\n";
  }

  /** The file with what is kept alone; whatever is added goes to its end. */
  private FileChannel rewritten() throws IOException {
    StringBuilder text = new StringBuilder();
    subjects.forEach((key, subject) -> text.append(line(key, subject)));
    DurableFile.write(file, file.resolveSibling(file.getFileName() + ".new"), text.toString());
    lines = subjects.size();
    return FileChannel.open(file, StandardOpenOption.APPEND);
  }

  /**
   * Keeps the subject that a message names; returns when it is on disk.
   *
   * @param subject empty when it names none: then nothing is kept
   */
  synchronized void put(String key, String subject) throws IOException {
    if (subject.isEmpty() || subject.equals(subjects.get(key))) {
      return;
    }
    ByteBuffer left = ByteBuffer.wrap(line(key, subject).getBytes(StandardCharsets.UTF_8));
    while (left.hasRemaining()) {
      int _ = channel.write(left);
    }
    channel.force(false);
    keep(key, subject);
    lines++;
    if (lines > 2 * entriesMax) {
      channel.close();
      channel = rewritten();
    }
  }

  synchronized Optional<String> find(String key) {
    @Nullable String subject = subjects.get(key);
    return Optional.ofNullable(subject);
  }

  @Override
  public synchronized void close() throws IOException {
    channel.close();
  }
}
