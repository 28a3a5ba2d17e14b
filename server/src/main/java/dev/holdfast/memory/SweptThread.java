package dev.holdfast.memory;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Locale;

/**
 * What a sweep made of one chat thread's memory.
 *
 * @param story its changes, and what was wrong with those that a model wanted
 */
record SweptThread(
    String threadId,
    Outcome outcome,
    Instant at,
    int kept,
    int merged,
    int dropped,
    int updated,
    int proposed,
    JsonObject story) {
  /** How it ended. */
  enum Outcome {
    /** Decided and written down; the file may have been replaced or not. */
    PLANNED,
    CHANGED,
    UNCHANGED,
    /** What the model wanted breaks the rules: nothing was changed. */
    REFUSED,
    /** Somebody else changed it, or its turn ran: the next sweep tries again. */
    BUSY,
    /** It may cost nothing more today. */
    BUDGET,
    /** No sweep can handle its file. */
    TOO_LARGE,
    FAILED;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  SweptThread as(Outcome changed) {
    return new SweptThread(threadId, changed, at, kept, merged, dropped, updated, proposed, story);
  }

  /** The same, without proposals for which there is no room. */
  SweptThread leavingOut(int count) {
    JsonObject told = story.copy();
    JsonArray notes = told.getJsonArray("notes", new JsonArray()).copy();
    notes.add("%d of its proposals were left out: too many wait for a decision.".formatted(count));
    return new SweptThread(
        threadId,
        outcome,
        at,
        kept,
        merged,
        dropped,
        updated,
        proposed - count,
        told.put("notes", notes));
  }

  JsonObject toJson() {
    return story
        .copy()
        .put("thread_id", threadId)
        .put("outcome", outcome.label())
        .put("at", at.toString())
        .put("kept", kept)
        .put("merged", merged)
        .put("dropped", dropped)
        .put("updated", updated)
        .put("proposed", proposed);
  }
}
