package dev.holdfast.nats;

import dev.holdfast.natskit.NatsSubjects;
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
    return subject.startsWith(NatsSubjects.OWN_INBOX);
  }
}
