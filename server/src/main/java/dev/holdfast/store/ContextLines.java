package dev.holdfast.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Entries of a context as lines and back. A line is the entry's JSON with one more field at its
 * end, {@code crc}: the CRC32C of the entry without it, so that a changed byte is found even where
 * the JSON is still JSON.
 */
final class ContextLines {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CRC_START = ",\"crc\":\"";
  private static final String CRC_END = "\"}";
  private static final int CRC_DIGITS = 8;
  private static final int SUFFIX = CRC_START.length() + CRC_DIGITS + CRC_END.length();

  private ContextLines() {}

  /** What a file holds. {@code torn}: it ends in the middle of a line. */
  record Parsed(List<ContextEntry> entries, List<byte[]> bad, boolean torn) {}

  /**
   * @throws IllegalArgumentException when the entry is not one JSON object on one line: a bug of
   *     its writer
   */
  static byte[] write(ContextEntry entry) {
    String json = entry.json();
    if (!json.startsWith("{\"") || !json.endsWith("}") || json.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("not an object on one line: " + entry.id());
    }
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    String crc = HexFormat.of().toHexDigits((int) Crc.of(bytes, 0, bytes.length));
    return (json.substring(0, json.length() - 1) + CRC_START + crc + CRC_END)
        .getBytes(StandardCharsets.UTF_8);
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
    int cut = line.length - SUFFIX;
    if (cut < 2) {
      return Optional.empty();
    }
    String suffix = new String(line, cut, SUFFIX, StandardCharsets.ISO_8859_1);
    byte[] json = new byte[cut + 1];
    System.arraycopy(line, 0, json, 0, cut);
    json[cut] = '}';
    String crc = HexFormat.of().toHexDigits((int) Crc.of(json, 0, json.length));
    if (!suffix.equals(CRC_START + crc + CRC_END)) {
      return Optional.empty();
    }
    return parse(new String(json, StandardCharsets.UTF_8));
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
        read(line).ifPresentOrElse(entries::add, () -> bad.add(line));
        start = i + 1;
      }
    }
    Optional<ContextEntry> tail = read(Arrays.copyOfRange(file, start, file.length));
    tail.ifPresent(entries::add); // all of it came but its line end
    return new Parsed(entries, bad, start < file.length && tail.isEmpty());
  }
}
