package dev.holdfast.health;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that is not well, in the one form in which everything speaks of it: probes, API,
 * stream, commands, pages.
 *
 * @param type what it is about: a family, or {@code family/subject} as in {@code
 *     breaker/llm:anthropic}
 * @param reason for machines: lower case with underscores
 * @param message for people: one sentence or two, with what to do next; anybody may read it, so it
 *     holds no secret, no text of a person and no id of a chat thread
 * @param since when status or reason became what they are
 * @param nextAttemptAt when the server tries again automatically; null when it does not or nobody
 *     knows
 * @param exitRule how it ends, in words
 */
public record Condition(
    String type,
    ConditionStatus status,
    String reason,
    String message,
    Instant since,
    @Nullable Instant nextAttemptAt,
    String exitRule) {

  /** The part of the type that has few values, which may be a label. */
  public String family() {
    int slash = type.indexOf('/');
    return slash < 0 ? type : type.substring(0, slash);
  }

  /** The same thing, well again. */
  Condition ended(Instant at) {
    return new Condition(type, ConditionStatus.OK, "ended", "It has ended.", at, null, "");
  }

  /** Whether the other one says the same, apart from words and times. */
  boolean isSameAs(Condition other) {
    return status == other.status && reason.equals(other.reason);
  }

  public JsonObject toJson() {
    Instant next = nextAttemptAt;
    return new JsonObject()
        .put("type", type)
        .put("status", status.label())
        .put("reason", reason)
        .put("message", message)
        .put("since", since.toString())
        .put("next_attempt_at", next == null ? null : next.toString())
        .put("exit_rule", exitRule);
  }
}
