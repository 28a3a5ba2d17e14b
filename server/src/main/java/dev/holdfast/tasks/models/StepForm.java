package dev.holdfast.tasks.models;

import dev.holdfast.extensions.Texts;
import dev.holdfast.tasks.rules.HealthState;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tasks.workers.AgentAction;
import dev.holdfast.tasks.workers.WorkerAgent;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;

/** Steps as models write them, and the agents for that as models read of them. */
final class StepForm {
  /** The schema of a list of steps. */
  static final String STEPS =
      """
      {"type": "array", "minItems": 1, "maxItems": 10,
       "items": {"type": "object",
         "properties": {
           "name": {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,63}$"},
           "agent": {"type": "string", "minLength": 1, "maxLength": 64},
           "action": {"type": "string", "minLength": 1, "maxLength": 128},
           "payload": {"type": "object",
             "description": "What the action takes; ${name} or ${name.part} stands for the answer of an earlier step."},
           "needs": {"type": "array", "maxItems": 10, "items": {"type": "string"},
             "description": "The names of the steps that have to succeed first."}},
         "required": ["name", "agent", "action", "payload"],
         "additionalProperties": false}}\
      """;

  private static final int DESCRIPTION_SHOWN = 400;
  private static final int SCHEMA_SHOWN = 3000;
  private static final int ALL_SHOWN = 100_000;

  private StepForm() {}

  static List<Step> read(JsonArray given) {
    List<Step> steps = new ArrayList<>();
    for (Object each : given) {
      if (each instanceof JsonObject step) {
        Set<String> needs = new HashSet<>();
        step.getJsonArray("needs", new JsonArray())
            .forEach(need -> needs.add(String.valueOf(need)));
        steps.add(
            new Step(
                step.getString("name", ""),
                step.getString("agent", ""),
                step.getString("action", ""),
                step.getJsonObject("payload", new JsonObject()).encode(),
                needs));
      }
    }
    return steps;
  }

  /** The agents with their actions. */
  static String agents(List<WorkerAgent> agents, Function<String, HealthState> health) {
    StringBuilder text = new StringBuilder();
    for (WorkerAgent agent : agents) {
      if (text.length() > ALL_SHOWN) {
        text.append("\n(more agents than can be shown)");
        break;
      }
      text.append("\nAgent ")
          .append(agent.id())
          .append(" (")
          .append(health.apply(agent.id()).name().toLowerCase(Locale.ROOT))
          .append("):");
      agent.actions().forEach(action -> text.append("\n- ").append(line(action)));
    }
    return text.isEmpty() ? "\n(none)" : text.toString();
  }

  private static String line(AgentAction action) {
    return "%s (%s): %s\n  payload: %s"
        .formatted(
            action.name(),
            action.replay().name().toLowerCase(Locale.ROOT),
            Texts.cut(Texts.visible(action.description()), DESCRIPTION_SHOWN),
            Texts.cut(Texts.visible(action.schema()), SCHEMA_SHOWN));
  }

  /** A text of somebody else's, in a frame that it cannot leave. */
  static String framed(String what, String text) {
    return "<%1$s>\n%2$s\n</%1$s>"
        .formatted(what, Texts.visible(text).replace("</" + what, "<\\/" + what));
  }
}
