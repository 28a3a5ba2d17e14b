package dev.holdfast.modes;

import io.vertx.core.json.JsonObject;
import java.time.Instant;

/**
 * One change of the mode.
 *
 * @param number counts all changes, from 1
 * @param rule the one that led to it
 * @param reason why, in words: an operator's own, or those of the rule
 * @param actor {@code token:<name>}, or {@code server}
 */
public record ModeChange(
    long number, Instant at, Mode from, ModeRule rule, String reason, String actor) {
  /** Who changes it when nobody asks. */
  static final String SERVER = "server";

  public Mode to() {
    return rule.mode();
  }

  public boolean isByHand() {
    return !actor.equals(SERVER);
  }

  public JsonObject toJson() {
    return new JsonObject()
        .put("number", number)
        .put("at", at.toString())
        .put("from", from.label())
        .put("to", to().label())
        .put("rule", rule.label())
        .put("reason", reason)
        .put("by", actor);
  }
}
