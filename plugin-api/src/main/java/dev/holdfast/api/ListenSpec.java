package dev.holdfast.api;

import java.time.Duration;

/**
 * How an account takes its messages in by itself: by polling, or over a connection that it opens.
 *
 * @param token what only one may listen with at a time, usually the token of the bot; never blank.
 *     Of two accounts with the same one the second does not run. The server keeps a hash of it.
 *     What is to outlive a renewed token is {@link MessageSink#listensAs}
 * @param silenceMax from 5 s to 1 h: the longest time between two completed receives while all is
 *     well, also when nobody says anything; after that {@link ChannelAdapter#listen} is interrupted
 *     and called again
 */
public record ListenSpec(String token, Duration silenceMax) {
  private static final Duration SILENCE_LEAST = Duration.ofSeconds(5);
  private static final Duration SILENCE_MOST = Duration.ofHours(1);

  public ListenSpec {
    if (token.isBlank()) {
      throw new IllegalArgumentException("the token is blank");
    }
    if (silenceMax.compareTo(SILENCE_LEAST) < 0 || silenceMax.compareTo(SILENCE_MOST) > 0) {
      throw new IllegalArgumentException("silenceMax must be from 5 s to 1 h, got " + silenceMax);
    }
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "ListenSpec[silenceMax=" + silenceMax + "]";
  }
}
