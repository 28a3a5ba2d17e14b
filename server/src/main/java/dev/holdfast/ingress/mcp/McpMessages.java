package dev.holdfast.ingress.mcp;

import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.RefusedRequestException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Answers the messages of clients of both eras of the protocol. It keeps nothing between them.
 * Thread-safe; blocks.
 */
final class McpMessages {
  private static final String MODERN = "2026-07-28";
  private static final String LEGACY = "2025-11-25";
  private static final List<String> VERSIONS = List.of(MODERN, LEGACY, "2025-06-18");
  private static final String META_VERSION = "io.modelcontextprotocol/protocolVersion";

  static final int NOT_JSON = -32700;
  private static final int INVALID_REQUEST = -32600;
  private static final int METHOD_NOT_FOUND = -32601;
  private static final int INVALID_PARAMS = -32602;
  private static final int UNSUPPORTED_VERSION = -32022;

  private static final String INSTRUCTIONS =
      "Holdfast is a chat-agent server. send_message talks to its agent; what is accepted is never"
          + " lost, so do not send a message again that is pending: read its story.";

  private final List<ServedTool> tools = ServedTool.all();
  private final Calls calls;
  private final String serverVersion;

  /** Runs tools. */
  @FunctionalInterface
  interface Calls {
    /** Returns the protocol's result; that a tool failed is one, too. */
    JsonObject call(Caller caller, ServedTool tool, JsonObject arguments)
        throws InterruptedException;
  }

  McpMessages(Calls calls, String serverVersion) {
    this.calls = calls;
    this.serverVersion = serverVersion;
  }

  /** {@code version}: what a client says with each request once it has been greeted, if it does. */
  static boolean isSpoken(@Nullable String version) {
    return version == null || VERSIONS.contains(version);
  }

  private Stream<ServedTool> of(Caller caller) {
    return tools.stream().filter(tool -> caller.scope().covers(tool.scope()));
  }

  /** Empty for what wants no answer. */
  Optional<JsonObject> answer(Caller caller, JsonObject message) throws InterruptedException {
    Object id = message.getValue("id");
    if (!"2.0".equals(message.getValue("jsonrpc"))) {
      return Optional.of(error(null, INVALID_REQUEST, "a message must have jsonrpc: \"2.0\""));
    }
    if (!(message.getValue("method") instanceof String method)) {
      if (message.containsKey("result") || message.containsKey("error")) {
        return Optional.empty(); // an answer, and nothing was asked
      }
      return Optional.of(error(id, INVALID_REQUEST, "a message must have a method"));
    }
    if (!message.containsKey("id")) {
      return Optional.empty();
    }
    if (!(id instanceof String || id instanceof Number)) {
      return Optional.of(error(null, INVALID_REQUEST, "an id must be a string or a number"));
    }
    JsonObject params =
        message.getValue("params") instanceof JsonObject given ? given : new JsonObject();
    Object asked =
        params.getValue("_meta") instanceof JsonObject meta ? meta.getValue(META_VERSION) : null;
    if (asked != null && !VERSIONS.contains(asked)) {
      JsonObject data =
          new JsonObject().put("supported", new JsonArray(VERSIONS)).put("requested", asked);
      JsonObject error = error(id, UNSUPPORTED_VERSION, "this version is not supported");
      error.getJsonObject("error").put("data", data);
      return Optional.of(error);
    }
    return Optional.of(
        switch (method) {
          case "initialize" -> result(id, greeting(params));
          case "server/discover" -> result(id, discovered());
          case "ping" -> result(id, new JsonObject());
          case "tools/list" -> result(id, listed(caller));
          case "tools/call" -> called(caller, id, params);
          default -> error(id, METHOD_NOT_FOUND, "there is no " + method);
        });
  }

  private JsonObject greeting(JsonObject params) {
    Object wanted = params.getValue("protocolVersion");
    boolean isKnown = wanted != null && VERSIONS.contains(wanted) && !MODERN.equals(wanted);
    return new JsonObject()
        .put("protocolVersion", isKnown ? wanted : LEGACY)
        .put("capabilities", capabilities())
        .put("serverInfo", info())
        .put("instructions", INSTRUCTIONS);
  }

  private JsonObject discovered() {
    return new JsonObject()
        .put("resultType", "complete")
        .put("supportedVersions", new JsonArray(VERSIONS))
        .put("capabilities", capabilities())
        .put("instructions", INSTRUCTIONS)
        .put("ttlMs", 0)
        .put("cacheScope", "private")
        .put("_meta", new JsonObject().put("io.modelcontextprotocol/serverInfo", info()));
  }

  private static JsonObject capabilities() {
    return new JsonObject().put("tools", new JsonObject());
  }

  private JsonObject info() {
    return new JsonObject()
        .put("name", "holdfast")
        .put("title", "Holdfast")
        .put("version", serverVersion);
  }

  private JsonObject listed(Caller caller) {
    JsonArray list = new JsonArray();
    of(caller).forEach(tool -> list.add(tool.view()));
    return new JsonObject()
        .put("resultType", "complete")
        .put("tools", list)
        .put("ttlMs", 0)
        .put("cacheScope", "private");
  }

  private JsonObject called(Caller caller, Object id, JsonObject params)
      throws InterruptedException {
    Object name = params.getValue("name");
    Optional<ServedTool> tool = of(caller).filter(each -> each.name().equals(name)).findFirst();
    if (tool.isEmpty()) {
      return error(id, INVALID_PARAMS, "there is no tool " + name + " for this token");
    }
    Object given = params.getValue("arguments");
    if (given != null && !(given instanceof JsonObject)) {
      return error(id, INVALID_PARAMS, "arguments must be an object");
    }
    JsonObject arguments = given instanceof JsonObject object ? object : new JsonObject();
    try {
      tool.get().check(arguments, arguments.encode().length());
    } catch (RefusedRequestException refused) {
      return error(id, INVALID_PARAMS, refused.said());
    }
    return result(id, calls.call(caller, tool.get(), arguments));
  }

  private static JsonObject result(@Nullable Object id, JsonObject result) {
    return new JsonObject().put("jsonrpc", "2.0").put("id", id).put("result", result);
  }

  static JsonObject error(@Nullable Object id, int code, String message) {
    return new JsonObject()
        .put("jsonrpc", "2.0")
        .put("id", id)
        .put("error", new JsonObject().put("code", code).put("message", message));
  }
}
