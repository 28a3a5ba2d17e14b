package dev.holdfast.models;

import static java.time.format.DateTimeFormatter.ISO_OFFSET_DATE_TIME;

import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The last line of each message that a model reads: when it was sent, and by whom. It is made of
 * what was stored with the message, so that a conversation reads the same in each request and a
 * provider's cache of its beginning stays good.
 */
public final class MessageStamp {
  private static final int SENDER_MAX = 100;
  private static final String START = "\n\n[sent ";
  private static final Pattern NOT_OF_A_NAME = Pattern.compile("[\\p{Cntrl}\\u2028\\u2029\\[\\]]");

  private MessageStamp() {}

  /** {@code now}: when the message is not new any more and the time has to be told. */
  public static String on(
      String text, Instant sent, ZoneId zone, String sender, Optional<Instant> now) {
    String later = now.map(time -> "; it is " + shown(time, zone) + " now").orElse("");
    return text + START + shown(sent, zone) + " " + zone + " by " + plain(sender) + later + "]";
  }

  /** The text as it was written. */
  public static String off(String stamped) {
    int start = stamped.lastIndexOf(START);
    return start >= 0 && isStamp(stamped, start + START.length())
        ? stamped.substring(0, start)
        : stamped;
  }

  /** Plain code: an embedded model does this with each message of its context. */
  private static boolean isStamp(String stamped, int from) {
    int last = stamped.length() - 1;
    if (from >= last || stamped.charAt(last) != ']') {
      return false;
    }
    char first = stamped.charAt(from);
    for (int i = from; i < last; i++) {
      char unit = stamped.charAt(i);
      if (unit == '\n' || unit == '[' || unit == ']') {
        return false;
      }
    }
    return first == '+' || first == '-' || (first >= '0' && first <= '9');
  }

  private static String shown(Instant at, ZoneId zone) {
    return ISO_OFFSET_DATE_TIME.format(at.atZone(zone).truncatedTo(ChronoUnit.SECONDS));
  }

  /** A name that cannot pass for anything else in the line. */
  private static String plain(String sender) {
    String line = NOT_OF_A_NAME.matcher(sender).replaceAll(" ").strip();
    return line.length() <= SENDER_MAX ? line : line.substring(0, SENDER_MAX);
  }
}
