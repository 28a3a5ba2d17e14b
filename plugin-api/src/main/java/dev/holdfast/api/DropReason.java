package dev.holdfast.api;

/** Why a verified message does not become an event. */
public enum DropReason {
  /** Said in a group, and not to the account. */
  NOT_ADDRESSED,
  /** Its sender has written too much. */
  TOO_MANY,
  /** Neither text nor files. */
  EMPTY,
  /** Its sender is not on the list of those who are answered. */
  NOT_ALLOWED,
  /** The account's own post, as the platform tells it to everybody. */
  OWN_ECHO,
  /**
   * A bot has written too much in this conversation: two bots must not answer each other forever.
   */
  LOOP,
  /** It, or what it came in, is not what the platform says that it sends. */
  UNREADABLE,
  /** Its signed time is missing, too long ago or in the future: it may be a replay. */
  UNTIMELY
}
