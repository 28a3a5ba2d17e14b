package dev.holdfast.drills;

import dev.holdfast.store.messages.EventFates;
import java.time.Duration;
import java.util.List;

/**
 * What was counted of a drill, up to now.
 *
 * @param acceptedCounted how many events were accepted while it ran, by the counter
 * @param fates the same events, as the tables have them
 * @param strikes how often the fault struck
 * @param looks how often the server was looked at while it ran
 * @param looksNotReady how often it was not ready then
 * @param repaired whether the part that was hit works
 * @param remaining the conditions that came with the drill and have not ended
 * @param settled from the end of the fault until now
 */
public record DrillFacts(
    long acceptedCounted,
    EventFates fates,
    long strikes,
    int looks,
    int looksNotReady,
    boolean repaired,
    List<String> remaining,
    Duration settled) {
  public DrillFacts {
    remaining = List.copyOf(remaining);
  }

  /** Whether nothing is left to wait for. */
  boolean isSettled() {
    return fates.open() == 0 && fates.openReplies() == 0 && repaired && remaining.isEmpty();
  }
}
