package dev.holdfast.conversations;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.store.Store;
import dev.holdfast.store.messages.ThreadLabels;
import dev.holdfast.store.threads.LogPage;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * One conversation as a text of its own, oldest message first. Of a very long one the newest part:
 * some eight million characters.
 *
 * @param entries lines of the log
 * @param isWhole whether nothing came before them
 */
public record ConversationExport(
    String threadId, String title, Instant at, List<JsonNode> entries, boolean isWhole) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int LINES_MAX = 100_000;
  private static final long UNITS_MAX = 8L * 1024 * 1024;
  private static final int NAME_MAX = 40;
  private static final Pattern MARKUP = Pattern.compile("[\\\\`*_{}\\[\\]<>()#!|&~]");

  public ConversationExport {
    entries = List.copyOf(entries);
  }

  /** Reads it from the disk. Blocks. */
  public static ConversationExport read(Store store, String threadId, Instant now)
      throws IOException {
    LogPage page = new LogPage(LINES_MAX, UNITS_MAX, "");
    List<String> lines = store.threads().of(threadId).readLog(page);
    Map<String, JsonNode> entries = new LinkedHashMap<>();
    for (String line : lines) {
      try {
        JsonNode entry = JSON.readTree(line);
        entries.put(entry.path("id").asText(), entry);
      } catch (JsonProcessingException _) {
        // A damaged line is left out here as everywhere.
      }
    }
    String title =
        store.threadLabels().find(threadId).map(ThreadLabels.Title::text).orElse(threadId);
    return new ConversationExport(
        threadId, title, now, List.copyOf(entries.values()), !page.isFull(lines));
  }

  /** By the event of each entry that is not in force any more: the message that replaced it. */
  private Map<String, String> replaced() {
    Map<String, String> replaced = new HashMap<>();
    String from = "";
    String by = "";
    for (JsonNode entry : entries.reversed()) {
      String event = entry.path("event").asText();
      if (!from.isEmpty() && event.compareTo(from) >= 0 && event.compareTo(by) < 0) {
        replaced.put(event, by);
      }
      String supersedes = entry.path("supersedes").asText();
      if (supersedes.isEmpty()) {
        continue;
      }
      boolean again = replaced.containsKey(event); // what it had replaced stays so
      by = again ? by : event;
      from = again && from.compareTo(supersedes) < 0 ? from : supersedes;
    }
    return replaced;
  }

  /** A name for a file, of plain characters and without an ending. */
  public String name() {
    String plain =
        title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-+|-+$", "");
    String cut = plain.length() > NAME_MAX ? plain.substring(0, NAME_MAX) : plain;
    return cut.isEmpty() ? "conversation" : cut;
  }

  public String markdown() {
    StringBuilder text = new StringBuilder(1024);
    text.append("# ").append(plain(title)).append("\n\n");
    text.append(plain(threadId)).append(", exported at ").append(at).append("\n\n");
    if (!isWhole) {
      text.append("*Earlier messages are left out.*\n\n");
    }
    Map<String, String> replaced = replaced();
    for (JsonNode entry : entries) {
      text.append("## ").append(speaker(entry)).append(", ");
      text.append(entry.path("at").asText());
      text.append(replaced.containsKey(entry.path("event").asText()) ? ", replaced\n\n" : "\n\n");
      String said = entry.path("text").asText().strip();
      if (!said.isEmpty()) {
        said.lines().forEach(line -> text.append("> ").append(line).append('\n'));
        text.append('\n');
      }
      for (JsonNode file : entry.path("attachments")) {
        text.append("- File: ").append(plain(file.path("name").asText())).append('\n');
      }
      if (!entry.path("attachments").isEmpty()) {
        text.append('\n');
      }
    }
    return text.toString();
  }

  /** On one line, where Markdown and HTML see words and nothing else. */
  private static String plain(String name) {
    return MARKUP.matcher(name.replaceAll("\\s+", " ")).replaceAll("\\\\$0");
  }

  private static String speaker(JsonNode entry) {
    String sender = entry.path("sender").asText();
    return switch (entry.path("role").asText()) {
      case "user" -> sender.isEmpty() ? "Person" : plain(sender);
      case "assistant" -> "Holdfast";
      default -> "Notice";
    };
  }

  public String json() {
    ObjectNode whole =
        JSON.createObjectNode()
            .put("thread_id", threadId)
            .put("title", title)
            .put("exported_at", at.toString())
            .put("whole", isWhole);
    Map<String, String> replaced = replaced();
    ArrayNode list = whole.putArray("entries");
    for (JsonNode entry : entries) {
      ObjectNode said = list.addObject();
      for (String field : List.of("id", "at", "role", "sender", "text")) {
        said.put(field, entry.path(field).asText());
      }
      String event = entry.path("event").asText();
      said.put("event_id", event);
      if (replaced.containsKey(event)) {
        said.put("replaced_by", replaced.get(event));
      }
      if (entry.has("attachments")) {
        said.set("attachments", entry.path("attachments"));
      }
    }
    return whole.toPrettyString() + "\n";
  }
}
