package dev.holdfast.api;

/** Why a verified message does not become an event. */
public enum DropReason {
  /** Neither text nor files. */
  EMPTY,
  /** Its sender is not on the list of those who are answered. */
  NOT_ALLOWED,
  /** The account's own post, as the platform tells it to everybody. */
  OWN_ECHO,
  /**
   * A bot has written too much in this conversation: two bots must not answer each other forever.
   */
  LOOP
}
