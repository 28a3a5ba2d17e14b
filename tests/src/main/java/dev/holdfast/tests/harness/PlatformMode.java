package dev.holdfast.tests.harness;

/** What the fake platform does with a post that it was sent. */
public enum PlatformMode {
  ACCEPT,
  /** Keeps the post and resets the connection before an answer. */
  LOSE_ANSWER,
  /** Keeps the post and answers 504. */
  GATEWAY_TIMEOUT,
  /** Keeps the post and says nothing. */
  HANG,
  /** Refuses with 429 and Retry-After: 1. */
  LIMIT,
  /** Refuses with 429 and asks to wait for a day. */
  LIMIT_FOR_A_DAY,
  /** Refuses with 503 and Retry-After: 1. */
  UNAVAILABLE,
  /** Refuses for ever with 404. */
  GONE;

  /** Whether the sender cannot know what became of the post. */
  public boolean leavesUnknown() {
    return this == LOSE_ANSWER || this == GATEWAY_TIMEOUT || this == HANG;
  }

  /** Whether the person sees the post. */
  public boolean shows() {
    return this == ACCEPT || leavesUnknown();
  }
}
