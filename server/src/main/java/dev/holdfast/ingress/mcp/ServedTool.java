package dev.holdfast.ingress.mcp;

import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.tools.schema.JsonSchema;
import dev.holdfast.tools.schema.SchemaRefusedException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An operation of the API as a tool.
 *
 * @param operation its name in the contract
 * @param scope what the contract asks for, too
 * @param idArgument the argument that is the id in the path; empty when there is none
 * @param isLarge whether its answer is booked in memory before it is made
 */
record ServedTool(
    String name,
    String operation,
    String description,
    Scope scope,
    String idArgument,
    boolean isLarge,
    JsonObject schema,
    JsonSchema judge) {
  private static final String KEY = "key";
  private static final JsonObject TEXT = new JsonObject().put("type", "string");
  private static final JsonObject ID = TEXT.copy().put("minLength", 1).put("maxLength", 1000);
  private static final JsonObject LIMIT =
      new JsonObject().put("type", "integer").put("minimum", 1).put("maximum", 100);

  /** All of them, in the order in which they are listed. */
  static List<ServedTool> all() {
    return List.of(
        reading("list_threads", "listThreads", "", "The chat threads, the newest first.")
            .with("limit", LIMIT)
            .with("after", ID),
        reading("read_thread", "getThreadLog", "thread", "What was said in a chat thread.")
            .with("limit", LIMIT)
            .with("before", ID),
        tool(
                "send_message",
                "chat",
                "",
                "Sends a message to the agent and waits a while for its answer. It is on disk"
                    + " before this returns. Without a thread it begins one; with the status"
                    + " pending the answer comes later: ask for the story of its event. What is"
                    + " listed under approvals waits for a person's decision first. A call with the"
                    + " same key is the same message: give one, and repeat a call that failed.",
                Scope.CHAT,
                false)
            .with("text", TEXT.copy().put("minLength", 1).put("maxLength", 1_048_576), true)
            .with("thread", ID)
            .with(KEY, TEXT.copy().put("pattern", "^[!-~]{1,255}$")),
        reading(
            "story",
            "getEvent",
            "event",
            "The whole story of a message: when it was accepted, its turns, model calls, tool calls"
                + " and replies."),
        reading("list_approvals", "listApprovals", "", "Tool calls that wait for a person.")
            .with("state", words("waiting", "approved", "denied", "expired", "used", "all"))
            .with("thread", ID)
            .with("limit", LIMIT),
        tool("approve", "approve", "approval", "Lets a tool call run, once.", Scope.CHAT, false),
        tool("deny", "deny", "approval", "Keeps a tool call from running.", Scope.CHAT, false),
        reading("list_schedules", "listSchedules", "", "What the agent will do at set times.")
            .with("thread", ID)
            .with("limit", LIMIT),
        tool(
            "cancel_schedule",
            "cancelSchedule",
            "schedule",
            "Cancels what the agent would do at a set time.",
            Scope.ADMIN,
            false),
        reading(
                "list_dead_letters",
                "listDeadLetters",
                "",
                "Messages, replies and tasks that were given up, and why.")
            .with("kind", words("event", "reply", "task", "bus"))
            .with("limit", LIMIT),
        tool(
            "replay_dead_letter",
            "replayDeadLetter",
            "letter",
            "Tries again what was given up.",
            Scope.ADMIN,
            false));
  }

  private static ServedTool reading(
      String name, String operation, String idArgument, String description) {
    return tool(name, operation, idArgument, description, Scope.READ, true);
  }

  private static ServedTool tool(
      String name,
      String operation,
      String idArgument,
      String description,
      Scope scope,
      boolean isLarge) {
    JsonObject nothing =
        new JsonObject()
            .put("type", "object")
            .put("properties", new JsonObject())
            .put("required", new JsonArray())
            .put("additionalProperties", false);
    ServedTool tool =
        new ServedTool(
            name, operation, description, scope, idArgument, isLarge, nothing, judge(nothing));
    return idArgument.isEmpty() ? tool : tool.with(idArgument, ID, true);
  }

  private static JsonObject words(String... words) {
    return TEXT.copy().put("enum", new JsonArray(List.of(words)));
  }

  private ServedTool with(String argument, JsonObject type) {
    return with(argument, type, false);
  }

  private ServedTool with(String argument, JsonObject type, boolean isRequired) {
    JsonObject wider = schema.copy();
    wider.getJsonObject("properties").put(argument, type.copy());
    if (isRequired) {
      wider.getJsonArray("required").add(argument);
    }
    return new ServedTool(
        name, operation, description, scope, idArgument, isLarge, wider, judge(wider));
  }

  private static JsonSchema judge(JsonObject schema) {
    try {
      return JsonSchema.read(new JsonObject(schema.encode())); // of plain maps and lists
    } catch (SchemaRefusedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** As a client sees it. */
  JsonObject view() {
    boolean isReading = scope == Scope.READ;
    return new JsonObject()
        .put("name", name)
        .put("description", description)
        .put("inputSchema", schema.copy())
        .put(
            "annotations",
            new JsonObject()
                .put("readOnlyHint", isReading)
                .put("destructiveHint", !isReading && scope == Scope.ADMIN)
                .put("openWorldHint", false));
  }

  /**
   * @throws RefusedRequestException 400 with all that is wrong
   */
  void check(JsonObject arguments, int length) throws RefusedRequestException {
    List<String> problems = judge.problems(arguments, length);
    if (!problems.isEmpty()) {
      throw RefusedRequestException.invalid(problems);
    }
  }

  /** The parameters of the operation's path. */
  Map<String, String> path(JsonObject arguments) {
    return idArgument.isEmpty() ? Map.of() : Map.of("id", arguments.getString(idArgument));
  }

  /** The parameters of the operation's query. */
  Map<String, String> query(JsonObject arguments) {
    Map<String, String> query = new HashMap<>();
    if (scope == Scope.READ) {
      arguments.forEach(
          each -> {
            if (!each.getKey().equals(idArgument)) {
              query.put(each.getKey(), String.valueOf(each.getValue()));
            }
          });
    }
    return query;
  }

  /** By which a call that is made again is the same one; empty when it has none. */
  String key(JsonObject arguments) {
    return arguments.getString(KEY, "");
  }

  /** The body of the operation. */
  JsonObject body(JsonObject arguments) {
    if (!operation.equals("chat")) {
      return new JsonObject();
    }
    return new JsonObject()
        .put("message", arguments.getString("text"))
        .put("context", new JsonObject().put("thread_id", arguments.getString("thread", "")));
  }
}
