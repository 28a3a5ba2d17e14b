package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of an MCP server, in the form of its era. Servers before 2026-07-28 are greeted
 * with {@code initialize}; one that refuses that is asked with {@code server/discover}.
 * Thread-safe.
 *
 * @param server its own name and version, as it says
 */
record McpClient(McpSession session, Era era, String server, Features features) {
  /** What it has besides tools. */
  record Features(boolean prompts, boolean resources) {
    private static Features of(@Nullable Object capabilities) {
      return capabilities instanceof JsonObject declared
          ? new Features(
              declared.getValue("prompts") instanceof JsonObject,
              declared.getValue("resources") instanceof JsonObject)
          : new Features(false, false);
    }
  }

  /** The two families of the protocol's versions. */
  enum Era {
    /** Begins with a handshake; the server may send requests. */
    HANDSHAKE("2025-11-25"),
    /** Each request says its version; the server sends none. */
    STATELESS("2026-07-28");

    private final String version;

    Era(String version) {
      this.version = version;
    }
  }

  /** Older versions of the first era that differ in nothing that is used here. */
  private static final Set<String> KNOWN =
      Set.of("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25");

  private static final String META = "io.modelcontextprotocol/";
  private static final int PAGES_MAX = 64;

  /** What comes after so many is not read: no model could be offered them. */
  private static final int LISTED_MAX = 10_000;

  /** Nor is what comes after so much text. */
  private static final long LISTED_UNITS_MAX = 16L << 20;

  /** Greets the server. */
  static McpClient connect(McpSession session, Duration timeout)
      throws CallFailedException, InterruptedException {
    try {
      return initialize(session, timeout);
    } catch (CallFailedException e) {
      if (!e.failure().context().containsKey(ExtensionTool.REPORTED_BY_EXTENSION)) {
        throw e;
      }
    }
    return discover(session, timeout);
  }

  private static McpClient initialize(McpSession session, Duration timeout)
      throws CallFailedException, InterruptedException {
    JsonObject result =
        session.request(
            "initialize",
            introduced( // for a server of the newer era, which wants that of each request
                new JsonObject()
                    .put("protocolVersion", Era.HANDSHAKE.version)
                    .put("capabilities", capabilities())
                    .put("clientInfo", clientInfo())),
            timeout,
            McpClient::ignore);
    String version = String.valueOf(result.getValue("protocolVersion"));
    if (version.equals(Era.STATELESS.version)) {
      return discover(session, timeout); // it greets, but speaks the newer era alone
    }
    if (!KNOWN.contains(version)) {
      throw new CallFailedException(
          session.malformed("speaks an unknown version of the protocol").as(FailureKind.PERMANENT));
    }
    session.agreed(version);
    session.notify("notifications/initialized", new JsonObject());
    return new McpClient(
        session,
        Era.HANDSHAKE,
        serverName(result.getValue("serverInfo")),
        Features.of(result.getValue("capabilities")));
  }

  private static McpClient discover(McpSession session, Duration timeout)
      throws CallFailedException, InterruptedException {
    McpClient client = new McpClient(session, Era.STATELESS, "", new Features(false, false));
    JsonObject result = client.ask("server/discover", new JsonObject(), timeout, McpClient::ignore);
    if (!(result.getValue("supportedVersions") instanceof JsonArray versions)
        || !versions.contains(Era.STATELESS.version)) {
      throw new CallFailedException(
          session.malformed("speaks an unknown version of the protocol").as(FailureKind.PERMANENT));
    }
    Features features = Features.of(result.getValue("capabilities"));
    JsonObject heard = new JsonObject().put("toolsListChanged", true);
    if (features.prompts()) {
      heard.put("promptsListChanged", true);
    }
    if (features.resources()) {
      heard.put("resourcesListChanged", true);
    }
    JsonObject changes = new JsonObject().put("notifications", heard);
    session.subscribe("subscriptions/listen", introduced(changes));
    Object meta = result.getValue("_meta");
    Object info = meta instanceof JsonObject object ? object.getValue(META + "serverInfo") : null;
    return new McpClient(session, Era.STATELESS, serverName(info), features);
  }

  private static String serverName(@Nullable Object info) {
    return info instanceof JsonObject object
        ? Texts.cut(object.getValue("name") + " " + object.getValue("version"), 200)
        : "";
  }

  private static void ignore(String progress) {}

  private static JsonObject clientInfo() {
    return new JsonObject().put("name", "holdfast").put("version", "1");
  }

  /** Forms can be put to people. */
  private static JsonObject capabilities() {
    return new JsonObject().put("elicitation", new JsonObject().put("form", new JsonObject()));
  }

  private JsonObject ask(
      String method, JsonObject parameters, Duration timeout, Consumer<String> progress)
      throws CallFailedException, InterruptedException {
    return ask(method, parameters, timeout, progress, McpInputs.NONE);
  }

  /**
   * Sends a request in the form of its era.
   *
   * @param timeout without the time in which a person is asked
   */
  JsonObject ask(
      String method,
      JsonObject parameters,
      Duration timeout,
      Consumer<String> progress,
      McpInputs inputs)
      throws CallFailedException, InterruptedException {
    return era == Era.HANDSHAKE
        ? session.request(method, parameters, timeout, progress, inputs)
        : InputRounds.run(
            parameters,
            inputs,
            session.end(),
            sent -> session.request(method, introduced(sent), timeout, progress));
  }

  private static JsonObject introduced(JsonObject parameters) {
    JsonObject meta = parameters.getJsonObject("_meta", new JsonObject()).copy();
    meta.put(META + "protocolVersion", Era.STATELESS.version)
        .put(META + "clientCapabilities", capabilities())
        .put(META + "clientInfo", clientInfo());
    return parameters.copy().put("_meta", meta);
  }

  /**
   * Its tools, of all pages.
   *
   * @param timeout for each page
   */
  ToolListing tools(Duration timeout) throws CallFailedException, InterruptedException {
    Map<String, ListedTool> tools = new LinkedHashMap<>();
    List<RefusedTool> refused = new ArrayList<>();
    AtomicLong units = new AtomicLong();
    list(
        "tools/list",
        "tools",
        timeout,
        each -> {
          Optional<RefusedTool> problem = ListedTool.problem(each).or(() -> uncallable(each));
          if (problem.isEmpty() && each instanceof JsonObject listed) {
            ListedTool tool = ListedTool.read(listed);
            units.addAndGet(tool.units());
            if (tools.putIfAbsent(tool.name(), tool) != null) {
              problem = Optional.of(new RefusedTool(tool.name(), "it is listed twice"));
            }
          }
          problem.ifPresent(refused::add);
          return tools.size() + refused.size() < LISTED_MAX && units.get() < LISTED_UNITS_MAX;
        });
    return new ToolListing(List.copyOf(tools.values()), refused);
  }

  /**
   * Goes through a list of all pages.
   *
   * @param key of what is listed in each page
   * @param timeout for each page
   * @param take takes one; false when it wants no more
   */
  void list(String method, String key, Duration timeout, Predicate<Object> take)
      throws CallFailedException, InterruptedException {
    String cursor = "";
    for (int page = 0; page < PAGES_MAX; page++) {
      JsonObject result = ask(method, from(cursor), timeout, McpClient::ignore);
      if (!(result.getValue(key) instanceof JsonArray listed)) {
        throw new CallFailedException(session.malformed("listed no " + key));
      }
      for (Object each : listed) {
        if (!take.test(each)) {
          return;
        }
      }
      if (!(result.getValue("nextCursor") instanceof String next) || next.isEmpty()) {
        return;
      }
      cursor = next;
    }
  }

  private static JsonObject from(String cursor) {
    return cursor.isEmpty() ? new JsonObject() : new JsonObject().put("cursor", cursor);
  }

  /** In the newer era a tool must not be called whose arguments cannot be told as headers. */
  private Optional<RefusedTool> uncallable(@Nullable Object listed) {
    return era == Era.STATELESS
            && listed instanceof JsonObject tool
            && tool.getValue("inputSchema") instanceof JsonObject schema
            && !ParameterHeaders.areValid(schema)
        ? Optional.of(new RefusedTool(tool.getString("name"), "its x-mcp-header is not valid"))
        : Optional.empty();
  }

  /**
   * Calls a tool.
   *
   * @param key the same for each run of one call, for a server that wants to know a repetition
   */
  JsonObject call(
      String tool,
      JsonObject arguments,
      String key,
      Duration timeout,
      Consumer<String> progress,
      McpInputs inputs)
      throws CallFailedException, InterruptedException {
    JsonObject asked =
        new JsonObject()
            .put("name", tool)
            .put("arguments", arguments)
            .put("_meta", new JsonObject().put("dev.holdfast/idempotencyKey", key));
    return ask("tools/call", asked, timeout, progress, inputs);
  }

  /**
   * A page of its resources.
   *
   * @param cursor empty for the first one
   */
  JsonObject resources(String cursor, Duration timeout)
      throws CallFailedException, InterruptedException {
    return ask("resources/list", from(cursor), timeout, McpClient::ignore);
  }

  /** Reads a resource. */
  JsonObject resource(String uri, Duration timeout, McpInputs inputs)
      throws CallFailedException, InterruptedException {
    return ask(
        "resources/read", new JsonObject().put("uri", uri), timeout, McpClient::ignore, inputs);
  }

  /** What a prompt stands for. */
  JsonObject prompt(String name, JsonObject arguments, Duration timeout)
      throws CallFailedException, InterruptedException {
    JsonObject asked = new JsonObject().put("name", name).put("arguments", arguments);
    return ask("prompts/get", asked, timeout, McpClient::ignore);
  }

  /** Whether it answers at all; an error is an answer too, and so is that we ask too often. */
  boolean answers(Duration timeout) throws InterruptedException {
    try {
      ask(
          era == Era.HANDSHAKE ? "ping" : "server/discover",
          new JsonObject(),
          timeout,
          McpClient::ignore);
      return true;
    } catch (CallFailedException e) {
      Failure failure = e.failure();
      return failure.context().containsKey(ExtensionTool.REPORTED_BY_EXTENSION)
          || failure.code() == FailureCode.RATE_LIMITED;
    }
  }
}
