package dev.holdfast.store.ledgers;

/** What looking at the whole chain found. */
public sealed interface AuditVerdict {
  /** Every row is as it was written, and none is missing. */
  record Whole(long count) implements AuditVerdict {}

  /**
   * @param no the first row that is not as it was written, or is missing
   */
  record Broken(long no, String why) implements AuditVerdict {}
}
