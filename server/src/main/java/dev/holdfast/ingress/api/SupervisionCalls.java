package dev.holdfast.ingress.api;

import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.supervision.Strategy;
import dev.holdfast.supervision.SupervisionNode;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** Shows who watches over whom. */
final class SupervisionCalls {
  private final Supplier<SupervisionNode> tree;

  SupervisionCalls(Supplier<SupervisionNode> tree) {
    this.tree = tree;
  }

  Map<String, ApiCall> calls() {
    return Map.of("getSupervision", _ -> ApiAnswer.ok(view(tree.get())));
  }

  private static JsonObject view(SupervisionNode node) {
    Strategy strategy = node.strategy();
    Instant failedAt = node.failedAt();
    JsonArray children = new JsonArray();
    node.children().forEach(child -> children.add(view(child)));
    return new JsonObject()
        .put("name", node.name())
        .put("strategy", strategy == null ? null : strategy.label())
        .put("criticality", node.criticality().name().toLowerCase(Locale.ROOT))
        .put("state", node.state())
        .put("restarts", node.restarts())
        .put(
            "last_failure",
            node.code().isEmpty()
                ? null
                : new JsonObject()
                    .put("code", node.code())
                    .put("message", node.message())
                    .put("at", failedAt == null ? null : failedAt.toString()))
        .put("needs", new JsonArray(node.needs()))
        .put("children", children);
  }
}
