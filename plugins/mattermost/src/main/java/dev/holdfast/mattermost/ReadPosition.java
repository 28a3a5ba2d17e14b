package dev.holdfast.mattermost;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How far an account has read: what is kept for the next connection, also over a restart.
 *
 * @param until when the last post that is on disk was written, in milliseconds since 1970; zero
 *     before the first connection
 * @param connection Mattermost's id of the last connection; empty when there is none
 * @param nextEvent the number of the first event of that connection that is not on disk
 */
record ReadPosition(long until, String connection, long nextEvent) {
  static final ReadPosition NONE = new ReadPosition(0, "", 0);

  private static final Pattern TEXT =
      Pattern.compile("([0-9]{1,15})(?: ([A-Za-z0-9_-]{1,100}) ([0-9]{1,15}))?");

  /** Of {@link #text}; from the beginning when it is none. */
  static ReadPosition of(Optional<String> text) {
    Matcher matcher = TEXT.matcher(text.orElse(""));
    if (!matcher.matches()) {
      return NONE;
    }
    long until = Long.parseLong(matcher.group(1));
    return matcher.group(2) == null
        ? new ReadPosition(until, "", 0)
        : new ReadPosition(until, matcher.group(2), Long.parseLong(matcher.group(3)));
  }

  String text() {
    return connection.isEmpty() ? Long.toString(until) : until + " " + connection + " " + nextEvent;
  }

  /** Whether Mattermost can be asked to go on where the last connection ended. */
  boolean isResumable() {
    return !connection.isEmpty() && nextEvent > 0;
  }

  /** The same, for a connection that begins anew. */
  ReadPosition withoutConnection() {
    return new ReadPosition(until, "", 0);
  }
}
