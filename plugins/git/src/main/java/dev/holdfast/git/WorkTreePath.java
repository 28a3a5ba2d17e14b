package dev.holdfast.git;

import dev.holdfast.agentkit.ActionRefusedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A path in a working tree, as a model names it.
 *
 * @param bytes relative to the top folder, with single slashes between its parts; {@code .} is all
 *     of it
 */
@SuppressWarnings("ArrayRecordComponent") // made once, read once
record WorkTreePath(byte[] bytes) {
  /** Refused when it could lead out of the working tree, or into the repository's own files. */
  static WorkTreePath of(String shown) throws ActionRefusedException {
    byte[] bytes =
        QuotedName.read(shown)
            .orElseThrow(() -> refused("is not a name as status shows it", shown));
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    if (text.isEmpty() || text.startsWith("/") || text.indexOf('\0') >= 0) {
      throw refused("must be relative to the repository", shown);
    }
    List<String> parts = new ArrayList<>();
    for (String part : text.split("/", -1)) {
      if (part.equals("..") || part.equalsIgnoreCase(".git")) {
        throw refused("must not have .. or .git in it", shown);
      }
      if (!part.isEmpty() && !part.equals(".")) {
        parts.add(part);
      }
    }
    String plain = parts.isEmpty() ? "." : String.join("/", parts);
    return new WorkTreePath(plain.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static ActionRefusedException refused(String why, String shown) {
    return new ActionRefusedException(
        ActionRefusedException.FORBIDDEN, "The path %s: %s.".formatted(why, shown));
  }

  /** As an argument, which Java passes on as UTF-8. */
  String argument() throws ActionRefusedException {
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (!Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes)) {
      throw new ActionRefusedException(
          ActionRefusedException.INVALID,
          "This name is no UTF-8 and cannot be asked for alone: leave the path out.");
    }
    return text;
  }

  /** Whether that is it, or lies in it. */
  boolean holds(byte[] other) {
    if (bytes.length == 1 && bytes[0] == '.') {
      return true;
    }
    return other.length >= bytes.length
        && Arrays.equals(bytes, 0, bytes.length, other, 0, bytes.length)
        && (other.length == bytes.length || other[bytes.length] == '/');
  }
}
