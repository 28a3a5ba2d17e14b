package dev.holdfast.tasks.models;

import dev.holdfast.api.Message;
import dev.holdfast.api.ToolCall;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.tasks.ledger.TaskTalks;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a model has said at a task and what its calls have given, as it stands on disk. Not
 * thread-safe: one attempt at a time.
 */
final class Talk {
  private static final String SAID = "said";
  private static final String BEGAN = "began";
  private static final String GAVE = "gave";

  private final TaskTalks talks;
  private final String taskId;
  private final String agent;
  private final String level;
  private final List<Message> messages = new ArrayList<>();
  private final Set<String> begun = new HashSet<>();
  private long tokens;
  private int turns;

  /** Over all levels. */
  private int words;

  private Talk(TaskTalks talks, String taskId, String agent, String level) {
    this.talks = talks;
    this.taskId = taskId;
    this.agent = agent;
    this.level = level;
  }

  /**
   * @param level of the models that go on with it
   */
  static Talk open(TaskTalks talks, String taskId, String agent, String level) {
    Talk talk = new Talk(talks, taskId, agent, level);
    talks
        .read(taskId, agent)
        .forEach(entry -> talk.take(new JsonObject(entry.text()), entry.level().equals(level)));
    return talk;
  }

  private void take(JsonObject entry, boolean ofLevel) {
    if (entry.containsKey(SAID)) {
      JsonObject said = entry.getJsonObject(SAID);
      List<ToolCall> calls = new ArrayList<>();
      for (Object each : said.getJsonArray("calls")) {
        JsonObject call = (JsonObject) each;
        calls.add(
            new ToolCall(
                call.getString("id"), call.getString("tool"), call.getString("arguments")));
      }
      messages.add(
          new Message.Assistant(
              said.getString("text"), calls, said.getString("opaque"), said.getString("model")));
      words++;
      if (ofLevel) {
        tokens += said.getLong("tokens");
        turns++;
      }
    } else if (entry.containsKey(BEGAN)) {
      begun.add(entry.getString(BEGAN));
    } else {
      JsonObject gave = entry.getJsonObject(GAVE);
      messages.add(
          new Message.ToolResult(
              gave.getString("id"),
              gave.getString("tool"),
              gave.getString("text"),
              gave.getBoolean("error")));
    }
  }

  private void add(JsonObject entry) throws StoreException {
    talks.append(taskId, agent, level, entry.encode());
    take(entry, true);
  }

  void said(Message.Assistant message, long tokensUsed) throws StoreException {
    JsonArray calls = new JsonArray();
    message
        .toolCalls()
        .forEach(
            call ->
                calls.add(
                    new JsonObject()
                        .put("id", call.id())
                        .put("tool", call.tool())
                        .put("arguments", call.arguments())));
    add(
        new JsonObject()
            .put(
                SAID,
                new JsonObject()
                    .put("text", message.text())
                    .put("calls", calls)
                    .put("opaque", message.opaque())
                    .put("model", message.model())
                    .put("tokens", tokensUsed)));
  }

  /** A call is about to be made. */
  void began(ToolCall call) throws StoreException {
    add(new JsonObject().put(BEGAN, key(call)));
  }

  void gave(ToolCall call, String text, boolean isError) throws StoreException {
    add(
        new JsonObject()
            .put(
                GAVE,
                new JsonObject()
                    .put("id", call.id())
                    .put("tool", call.tool())
                    .put("text", text)
                    .put("error", isError)));
  }

  /** Models may give two calls one id: the turn tells them apart. */
  String key(ToolCall call) {
    return words + ":" + call.id();
  }

  boolean hasBegun(ToolCall call) {
    return begun.contains(key(call));
  }

  /** The calls of the newest word that have given nothing yet, in order. */
  List<ToolCall> pending() {
    int given = 0;
    for (Message message : messages.reversed()) {
      if (message instanceof Message.Assistant said) {
        return said.toolCalls().subList(given, said.toolCalls().size());
      }
      given++;
    }
    return List.of();
  }

  /** What the model said last, when it has called nothing with it. */
  Optional<String> answer() {
    return !messages.isEmpty()
            && messages.getLast() instanceof Message.Assistant said
            && said.toolCalls().isEmpty()
        ? Optional.of(said.text())
        : Optional.empty();
  }

  List<Message> messages() {
    return List.copyOf(messages);
  }

  /** How often models of the level were asked. */
  int turns() {
    return turns;
  }

  /** What they have used. */
  long tokens() {
    return tokens;
  }
}
