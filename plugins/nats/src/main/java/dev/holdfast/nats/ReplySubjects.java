package dev.holdfast.nats;

import dev.holdfast.kit.DurableFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the answers to messages go that name a subject, by the key of the message: a file to which
 * a line is added for each, so that an answer finds its way after a crash too. The newest are kept.
 *
 * <p>While the configuration changes, two of these have the file, the old one and the new: lines
 * are added to its end, and one that is not known is looked for there. Thread-safe.
 */
final class ReplySubjects implements AutoCloseable {
  private final Path file;
  private final int entriesMax;
  private final Map<String, String> subjects = new LinkedHashMap<>();

  /**
   * Shared by all in this process that have the file, also where another class loader made them.
   */
  private final String lock;

  private FileChannel channel;

  /** Of the file that the channel writes to, as long as it is open. */
  private @Nullable Object fileKey;

  /** How much of that was read. */
  private long readTo;

  private int lines;

  private ReplySubjects(Path file, int entriesMax) throws IOException {
    this.file = file;
    this.entriesMax = entriesMax;
    this.lock = ("reply subjects " + file.toAbsolutePath()).intern();
    synchronized (lock) {
      this.channel = opened();
      catchUp();
      if (readTo < channel.size()) {
        append("\n"); // a crash has cut a line off: it was not committed, its message comes again
        catchUp();
      }
    }
  }

  static ReplySubjects open(Path file, int entriesMax) throws IOException {
    return new ReplySubjects(file, entriesMax);
  }

  private FileChannel opened() throws IOException {
    FileChannel opened =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    fileKey = fileKey();
    readTo = 0;
    return opened;
  }

  private @Nullable Object fileKey() throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  private boolean isReplaced() throws IOException {
    return !Files.exists(file) || !String.valueOf(fileKey()).equals(String.valueOf(fileKey));
  }

  /** Reads what was added, by whomever; from the beginning where the file is another one. */
  private void catchUp() throws IOException {
    if (isReplaced()) {
      channel.close();
      channel = opened();
      lines = 0;
    }
    if (channel.size() > readTo) {
      try (FileChannel reading = FileChannel.open(file)) {
        read(reading);
      }
    }
  }

  private void read(FileChannel reading) throws IOException {
    try (InputStream in = Channels.newInputStream(reading.position(readTo))) {
      byte[] added = in.readAllBytes();
      int end = added.length;
      while (end > 0 && added[end - 1] != '\n') {
        end--;
      }
      readTo += end;
      new String(added, 0, end, StandardCharsets.UTF_8).lines().forEach(this::keep);
    }
  }

  private void keep(String line) {
    lines++;
    int tab = line.indexOf('\t');
    String subject = line.endsWith(".") ? line.substring(tab + 1, line.length() - 1) : "";
    if (tab > 0 && SubjectRules.isLiteral(subject)) {
      keep(line.substring(0, tab), subject);
    }
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

  private void append(String text) throws IOException {
    ByteBuffer left = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    while (left.hasRemaining()) {
      int _ = channel.write(left);
    }
    channel.force(false);
  }

  /**
   * Puts a file in its place that has what is kept alone. The other one reads it at its next look.
   */
  private void shorten() throws IOException {
    StringBuilder text = new StringBuilder();
    subjects.forEach((key, subject) -> text.append(line(key, subject)));
    DurableFile.write(file, file.resolveSibling(file.getFileName() + ".new"), text.toString());
    catchUp();
  }

  /**
   * Keeps the subject that a message names; returns when it is on disk.
   *
   * @param subject empty when it names none: then nothing is kept
   */
  void put(String key, String subject) throws IOException {
    synchronized (lock) {
      if (subject.isEmpty() || subject.equals(subjects.get(key))) {
        return;
      }
      catchUp();
      append(line(key, subject));
      catchUp();
      if (lines > 2 * entriesMax) {
        shorten();
      }
    }
  }

  Optional<String> find(String key) throws IOException {
    synchronized (lock) {
      if (!subjects.containsKey(key)) {
        catchUp();
      }
      return Optional.ofNullable(subjects.get(key));
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (lock) {
      channel.close();
    }
  }
}
