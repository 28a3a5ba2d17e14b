package dev.holdfast.ingress.api;

import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.plugins.PluginHost;
import dev.holdfast.plugins.PluginView;
import dev.holdfast.processes.GateCondition;
import dev.holdfast.store.ledgers.Audit;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Map;

/** What is asked of the plugins. */
final class PluginHostCalls {
  private final PluginHost host;
  private final OperatorAudit records;

  PluginHostCalls(PluginHost host, Audit audit) {
    this.host = host;
    this.records = new OperatorAudit(audit);
  }

  /** Changes a plugin; false when there is none of that id. */
  @FunctionalInterface
  private interface Change {
    boolean of(String id) throws IOException, InterruptedException;
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "listPlugins", _ -> plugins(),
        "enablePlugin", request -> changed(request, "plugin_enable", id -> host.enable(id, true)),
        "disablePlugin",
            request -> changed(request, "plugin_disable", id -> host.enable(id, false)),
        "approvePlugin", request -> changed(request, "plugin_approve", host::approve));
  }

  private ApiAnswer plugins() {
    JsonArray all = new JsonArray();
    host.plugins().forEach(plugin -> all.add(view(plugin)));
    JsonArray refused = new JsonArray();
    host.refusedFiles()
        .forEach(
            (file, reason) ->
                refused.add(new JsonObject().put("file", file).put("reason", reason)));
    return ApiAnswer.ok(
        new JsonObject()
            .put("folder", host.folder().toString())
            .put("plugins", all)
            .put("refused", refused));
  }

  private ApiAnswer changed(ApiRequest request, String what, Change change)
      throws RefusedRequestException, IOException, InterruptedException {
    if (!change.of(request.id())) {
      throw RefusedRequestException.unknown("no such plugin");
    }
    records.done(request, what, "", new JsonObject().put("id", request.id()));
    return host.plugins().stream()
        .filter(plugin -> plugin.id().equals(request.id()))
        .findFirst()
        .map(plugin -> ApiAnswer.ok(view(plugin)))
        .orElseThrow(() -> RefusedRequestException.unknown("no such plugin"));
  }

  private static JsonObject view(PluginView plugin) {
    JsonArray conditions = new JsonArray();
    for (GateCondition condition : plugin.conditions()) {
      conditions.add(
          new JsonObject()
              .put("needs", condition.needs())
              .put("met", condition.isMet())
              .put("step", condition.step()));
    }
    return new JsonObject()
        .put("id", plugin.id())
        .put("version", plugin.version())
        .put("description", plugin.description())
        .put("file", plugin.file())
        .put("state", plugin.state().label())
        .put("reason", plugin.reason())
        .put("since", plugin.since().toString())
        .put("conditions", conditions)
        .put("offers", new JsonArray(plugin.offers()))
        .put("uses", new JsonArray(plugin.uses()))
        .put("sha256", plugin.sha256())
        .put("signer", plugin.signer());
  }
}
