package dev.holdfast.ingress.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a request target before anything else does, so that no later step can read it in two
 * ways: no dot segments in any spelling, no empty segments, no parameters, no bytes that are not
 * plain.
 */
public final class RequestTarget {
  private static final String API = "/api/";

  private RequestTarget() {}

  /** Whether the target (path and query as they came) can be taken at its word. */
  public static boolean isPlain(String target) {
    if (target.isEmpty() || target.charAt(0) != '/') {
      return false;
    }
    int end = target.length();
    int query = target.indexOf('?');
    boolean escapes = false;
    for (int i = 0; i < end; i++) {
      char c = target.charAt(i);
      if (c <= ' ' || c > '~' || c == '\\' || c == '#') {
        return false;
      }
      escapes |= c == '%';
    }
    String path = query < 0 ? target : target.substring(0, query);
    if (path.indexOf(';') >= 0 || path.contains("//")) {
      return false;
    }
    if (escapes) {
      return isPlainDecoded(path) && (query < 0 || decode(target.substring(query + 1)) != null);
    }
    return hasNoDotSegment(path);
  }

  private static boolean isPlainDecoded(String path) {
    for (String segment : path.substring(1).split("/", -1)) {
      String decoded = decode(segment);
      if (decoded == null || decoded.equals(".") || decoded.equals("..")) {
        return false;
      }
      // A conversation may be called anything, so ids in the API may hold an escaped slash; files
      // may not.
      if (!path.startsWith(API) && (decoded.indexOf('/') >= 0 || decoded.indexOf('\\') >= 0)) {
        return false;
      }
      if (decoded.chars().anyMatch(Character::isISOControl)) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasNoDotSegment(String path) {
    for (int i = path.indexOf("/."); i >= 0; i = path.indexOf("/.", i + 1)) {
      int end = path.indexOf('/', i + 1);
      String segment = path.substring(i + 1, end < 0 ? path.length() : end);
      if (segment.equals(".") || segment.equals("..")) {
        return false;
      }
    }
    return true;
  }

  /** The text of percent-escaped UTF-8; null when it is not that. A plus sign stays one. */
  public static @Nullable String decode(String escaped) {
    if (escaped.indexOf('%') < 0) {
      return escaped;
    }
    byte[] bytes = new byte[escaped.length()];
    int length = 0;
    for (int i = 0; i < escaped.length(); i++) {
      char c = escaped.charAt(i);
      if (c != '%') {
        bytes[length++] = (byte) c;
        continue;
      }
      int high = i + 3 <= escaped.length() ? Character.digit(escaped.charAt(i + 1), 16) : -1;
      int low = i + 3 <= escaped.length() ? Character.digit(escaped.charAt(i + 2), 16) : -1;
      if (high < 0 || low < 0) {
        return null;
      }
      bytes[length++] = (byte) (high << 4 | low);
      i += 2;
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, 0, length))
          .toString();
    } catch (CharacterCodingException _) {
      return null;
    }
  }
}
