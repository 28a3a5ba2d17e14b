package dev.holdfast.access;

/** What the rules of an account say of a message. */
enum AccessVerdict {
  LET_IN,
  /** Its sender writes directly, is not allowed, and may be offered a code. */
  STRANGER,
  NOT_ALLOWED,
  /** It is allowed, but was not said to the account. */
  NOT_ADDRESSED
}
