package dev.holdfast.nats;

import dev.holdfast.natskit.NatsAddresses;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Names of subjects: tokens with dots between, in which {@code *} stands for one token and {@code
 * >} at the end for one or more.
 */
final class SubjectRules {
  static final int UNITS_MAX = 255;

  private static final Pattern LITERAL = Pattern.compile("[!-~&&[^.*>]]+(\\.[!-~&&[^.*>]]+)*");
  private static final Pattern FILTER =
      Pattern.compile("([!-~&&[^.*>]]+|\\*)(\\.([!-~&&[^.*>]]+|\\*))*(\\.>)?|>");

  private SubjectRules() {}

  /** Whether something can be published to it. */
  static boolean isLiteral(String subject) {
    return subject.length() <= UNITS_MAX && LITERAL.matcher(subject).matches();
  }

  static boolean isFilter(String subject) {
    return subject.length() <= UNITS_MAX && FILTER.matcher(subject).matches();
  }

  /** Of NATS itself, as {@code $JS.ACK}, of Holdfast's own bus, or an inbox of a Holdfast. */
  static boolean isReserved(String subject) {
    return subject.startsWith("$")
        || subject.equals("holdfast")
        || subject.startsWith("holdfast.")
        || isOwnInbox(subject);
  }

  static boolean isOwnInbox(String subject) {
    return subject.startsWith(NatsAddresses.OWN_INBOX);
  }

  /** Whether whatever the other one stands for is below the filter. */
  static boolean covers(String filter, String other) {
    List<String> wide = List.of(filter.split("\\.", -1));
    List<String> narrow = List.of(other.split("\\.", -1));
    for (int at = 0; at < wide.size(); at++) {
      if (at == narrow.size()) {
        return false;
      }
      if (wide.get(at).equals(">")) {
        return true;
      }
      boolean isOne = wide.get(at).equals("*") && !narrow.get(at).equals(">");
      if (!isOne && !wide.get(at).equals(narrow.get(at))) {
        return false;
      }
    }
    return wide.size() == narrow.size();
  }
}
