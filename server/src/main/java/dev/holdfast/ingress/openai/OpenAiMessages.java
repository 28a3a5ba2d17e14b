package dev.holdfast.ingress.openai;

import dev.holdfast.api.Message;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.models.ModelQuestion;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The conversation and the tools that a client sends, in either of the two protocols' forms. */
final class OpenAiMessages {
  private static final String CHOICE = "tool_choice";
  private static final String EMPTY_SCHEMA = "{\"type\":\"object\",\"properties\":{}}";

  private final List<String> system = new ArrayList<>();
  private final List<Message> messages = new ArrayList<>();

  /** What each message of a person brings. */
  private final IdentityHashMap<Message.User, SentFiles> files = new IdentityHashMap<>();

  /** The tool of each call so far: a result names its call alone. */
  private final Map<String, String> toolOf = new HashMap<>();

  private OpenAiMessages() {}

  /** Of {@code messages} of a chat completion. */
  static OpenAiMessages ofChat(JsonObject body) throws RefusedRequestException {
    if (!(body.getValue("messages") instanceof JsonArray given) || given.isEmpty()) {
      throw OpenAiErrors.invalid("messages", "messages must be a list with at least one message");
    }
    OpenAiMessages read = new OpenAiMessages();
    for (int i = 0; i < given.size(); i++) {
      read.addChat(object(given, i, "messages"), "messages[" + i + "]");
    }
    return read;
  }

  /** Of {@code instructions} and {@code input} of a response. */
  static OpenAiMessages ofResponse(JsonObject body) throws RefusedRequestException {
    OpenAiMessages read = new OpenAiMessages();
    if (body.getValue("instructions") instanceof String instructions) {
      read.system.add(instructions);
    }
    Object input = body.getValue("input");
    if (input instanceof String text) {
      read.messages.add(new Message.User(text));
      return read;
    }
    if (!(input instanceof JsonArray items) || items.isEmpty()) {
      throw OpenAiErrors.invalid("input", "input must be a text or a list with at least one item");
    }
    for (int i = 0; i < items.size(); i++) {
      read.addItem(object(items, i, "input"), "input[" + i + "]");
    }
    return read;
  }

  private static JsonObject object(JsonArray list, int i, String param)
      throws RefusedRequestException {
    if (list.getValue(i) instanceof JsonObject object) {
      return object;
    }
    throw OpenAiErrors.invalid(param + "[" + i + "]", param + "[" + i + "] must be an object");
  }

  private void addChat(JsonObject message, String at) throws RefusedRequestException {
    String role = text(message, "role");
    switch (role) {
      case "assistant" -> {
        List<ToolCall> calls = new ArrayList<>();
        JsonArray given = list(message, "tool_calls", at);
        for (int i = 0; i < given.size(); i++) {
          JsonObject call = object(given, i, at + ".tool_calls");
          if (!(call.getValue("function") instanceof JsonObject function)) {
            throw OpenAiErrors.invalid(at, at + ".tool_calls[" + i + "] must be of a function");
          }
          String place = at + ".tool_calls[" + i + "]";
          calls.add(call(required(call, "id", place), function, place + ".function"));
        }
        messages.add(new Message.Assistant(said(message, at), calls, "", ""));
      }
      case "tool" ->
          result(required(message, "tool_call_id", at), content(message, "content", at), at);
      default -> addMessage(role, message, at);
    }
  }

  private void addItem(JsonObject item, String at) throws RefusedRequestException {
    String type = item.getValue("type") == null ? "message" : required(item, "type", at);
    switch (type) {
      case "message" -> addMessage(text(item, "role"), item, at);
      case "function_call" -> addCall(call(required(item, "call_id", at), item, at));
      case "function_call_output" ->
          result(required(item, "call_id", at), content(item, "output", at), at);
      case "reasoning" -> {} // of another model: none of ours can use it
      default ->
          throw OpenAiErrors.invalid(at + ".type", "items of type " + type + " are not supported");
    }
  }

  private void addMessage(String role, JsonObject message, String at)
      throws RefusedRequestException {
    switch (role) {
      case "system", "developer" -> system.add(content(message, "content", at));
      case "user" -> {
        SentFiles sent = new SentFiles();
        Message.User said = new Message.User(content(message, "content", at, sent));
        messages.add(said);
        files.put(said, sent);
      }
      case "assistant" -> messages.add(new Message.Assistant(said(message, at), List.of(), "", ""));
      default -> throw OpenAiErrors.invalid(at + ".role", "there is no role '" + role + "'");
    }
  }

  /** Calls that a model made at once belong to one of its messages. */
  private void addCall(ToolCall call) {
    if (!messages.isEmpty() && messages.getLast() instanceof Message.Assistant before) {
      List<ToolCall> calls = new ArrayList<>(before.toolCalls());
      calls.add(call);
      messages.set(messages.size() - 1, new Message.Assistant(before.text(), calls, "", ""));
    } else {
      messages.add(new Message.Assistant("", List.of(call), "", ""));
    }
  }

  private ToolCall call(String id, JsonObject function, String at) throws RefusedRequestException {
    String name = required(function, "name", at);
    toolOf.put(id, name);
    String arguments = required(function, "arguments", at);
    return new ToolCall(id, name, arguments.isBlank() ? "{}" : arguments);
  }

  private void result(String callId, String text, String at) throws RefusedRequestException {
    String tool = toolOf.get(callId);
    if (tool == null) {
      throw OpenAiErrors.invalid(at, at + " answers the call '" + callId + "', which is not there");
    }
    messages.add(new Message.ToolResult(callId, tool, text, false));
  }

  /** Of a model: it may have said nothing, but made calls. */
  private static String said(JsonObject message, String at) throws RefusedRequestException {
    return message.getValue("content") == null ? "" : content(message, "content", at);
  }

  /** A text, or parts of which each is one. */
  private static String content(JsonObject message, String name, String at)
      throws RefusedRequestException {
    SentFiles none = new SentFiles();
    String text = content(message, name, at, none);
    if (!none.isEmpty()) {
      throw OpenAiErrors.invalid(none.place(), "only the user's messages may have files");
    }
    return text;
  }

  /** As the other; {@code sent} takes the parts that are no text. */
  private static String content(JsonObject message, String name, String at, SentFiles sent)
      throws RefusedRequestException {
    Object content = message.getValue(name);
    if (content instanceof String text) {
      return text;
    }
    if (!(content instanceof JsonArray parts)) {
      String place = at + "." + name;
      throw OpenAiErrors.invalid(place, place + " must be a text or a list");
    }
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      JsonObject part = object(parts, i, at + "." + name);
      String place = at + "." + name + "[" + i + "]";
      String type = text(part, "type");
      switch (type) {
        case "text", "input_text", "output_text" -> texts.add(required(part, "text", place));
        case "refusal" -> texts.add(required(part, "refusal", place));
        default -> {
          if (!SentFiles.isType(type)) {
            throw OpenAiErrors.invalid(
                place, "content of type '" + type + "' is not supported here");
          }
          sent.add(type, part, place);
        }
      }
    }
    return String.join("\n", texts);
  }

  private static JsonArray list(JsonObject object, String name, String at)
      throws RefusedRequestException {
    Object value = object.getValue(name);
    if (value == null) {
      return new JsonArray();
    }
    if (value instanceof JsonArray list) {
      return list;
    }
    String place = at.isEmpty() ? name : at + "." + name;
    throw OpenAiErrors.invalid(place, place + " must be a list");
  }

  private static String required(JsonObject object, String name, String at)
      throws RefusedRequestException {
    if (object.getValue(name) instanceof String text) {
      return text;
    }
    throw OpenAiErrors.invalid(at + "." + name, at + "." + name + " must be a text");
  }

  private static String text(JsonObject object, String name) {
    return object.getValue(name) instanceof String text ? text : "";
  }

  /**
   * The tools of the client; none when it forbids their use.
   *
   * @throws RefusedRequestException for a use that no model can be held to
   */
  static List<ToolSpec> tools(JsonObject body) throws RefusedRequestException {
    JsonArray given = list(body, "tools", "");
    List<ToolSpec> tools = new ArrayList<>();
    for (int i = 0; i < given.size(); i++) {
      JsonObject tool = object(given, i, "tools");
      if (!"function".equals(tool.getValue("type"))) {
        throw OpenAiErrors.invalid("tools[" + i + "].type", "tools must be of the type function");
      }
      // A chat completion has them one level deeper.
      JsonObject function = tool.getValue("function") instanceof JsonObject inner ? inner : tool;
      String name = text(function, "name");
      if (!name.matches("[A-Za-z0-9_-]{1,64}")) {
        throw OpenAiErrors.invalid(
            "tools[" + i + "].name", "a tool's name must be 1 to 64 letters, digits, _ or -");
      }
      tools.add(new ToolSpec(name, text(function, "description"), schema(function)));
    }
    return isForbidden(body.getValue(CHOICE), tools) ? List.of() : tools;
  }

  private static boolean isForbidden(@Nullable Object choice, List<ToolSpec> tools)
      throws RefusedRequestException {
    if (choice == null || choice.equals("auto") || choice.equals("none")) {
      return "none".equals(choice);
    }
    if (choice instanceof JsonObject object && "function".equals(object.getValue("type"))) {
      JsonObject function =
          object.getValue("function") instanceof JsonObject inner ? inner : object;
      String name = text(function, "name");
      if (tools.stream().noneMatch(tool -> tool.name().equals(name))) {
        throw OpenAiErrors.invalid(CHOICE, "tool_choice names '" + name + "', which is no tool");
      }
    } else if (!choice.equals("required") && !(choice instanceof JsonObject)) {
      throw OpenAiErrors.invalid(CHOICE, "tool_choice must be auto or none");
    }
    throw OpenAiErrors.unsupported(
        CHOICE, "no model can be held to a choice of tools: tool_choice must be auto or none");
  }

  private static String schema(JsonObject function) {
    return function.getValue("parameters") instanceof JsonObject parameters
        ? parameters.encode()
        : EMPTY_SCHEMA;
  }

  ModelQuestion question(List<ToolSpec> tools) throws RefusedRequestException {
    if (messages.isEmpty()) {
      throw OpenAiErrors.invalid("messages", "there is no message to answer");
    }
    for (Message message : messages) {
      SentFiles sent = filesOf(message);
      if (!sent.isEmpty()) {
        throw OpenAiErrors.invalid(
            sent.place(), "images and files need a conversation with the agent");
      }
    }
    return new ModelQuestion(String.join("\n\n", system), messages, tools);
  }

  /** What people wrote, and what came with it. */
  record PersonsWords(String text, SentFiles files) {}

  /** The last message, when a person wrote it. */
  @Nullable PersonsWords lastOfUser() {
    return !messages.isEmpty() && messages.getLast() instanceof Message.User user
        ? new PersonsWords(user.text(), filesOf(user))
        : null;
  }

  private SentFiles filesOf(Message message) {
    return message instanceof Message.User user
        ? files.getOrDefault(user, new SentFiles())
        : new SentFiles();
  }

  /** Whether a person wrote all of it, and nobody set up the model: words that an agent takes. */
  boolean isPersonsWordsAlone() {
    return system.isEmpty() && messages.stream().allMatch(Message.User.class::isInstance);
  }

  /** All that people wrote. */
  PersonsWords allOfUser() {
    List<String> texts = new ArrayList<>();
    SentFiles all = new SentFiles();
    for (Message message : messages) {
      if (message instanceof Message.User user) {
        texts.add(user.text());
        all.addAll(filesOf(user));
      }
    }
    texts.removeIf(String::isEmpty);
    return new PersonsWords(String.join("\n\n", texts), all);
  }
}
