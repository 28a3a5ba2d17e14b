package dev.holdfast.memory;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A line of one chat thread that all of them may come to know.
 *
 * @param threadId empty when the thread was deleted
 * @param why in the model's words
 * @param score at the last sweep
 * @param notes what keeps it back, or has to be looked at, in sentences
 * @param decidedAt null until it was
 */
public record Proposal(
    String id,
    String threadId,
    LocalDate day,
    String text,
    String why,
    Instant at,
    State state,
    double score,
    List<String> notes,
    String decidedBy,
    @Nullable Instant decidedAt) {
  /** How far it has come. */
  public enum State {
    /** It is not recalled often enough, or holds what may not be shared. */
    WATCHED,
    /** An operator may say yes. */
    READY,
    /** Somebody has said yes; it is being written. */
    APPROVED,
    PROMOTED,
    /** It was promoted, and somebody has taken it out of what all threads know. */
    UNDONE,
    REJECTED,
    /** Its thread does not have the line; it may come back. */
    WITHDRAWN;

    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public Proposal {
    notes = List.copyOf(notes);
  }

  Proposal judged(State changed, double newScore, List<String> newNotes) {
    return new Proposal(
        id, threadId, day, text, why, at, changed, newScore, newNotes, decidedBy, decidedAt);
  }

  Proposal decided(State changed, String by, Instant now) {
    return new Proposal(id, threadId, day, text, why, at, changed, score, notes, by, now);
  }

  public JsonObject toJson() {
    return new JsonObject()
        .put("id", id)
        .put("thread_id", threadId)
        .put("day", day.toString())
        .put("text", text)
        .put("why", why)
        .put("at", at.toString())
        .put("state", state.label())
        .put("score", Math.round(score * 100) / 100.0)
        .put("notes", new JsonArray(List.copyOf(notes)))
        .put("decided_by", decidedBy)
        .put("decided_at", decidedAt == null ? null : decidedAt.toString());
  }
}
