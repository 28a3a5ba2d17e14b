package dev.holdfast.natskit;

import java.util.List;

/**
 * Subjects: tokens with dots between, in which {@code *} stands for one token and {@code >} at the
 * end for one or more.
 */
public final class NatsSubjects {
  /** What the inboxes of each Holdfast begin with: only it and nats-server may use them. */
  public static final String OWN_INBOX = "_INBOX.holdfast.";

  private NatsSubjects() {}

  /** Whether whatever the other one stands for is below the filter. */
  public static boolean covers(String filter, String other) {
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
