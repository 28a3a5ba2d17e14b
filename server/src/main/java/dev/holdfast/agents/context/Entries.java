package dev.holdfast.agents.context;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.ToolCall;
import dev.holdfast.store.messages.ReplyFile;
import dev.holdfast.store.threads.ContextEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The entries of a context as messages and back. */
public final class Entries {
  public static final String USER = "user";
  public static final String ASSISTANT = "assistant";
  public static final String TOOL_STARTED = "tool_started";
  public static final String TOOL_RESULT = "tool_result";
  public static final String SUMMARY = "summary";
  static final String SAID = "said";

  /** Stands between a turn that was given up and the next one. */
  static final String FENCE = "fence";

  /** From here back no image is shown: a model refused one of them. */
  static final String IMAGES_REFUSED = "images_refused";

  /** A file that goes with the turn's answer. */
  public static final String ATTACHED = "attached";

  /** Tools that the turn has found: they are offered until it ends. */
  public static final String FOUND_TOOLS = "found_tools";

  private static final ObjectMapper JSON = new ObjectMapper();

  private Entries() {}

  public static ContextEntry user(Incoming incoming) {
    return user(incoming, List.of());
  }

  public static ContextEntry user(Incoming incoming, List<StoredAttachment> attached) {
    return user(incoming, incoming.message().text(), attached);
  }

  /** {@code text}: what the model reads in place of what the person wrote. */
  public static ContextEntry user(Incoming incoming, String text, List<StoredAttachment> attached) {
    String id = incoming.id();
    Instant at = incoming.sentAt();
    ObjectNode json = head(USER, id, id, at);
    json.put("sender", incoming.message().sender()).put("text", text);
    StoredAttachment.write(json, attached);
    return new ContextEntry(USER, id, id, at, json.toString());
  }

  /** Of a whole answer. */
  public static ContextEntry assistant(
      String id, String eventId, Instant at, Message.Assistant message) {
    return assistant(id, eventId, at, message, StopReason.END);
  }

  /** {@code stop}: why the model stopped; it says whether the answer was cut. */
  public static ContextEntry assistant(
      String id, String eventId, Instant at, Message.Assistant message, StopReason stop) {
    ObjectNode json = head(ASSISTANT, id, eventId, at);
    json.put("text", message.text()).put("model", message.model());
    if (stop == StopReason.LENGTH || stop == StopReason.REFUSED) {
      json.put("cut", stop.name());
    }
    if (!message.opaque().isEmpty()) {
      json.put("opaque", message.opaque());
    }
    if (!message.toolCalls().isEmpty()) {
      var calls = json.putArray("calls");
      for (ToolCall call : message.toolCalls()) {
        calls
            .addObject()
            .put("id", call.id())
            .put("tool", call.tool())
            .put("arguments", call.arguments());
      }
    }
    return new ContextEntry(ASSISTANT, id, eventId, at, json.toString());
  }

  /** To be synced before the call starts: after a crash it is known that its outcome is not. */
  public static ContextEntry toolStarted(String eventId, Instant at, ToolCall call) {
    ObjectNode json = head(TOOL_STARTED, call.id(), eventId, at).put("tool", call.tool());
    return new ContextEntry(TOOL_STARTED, call.id(), eventId, at, json.toString());
  }

  public static ContextEntry toolResult(String eventId, Instant at, Message.ToolResult result) {
    return toolResult(eventId, at, result, List.of());
  }

  /** {@code images}: those that were kept of it. */
  public static ContextEntry toolResult(
      String eventId, Instant at, Message.ToolResult result, List<StoredAttachment> images) {
    ObjectNode json = head(TOOL_RESULT, result.callId(), eventId, at);
    json.put("tool", result.tool()).put("text", result.text()).put("error", result.isError());
    StoredAttachment.write(json, images);
    return new ContextEntry(TOOL_RESULT, result.callId(), eventId, at, json.toString());
  }

  /** What was said to people by words of the model that a summary stands for now. */
  public static ContextEntry said(Instant at, String text) {
    ObjectNode json = head(SAID, "said", "", at).put("text", text);
    return new ContextEntry(SAID, "said", "", at, json.toString());
  }

  /** What people are to read of the entry as a part of the turn's answer; empty: nothing. */
  public static String spoken(ContextEntry entry) {
    return entry.type().equals(ASSISTANT) || entry.type().equals(SAID)
        ? read(entry.json()).path("text").asText()
        : "";
  }

  /** All that the model has said to people in these entries, in order. */
  public static String spoken(List<ContextEntry> turn) {
    return turn.stream()
        .map(Entries::spoken)
        .filter(text -> !text.isBlank())
        .collect(Collectors.joining("\n\n"));
  }

  /** Why a word of the model is not whole; empty when it is. */
  public static Optional<StopReason> cut(ContextEntry word) {
    return switch (read(word.json()).path("cut").asText()) {
      case "LENGTH" -> Optional.of(StopReason.LENGTH);
      case "REFUSED" -> Optional.of(StopReason.REFUSED);
      default -> Optional.empty();
    };
  }

  public static ContextEntry shortenedResult(ContextEntry result, int units) {
    ObjectNode json = (ObjectNode) read(result.json());
    String text = json.path("text").asText();
    json.put("text", text.substring(0, Math.min(units, text.length())) + " [shortened]");
    return new ContextEntry(
        result.type(), result.id(), result.eventId(), result.at(), json.toString());
  }

  /** {@code rounds}: how many words of the model in a turn that still runs it stands for. */
  public static ContextEntry summary(Instant at, String text, int rounds) {
    ObjectNode json = head(SUMMARY, "summary", "", at).put("text", text).put("rounds", rounds);
    return new ContextEntry(SUMMARY, "summary", "", at, json.toString());
  }

  public static ContextEntry imagesRefused(String eventId, Instant at) {
    ObjectNode json = head(IMAGES_REFUSED, "images", eventId, at);
    return new ContextEntry(IMAGES_REFUSED, "images", eventId, at, json.toString());
  }

  public static ContextEntry outgoing(String eventId, Instant at, ReplyFile file) {
    ObjectNode json = head(ATTACHED, file.file(), eventId, at);
    json.put("name", file.name())
        .put("media_type", file.mediaType())
        .put("file", file.file())
        .put("bytes", file.bytes());
    return new ContextEntry(ATTACHED, file.file(), eventId, at, json.toString());
  }

  /** The files that go with the answer of a turn, each once. */
  public static List<ReplyFile> outgoing(List<ContextEntry> turn) {
    Map<String, ReplyFile> files = new LinkedHashMap<>();
    for (ContextEntry entry : turn) {
      if (entry.type().equals(ATTACHED)) {
        JsonNode json = read(entry.json());
        ReplyFile file =
            new ReplyFile(
                json.path("name").asText(),
                json.path("media_type").asText(),
                json.path("file").asText(),
                json.path("bytes").asLong());
        files.put(file.file(), file);
      }
    }
    return List.copyOf(files.values());
  }

  public static ContextEntry foundTools(String eventId, Instant at, String id, List<String> names) {
    ObjectNode json = head(FOUND_TOOLS, id, eventId, at);
    names.forEach(json.putArray("names")::add);
    return new ContextEntry(FOUND_TOOLS, id, eventId, at, json.toString());
  }

  /** The names of the tools that a turn has found, in that order; one found twice stands twice. */
  public static List<String> foundTools(List<ContextEntry> turn) {
    List<String> names = new ArrayList<>();
    for (ContextEntry entry : turn) {
      if (entry.type().equals(FOUND_TOOLS)) {
        read(entry.json()).path("names").forEach(name -> names.add(name.asText()));
      }
    }
    return names;
  }

  /** The files that came with a person's message, or the images of a tool's result. */
  static List<StoredAttachment> attached(ContextEntry entry) {
    boolean mayHave = entry.type().equals(USER) || entry.type().equals(TOOL_RESULT);
    // Most have none, and a context is gone through before each request.
    return mayHave && entry.json().contains("\"attachments\"")
        ? StoredAttachment.read(read(entry.json()))
        : List.of();
  }

  /**
   * The message of an entry with files.
   *
   * @param lines what is told of the files
   * @param images those of them that are shown
   */
  static Message message(ContextEntry entry, List<String> lines, List<StoredFile> images) {
    JsonNode json = read(entry.json());
    String said = json.path("text").asText();
    if (entry.type().equals(USER)) {
      return new Message.User(withLines(said, lines), images);
    }
    return new Message.ToolResult(
        entry.id(),
        json.path("tool").asText(),
        lines.isEmpty() ? said : withLines(said, lines), // as the tool has written it
        json.path("error").asBoolean(),
        images);
  }

  /** What models read of a file of the entry. */
  static String line(ContextEntry entry, StoredAttachment file, String shown) {
    return file.line(entry.type().equals(USER) ? "attachment" : "image", shown);
  }

  private static String withLines(String said, List<String> lines) {
    String all = String.join("\n", lines);
    return said.isBlank() || all.isEmpty() ? said.strip() + all : said + "\n" + all;
  }

  public static ContextEntry allowed(String eventId, Instant at) {
    return new ContextEntry(
        FENCE, "fence", eventId, at, head(FENCE, "fence", eventId, at).toString());
  }

  /**
   * Empty for an entry that a model need not see, also one of a type that a later version wrote.
   */
  public static Optional<Message> message(ContextEntry entry) {
    JsonNode json = read(entry.json());
    String text = json.path("text").asText();
    return switch (entry.type()) {
      case USER, TOOL_RESULT ->
          Optional.of(
              message(
                  entry,
                  StoredAttachment.read(json).stream().map(file -> line(entry, file, "")).toList(),
                  List.of()));
      case SUMMARY ->
          Optional.of(new Message.User("[Summary of the earlier conversation]\n" + text));
      case ASSISTANT ->
          Optional.of(
              new Message.Assistant(
                  text,
                  calls(json.path("calls")),
                  json.path("opaque").asText(""),
                  json.path("model").asText("")));
      default -> Optional.empty();
    };
  }

  /** Who wrote a person's entry; empty for any other one. */
  static String senderOf(ContextEntry entry) {
    return entry.type().equals(USER) ? read(entry.json()).path("sender").asText() : "";
  }

  /** Whether the next entry belongs to another turn: a model's word without calls, or a fence. */
  public static boolean endsTurn(ContextEntry entry) {
    return switch (entry.type()) {
      case FENCE -> true;
      // A text cannot contain the name in these quotes: there they are escaped.
      case ASSISTANT ->
          !entry.json().contains("\"calls\"") || read(entry.json()).path("calls").isEmpty();
      default -> false;
    };
  }

  /** Whether a model is told nothing by it, also since it said nothing itself. */
  static boolean isNote(ContextEntry entry) {
    return switch (entry.type()) {
      case IMAGES_REFUSED, ATTACHED, FOUND_TOOLS -> true;
      case ASSISTANT -> endsTurn(entry) && spoken(entry).isBlank();
      default -> false;
    };
  }

  /** Whether somebody has the word: a place where a context may be cut. */
  public static boolean isWord(ContextEntry entry) {
    return entry.type().equals(USER) || entry.type().equals(ASSISTANT);
  }

  /** How many words of the model the entry stands for. */
  public static int roundsOf(ContextEntry entry) {
    return switch (entry.type()) {
      case ASSISTANT -> 1;
      case SUMMARY -> read(entry.json()).path("rounds").asInt();
      default -> 0;
    };
  }

  private static List<ToolCall> calls(JsonNode calls) {
    List<ToolCall> list = new ArrayList<>();
    calls.forEach(
        call ->
            list.add(
                new ToolCall(
                    call.path("id").asText(),
                    call.path("tool").asText(),
                    call.path("arguments").asText())));
    return list;
  }

  public static ObjectNode object() {
    return JSON.createObjectNode();
  }

  private static ObjectNode head(String type, String id, String eventId, Instant at) {
    return JSON.createObjectNode()
        .put("type", type)
        .put("id", id)
        .put("event", eventId)
        .put("at", at.toString());
  }

  private static JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the store handed out an entry that is not JSON", e);
    }
  }
}
