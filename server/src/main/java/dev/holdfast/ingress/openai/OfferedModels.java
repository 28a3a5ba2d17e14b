package dev.holdfast.ingress.openai;

import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.models.Models;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** The names that a client may give as its model: the agent, and the levels that are allowed. */
final class OfferedModels {
  /** The agent itself. */
  static final String AGENT = "holdfast";

  private final Models models;
  private final Supplier<Set<String>> allowed;
  private final Instant since;

  /**
   * @param allowed the levels whose models may be asked without the agent
   * @param since what the list says that they were made at
   */
  OfferedModels(Models models, Supplier<Set<String>> allowed, Instant since) {
    this.models = models;
    this.allowed = allowed;
    this.since = since;
  }

  JsonObject list() {
    JsonArray all = new JsonArray();
    names().forEach(name -> all.add(view(name)));
    return new JsonObject().put("object", "list").put("data", all);
  }

  JsonObject find(String name) throws RefusedRequestException {
    check(name);
    return view(name);
  }

  private JsonObject view(String name) {
    return new JsonObject()
        .put("id", name)
        .put("object", "model")
        .put("created", since.getEpochSecond())
        .put("owned_by", AGENT);
  }

  private List<String> names() {
    List<String> names = new ArrayList<>(List.of(AGENT));
    models.levels().stream().filter(allowed.get()::contains).forEach(names::add);
    return names;
  }

  /** The model of a request. */
  String of(JsonObject body) throws RefusedRequestException {
    if (!(body.getValue("model") instanceof String model)) {
      throw OpenAiErrors.parameter("model", "missing_required_parameter", "model is missing");
    }
    check(model);
    return model;
  }

  private void check(String model) throws RefusedRequestException {
    if (!names().contains(model)) {
      throw OpenAiErrors.unknown(
          "model",
          "model_not_found",
          "there is no model " + model + "; there are " + String.join(", ", names()));
    }
  }

  /**
   * Whose models answer what the agent does not.
   *
   * @throws RefusedRequestException when the agent was asked for and its level is not allowed
   */
  String levelOf(String model) throws RefusedRequestException {
    String level = model.equals(AGENT) ? models.defaultLevel() : model;
    if (!allowed.get().contains(level)) {
      throw OpenAiErrors.invalid(
          "model",
          "this server answers in conversations only: name one, for example in the header"
              + " X-Holdfast-Thread");
    }
    return level;
  }
}
