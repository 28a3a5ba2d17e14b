package dev.holdfast.ingress.api;

import dev.holdfast.extensions.ExtensionView;
import dev.holdfast.extensions.Extensions;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.ledgers.Audit;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;

/** What is asked of the extensions. */
final class ExtensionRequests {
  private final Extensions extensions;
  private final OperatorAudit records;

  ExtensionRequests(Extensions extensions, Audit audit) {
    this.extensions = extensions;
    this.records = new OperatorAudit(audit);
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "listExtensions",
        _ -> list(),
        "getExtension",
        request -> ApiAnswer.ok(view(find(request))),
        "getExtensionLog",
        this::log,
        "restartExtension",
        this::restart);
  }

  private ApiAnswer list() {
    JsonArray all = new JsonArray();
    extensions.views().forEach(view -> all.add(view(view)));
    return ApiAnswer.ok(new JsonObject().put("extensions", all));
  }

  private ApiAnswer log(ApiRequest request) throws RefusedRequestException {
    JsonArray lines =
        extensions.logs(request.id()).map(JsonArray::new).orElseThrow(ExtensionRequests::unknown);
    return ApiAnswer.ok(new JsonObject().put("id", request.id()).put("lines", lines));
  }

  private ApiAnswer restart(ApiRequest request) throws RefusedRequestException {
    String id = find(request).id();
    if (!extensions.restart(id)) {
      throw unknown();
    }
    records.done(request, "extension_restart", "", new JsonObject().put("id", id));
    return ApiAnswer.ok(new JsonObject().put("id", id).put("restarting", true));
  }

  private ExtensionView find(ApiRequest request) throws RefusedRequestException {
    return extensions.view(request.id()).orElseThrow(ExtensionRequests::unknown);
  }

  private static RefusedRequestException unknown() {
    return RefusedRequestException.unknown("no such extension");
  }

  private static JsonObject view(ExtensionView extension) {
    Instant next = extension.nextAttemptAt();
    return new JsonObject()
        .put("id", extension.id())
        .put("source", extension.source())
        .put("protocol", extension.protocol().name().toLowerCase(Locale.ROOT))
        .put("state", extension.state().name().toLowerCase(Locale.ROOT))
        .put("server", extension.server())
        .put("tools", new JsonArray(extension.tools()))
        .put("refused", new JsonArray(extension.refused()))
        .put("restarts", extension.restarts())
        .put("strays", extension.strays())
        .put("last_error", extension.lastError())
        .put("next_attempt_at", next == null ? null : next.toString());
  }
}
