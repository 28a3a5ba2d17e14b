package dev.holdfast.git;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Names of files as texts and back. To Git a name is bytes: one that is no UTF-8, has control
 * characters in it or begins with a quotation mark is shown in quotation marks, with escapes as in
 * C, so that no name is lost and no two are the same.
 */
final class QuotedName {
  private static final String ESCAPED = "abtnvfr\"\\";
  private static final int[] MEANT = {7, 8, 9, 10, 11, 12, 13, '"', '\\'};

  private QuotedName() {}

  static String show(byte[] name) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(name)).toString();
      if (!text.startsWith("\"") && text.chars().noneMatch(Character::isISOControl)) {
        return text;
      }
    } catch (CharacterCodingException _) {
      // It is shown byte by byte.
    }
    StringBuilder shown = new StringBuilder("\"");
    for (byte each : name) {
      int one = each & 0xff;
      if (one == '"' || one == '\\') {
        shown.append('\\').append((char) one);
      } else if (one >= ' ' && one < 127) {
        shown.append((char) one);
      } else {
        shown.append('\\').append(String.format("%03o", one));
      }
    }
    return shown.append('"').toString();
  }

  /** The bytes of a name as it is shown, or as Git quotes it; empty when it is not well formed. */
  static Optional<byte[]> read(String shown) {
    if (!shown.startsWith("\"")) {
      return Optional.of(shown.getBytes(StandardCharsets.UTF_8));
    }
    if (shown.length() < 2 || !shown.endsWith("\"")) {
      return Optional.empty();
    }
    ByteArrayOutputStream name = new ByteArrayOutputStream();
    int end = shown.length() - 1;
    int at = 1;
    while (at < end) {
      int one = shown.codePointAt(at);
      at += Character.charCount(one);
      if (one == '"') {
        return Optional.empty();
      }
      if (one != '\\') {
        name.writeBytes(Character.toString(one).getBytes(StandardCharsets.UTF_8));
        continue;
      }
      int known = at < end ? ESCAPED.indexOf(shown.charAt(at)) : -1;
      if (known >= 0) {
        name.write(MEANT[known]);
        at++;
      } else if (at + 3 <= end && shown.substring(at, at + 3).matches("[0-3][0-7]{2}")) {
        name.write(Integer.parseInt(shown.substring(at, at + 3), 8));
        at += 3;
      } else {
        return Optional.empty();
      }
    }
    return Optional.of(name.toByteArray());
  }
}
