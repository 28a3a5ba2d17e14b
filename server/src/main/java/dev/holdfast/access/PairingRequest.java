package dev.holdfast.access;

/** What became of a stranger's wish for a code. */
enum PairingRequest {
  /** The code was written down; the one before, if any, means nothing any more. */
  TAKEN,
  /** The person has been told a code that is still good. */
  TOLD_BEFORE,
  /** As many strangers of the account as may wait do wait. */
  FULL,
  /** The person is paired already. */
  PAIRED
}
