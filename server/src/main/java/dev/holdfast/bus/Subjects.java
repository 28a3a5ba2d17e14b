package dev.holdfast.bus;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * The subjects that Holdfast publishes to. Their first two tokens are fixed; what follows is
 * written as {@link #token} says.
 */
public final class Subjects {
  private static final String INBOUND = "holdfast.inbound.";
  private static final String OUTBOUND = "holdfast.outbound.";
  private static final String TASKS = "holdfast.tasks.";
  private static final String EVENTS = "holdfast.events.";

  /** What programs ask of the server; never part of the stream. */
  public static final String CONTROL = "holdfast.control.";

  /** What the stream has to take. */
  static final List<String> STREAMED =
      List.of(INBOUND + ">", OUTBOUND + ">", TASKS + ">", EVENTS + ">");

  private static final int TOKEN_BYTES_MAX = 160;
  private static final int KEPT = 100;
  private static final int DIGEST_DIGITS = 24;
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private Subjects() {}

  public static String inbound(String channel, String thread) {
    return INBOUND + token(channel) + "." + token(thread);
  }

  public static String outbound(String channel) {
    return OUTBOUND + token(channel);
  }

  public static String tasks(String agent) {
    return TASKS + token(agent);
  }

  /** {@code kind}: dotted, as {@code condition.changed}; each part of it is a token. */
  public static String events(String kind) {
    return EVENTS + kind;
  }

  /**
   * A name as one token: letters, digits, {@code _} and {@code -} stay, every other byte of its
   * UTF-8 becomes {@code %} and two digits. What is longer than 160 bytes then is cut to 100 and
   * made unique by {@code ~} and 24 digits of the name's SHA-256.
   */
  public static String token(String name) {
    StringBuilder token = new StringBuilder();
    for (byte one : name.getBytes(StandardCharsets.UTF_8)) {
      if (isPlain(one)) {
        token.append((char) one);
      } else {
        token.append('%').append(HEX.toHexDigits(one));
      }
    }
    if (token.isEmpty()) {
      return "%";
    }
    return token.length() <= TOKEN_BYTES_MAX
        ? token.toString()
        : token.substring(0, KEPT) + "~" + digest(name);
  }

  private static boolean isPlain(byte one) {
    return (one >= 'a' && one <= 'z')
        || (one >= 'A' && one <= 'Z')
        || (one >= '0' && one <= '9')
        || one == '-'
        || one == '_';
  }

  private static String digest(String name) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return HEX.formatHex(digest).substring(0, DIGEST_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
