package dev.holdfast.store.threads;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Entries of a context as sealed lines and back. */
final class ContextLines {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ContextLines() {}

  /**
   * What a file holds, with a {@link ContextEntry#LOST} in place of what is bad, unless nothing
   * else is left. {@code torn}: it ends in the middle of a line.
   */
  record Parsed(List<ContextEntry> entries, List<byte[]> bad, boolean torn) {}

  /**
   * @throws IllegalArgumentException when the entry is not one JSON object on one line: a bug of
   *     its writer
   */
  static byte[] write(ContextEntry entry) {
    return ChecksummedLine.write(entry.json());
  }

  static byte[] writeAll(List<ContextEntry> entries) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (ContextEntry entry : entries) {
      out.writeBytes(write(entry));
      out.write('\n');
    }
    return out.toByteArray();
  }

  static boolean isWhole(byte[] line) {
    return read(line).isPresent();
  }

  /** Empty when the line is not exactly what was written. */
  static Optional<ContextEntry> read(byte[] line) {
    return ChecksummedLine.read(line).flatMap(ContextLines::parse);
  }

  private static Optional<ContextEntry> parse(String json) {
    try {
      JsonNode node = JSON.readTree(json);
      return Optional.of(
          new ContextEntry(
              node.path("type").asText(),
              node.path("id").asText(),
              node.path("event").asText(),
              Instant.parse(node.path("at").asText()),
              json));
    } catch (JsonProcessingException | DateTimeException _) {
      return Optional.empty();
    }
  }

  static Parsed parse(byte[] file) {
    List<ContextEntry> entries = new ArrayList<>();
    List<byte[]> bad = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < file.length; i++) {
      if (file[i] == '\n') {
        byte[] line = Arrays.copyOfRange(file, start, i);
        read(line)
            .ifPresentOrElse(
                entries::add,
                () -> {
                  bad.add(line);
                  markLost(entries);
                });
        start = i + 1;
      }
    }
    Optional<ContextEntry> tail = read(Arrays.copyOfRange(file, start, file.length));
    tail.ifPresent(entries::add); // all of it came but its line end
    boolean hasAny = !entries.stream().allMatch(ContextEntry::isLost);
    return new Parsed(hasAny ? entries : List.of(), bad, start < file.length && tail.isEmpty());
  }

  private static void markLost(List<ContextEntry> entries) {
    if (entries.isEmpty() || !entries.getLast().isLost()) {
      entries.add(ContextEntry.lost(entries.isEmpty() ? Instant.EPOCH : entries.getLast().at()));
    }
  }
}
