package dev.holdfast.memory;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.store.threads.LogPage;
import dev.holdfast.store.threads.ThreadFolders;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Reads what people have said since a sweep.
 *
 * @param redaction frees a text of secrets
 */
record TalkReader(ThreadFolders threads, ZoneId zone, UnaryOperator<String> redaction) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int LINES_MAX = 400;
  private static final long UNITS_MAX = 512 * 1024;
  private static final int MESSAGES_MAX = 80;
  private static final int UNITS_PER_MESSAGE = 600;

  /**
   * @param after the id of the line that was read last; empty for the newest there are
   */
  NewTalk since(String threadId, String after) throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : threads.of(threadId).readLog(new LogPage(LINES_MAX, UNITS_MAX, ""))) {
      JsonNode entry = read(line);
      if (!after.isEmpty() && entry.path("id").asText().equals(after)) {
        lines.clear(); // what stands before it is known
      } else if (!entry.path("id").asText().isEmpty()) {
        lines.add(entry);
      }
    }
    String last = lines.isEmpty() ? after : lines.getLast().path("id").asText();
    List<JsonNode> people =
        lines.stream()
            .filter(entry -> entry.path("role").asText().equals("user"))
            .filter(entry -> !entry.path("text").asText().isBlank())
            .toList();
    List<NewTalk.Said> said = new ArrayList<>();
    for (JsonNode entry :
        people.subList(Math.max(0, people.size() - MESSAGES_MAX), people.size())) {
      try {
        Instant at = Instant.parse(entry.path("at").asText());
        said.add(
            new NewTalk.Said(
                "m" + (said.size() + 1),
                entry.path("event").asText(),
                LocalDate.ofInstant(at, zone),
                entry.path("sender").asText(),
                cut(redaction.apply(entry.path("text").asText()))));
      } catch (DateTimeException _) {
        // a damaged line
      }
    }
    return new NewTalk(said, people.size(), last);
  }

  private static JsonNode read(String line) {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException _) {
      return JSON.createObjectNode(); // a damaged line
    }
  }

  private static String cut(String text) {
    return text.length() <= UNITS_PER_MESSAGE
        ? text
        : text.substring(0, UNITS_PER_MESSAGE) + TidyRules.CUT;
  }
}
