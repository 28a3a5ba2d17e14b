package dev.holdfast.store.threads;

import dev.holdfast.store.engine.Crc;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * JSON objects as lines that tell when they were changed. A line is the object with one more field
 * at its end, {@code crc}: the CRC32C of the object without it, so that a changed byte is found
 * even where the JSON is still JSON.
 */
final class ChecksummedLine {
  private static final String CRC_START = ",\"crc\":\"";
  private static final String CRC_END = "\"}";
  private static final int CRC_DIGITS = 8;
  private static final int SUFFIX = CRC_START.length() + CRC_DIGITS + CRC_END.length();

  private ChecksummedLine() {}

  /**
   * The line, without its end.
   *
   * @throws IllegalArgumentException when {@code json} is not one object with at least one field on
   *     one line: a bug of its writer
   */
  static byte[] write(String json) {
    if (!json.startsWith("{\"") || !json.endsWith("}") || json.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("not an object on one line");
    }
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    byte[] seal = seal(bytes).getBytes(StandardCharsets.US_ASCII);
    byte[] line = Arrays.copyOf(bytes, bytes.length - 1 + seal.length);
    System.arraycopy(seal, 0, line, bytes.length - 1, seal.length);
    return line;
  }

  /** The object that was sealed; empty when the line is not exactly what was written. */
  static Optional<String> read(byte[] line) {
    int cut = line.length - SUFFIX;
    if (cut < 2) {
      return Optional.empty();
    }
    byte[] json = Arrays.copyOf(line, cut + 1);
    json[cut] = '}';
    String suffix = new String(line, cut, SUFFIX, StandardCharsets.ISO_8859_1);
    return suffix.equals(seal(json))
        ? Optional.of(new String(json, StandardCharsets.UTF_8))
        : Optional.empty();
  }

  private static String seal(byte[] json) {
    return CRC_START + HexFormat.of().toHexDigits((int) Crc.of(json, 0, json.length)) + CRC_END;
  }
}
