package dev.holdfast.memory;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One sweep.
 *
 * @param endedAt null while it runs
 * @param by {@code server}, or {@code token:<name>} of whoever asked for it
 * @param threadId the one thread that it is of; empty for all
 * @param dry whether nothing may be changed
 * @param promoted lines that became those of all threads
 * @param note why it ended, or what it waits for
 */
record SweepRun(
    String id,
    Instant begunAt,
    @Nullable Instant endedAt,
    String by,
    String threadId,
    boolean dry,
    Outcome outcome,
    int promoted,
    String note) {
  /** How it ended. */
  enum Outcome {
    RUNNING,
    DONE,
    /** Nothing more may be spent on models, or by the one thread that it is of. */
    BUDGET,
    /** No model is named, or none could be reached. */
    NO_MODEL,
    /** The server did not become quiet. */
    BUSY,
    /** The server's mode lets no sweep run. */
    MODE,
    /** The server stopped. */
    CANCELLED,
    /** The server ended without a stop; what was done stays. */
    CUT_OFF,
    FAILED;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  SweepRun with(Outcome changed, String said) {
    return new SweepRun(id, begunAt, endedAt, by, threadId, dry, changed, promoted, said);
  }

  JsonObject toJson() {
    return new JsonObject()
        .put("id", id)
        .put("begun_at", begunAt.toString())
        .put("ended_at", endedAt == null ? null : endedAt.toString())
        .put("by", by)
        .put("thread_id", threadId)
        .put("dry_run", dry)
        .put("outcome", outcome.label())
        .put("promoted", promoted)
        .put("note", note);
  }
}
