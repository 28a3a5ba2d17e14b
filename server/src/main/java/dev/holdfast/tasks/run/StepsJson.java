package dev.holdfast.tasks.run;

import dev.holdfast.tasks.rules.Step;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Steps as models write them. */
public final class StepsJson {
  /** The JSON schema of a list of steps. */
  public static final String SCHEMA =
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
         "required": ["name", "agent", "action"],
         "additionalProperties": false}}\
      """;

  private StepsJson() {}

  /** The steps of {@code object.steps}, as far as they are any; none without it. */
  public static List<Step> read(JsonObject object) {
    List<Step> steps = new ArrayList<>();
    for (Object each : object.getJsonArray("steps", new JsonArray())) {
      if (each instanceof JsonObject step) {
        Set<String> needs = new HashSet<>();
        step.getJsonArray("needs", new JsonArray())
            .forEach(need -> needs.add(String.valueOf(need)));
        steps.add(
            new Step(
                step.getString("name", "step-" + (steps.size() + 1)),
                step.getString("agent", ""),
                step.getString("action", ""),
                step.getJsonObject("payload", new JsonObject()).encode(),
                needs));
      }
    }
    return steps;
  }
}
