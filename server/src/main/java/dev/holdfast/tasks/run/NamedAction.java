package dev.holdfast.tasks.run;

import dev.holdfast.tasks.rules.Step;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A goal that names an action itself, {@code agent.action} with its payload behind it or none: one
 * step, for which no model is asked.
 */
final class NamedAction {
  private static final Pattern NAMED =
      Pattern.compile(
          "([A-Za-z0-9][\\w-]*)\\.([A-Za-z0-9][\\w-]*)(?:\\s+(\\{.*))?", Pattern.DOTALL);

  private NamedAction() {}

  /**
   * The step, whose action or payload may be none: whoever names an agent means it, and is told
   * what is wrong. Empty when the goal is anything else.
   */
  static Optional<Step> of(String goal, AgentDirectory agents) {
    Matcher named = NAMED.matcher(goal.strip());
    if (!named.matches() || agents.find(named.group(1)).isEmpty()) {
      return Optional.empty();
    }
    String payload = named.group(3) == null ? "{}" : encoded(named.group(3));
    return Optional.of(new Step("task", named.group(1), named.group(2), payload, Set.of()));
  }

  /** As it stands when it is no JSON. */
  private static String encoded(String payload) {
    try {
      return new JsonObject(payload).encode();
    } catch (DecodeException _) {
      return payload;
    }
  }
}
