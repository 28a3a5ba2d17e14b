package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import dev.holdfast.extensions.ExtensionView;
import dev.holdfast.extensions.Extensions;
import dev.holdfast.extensions.HeldTool;
import dev.holdfast.extensions.ToolText;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.ledgers.Audit;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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
        request -> ApiAnswer.ok(view(find(request), true)),
        "getExtensionLog",
        this::log,
        "restartExtension",
        this::restart,
        "approveExtension",
        this::approve);
  }

  private ApiAnswer list() {
    JsonArray all = new JsonArray();
    extensions.views().forEach(view -> all.add(view(view, false)));
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

  private ApiAnswer approve(ApiRequest request) throws RefusedRequestException {
    ExtensionView before = find(request);
    String seen = Objects.requireNonNullElse(request.bodyText("listing"), "");
    if (!extensions.approve(before.id(), seen)) {
      throw new RefusedRequestException(
          409,
          FailureCode.INVALID_REQUEST,
          "it lists other tools than those that were looked at, or none yet");
    }
    JsonArray tools = new JsonArray();
    before.held().forEach(tool -> tools.add(tool.name()));
    JsonObject what =
        new JsonObject()
            .put("id", before.id())
            .put("listing", before.listing())
            .put("tools", tools);
    records.done(request, "extension_approve", "", what);
    return ApiAnswer.ok(view(find(request), true));
  }

  private ExtensionView find(ApiRequest request) throws RefusedRequestException {
    return extensions.view(request.id()).orElseThrow(ExtensionRequests::unknown);
  }

  private static RefusedRequestException unknown() {
    return RefusedRequestException.unknown("no such extension");
  }

  private static JsonArray held(ExtensionView extension, boolean isWhole) {
    JsonArray held = new JsonArray();
    for (HeldTool tool : extension.held()) {
      JsonObject shown =
          new JsonObject()
              .put("name", tool.name())
              .put("change", tool.isNew() ? "new" : "changed")
              .put("parts", new JsonArray(tool.changed()));
      if (isWhole) {
        ToolText before = tool.before();
        shown.put("before", before == null ? null : text(before)).put("now", text(tool.now()));
      }
      held.add(shown);
    }
    return held;
  }

  private static JsonObject text(ToolText tool) {
    return new JsonObject()
        .put("description", tool.description())
        .put("schema", tool.schema())
        .put("result_schema", tool.resultSchema())
        .put("annotations", tool.annotations());
  }

  /** {@code isWhole}: with all that is to be approved. */
  private static JsonObject view(ExtensionView extension, boolean isWhole) {
    return new JsonObject()
        .put("id", extension.id())
        .put("source", extension.source())
        .put("protocol", extension.protocol().name().toLowerCase(Locale.ROOT))
        .put("state", extension.state().name().toLowerCase(Locale.ROOT))
        .put("server", extension.server())
        .put("target", new JsonArray(extension.target()))
        .put("tools", new JsonArray(extension.tools()))
        .put("refused", new JsonArray(extension.refused()))
        .put("held", held(extension, isWhole))
        .put("listing", extension.listing())
        .put("restarts", extension.restarts())
        .put("strays", extension.strays())
        .put("memory_bytes", extension.memoryBytes())
        .put("last_error", extension.lastError())
        .put("last_error_at", shown(extension.lastErrorAt()))
        .put("next_attempt_at", shown(extension.nextAttemptAt()));
  }

  private static @Nullable String shown(@Nullable Instant at) {
    return at == null ? null : at.toString();
  }
}
