package dev.holdfast.store;

import dev.holdfast.store.messages.CutEvent;
import java.time.Instant;
import java.util.List;

/**
 * How the run before this one ended.
 *
 * @param clean whether by a clean stop; then the rest says nothing
 * @param lastSign when it last wrote to its database
 * @param integrity what the check of the database found, for people
 * @param mended whether anything was wrong with the file
 * @param cut the events that were running, the first ones of many
 * @param cutCount how many those were
 * @param waiting how many more were open
 * @param found when this run found all this, before it worked on anything
 */
public record LastRun(
    boolean clean,
    Instant lastSign,
    String integrity,
    boolean mended,
    List<CutEvent> cut,
    int cutCount,
    long waiting,
    Instant found) {
  static final int CUT_MAX = 50;

  public LastRun {
    cut = List.copyOf(cut);
  }
}
