package dev.holdfast.memory;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.threads.LogPage;
import dev.holdfast.store.threads.ThreadFolders;
import dev.holdfast.tools.memory.RememberTool;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Reads what people have said since a sweep.
 *
 * @param redaction frees a text of secrets
 */
record TalkReader(
    ThreadFolders threads, Audit audit, ZoneId zone, UnaryOperator<String> redaction) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Enough for what is new in most threads. */
  private static final LogPage NEWEST = new LogPage(400, 512 * 1024, "");

  /** What lies further back is never read. */
  private static final LogPage ALL = new LogPage(50_000, 8L * 1024 * 1024, "");

  private static final int MESSAGES_MAX = 400;

  /** Some twelve thousand tokens. */
  private static final int UNITS_MAX = 48_000;

  /**
   * The oldest that are new: as many as one question of a model holds.
   *
   * @param mark where the last sweep ended; after each refusal half as many are read
   * @param oldest what was said before this day has no say
   */
  NewTalk since(String threadId, SweepLedger.Mark mark, LocalDate oldest) throws IOException {
    Entries log = entries(threadId, mark.lastLine());
    NewTalk all = since(threadId, mark, oldest, log, MESSAGES_MAX);
    int fewer = Math.max(1, all.messages().size() >> mark.refusals());
    return mark.refusals() == 0 ? all : since(threadId, mark, oldest, log, fewer);
  }

  private NewTalk since(
      String threadId, SweepLedger.Mark mark, LocalDate oldest, Entries log, int messagesMax) {
    Batch batch = new Batch(messagesMax);
    int left = 0;
    String last = mark.lastLine();
    int count = 0;
    Set<String> senders = new HashSet<>();
    Set<JsonNode> inForce = inForce(log.entries());
    for (JsonNode entry : log.entries()) {
      boolean isPersons = isPersons(entry);
      if (isPersons) {
        senders.add(entry.path("sender").asText());
      }
      isPersons &= inForce.contains(entry);
      count += isPersons ? 1 : 0;
      Optional<Instant> at = at(entry);
      if (isPersons && at.isPresent()) {
        LocalDate day = LocalDate.ofInstant(at.get(), zone);
        boolean isTaken =
            left == 0 && (day.isBefore(oldest) || batch.isTaken(entry, at.get(), day));
        left += isTaken ? 0 : 1;
      }
      last = left == 0 ? entry.path("id").asText() : last;
    }
    List<String> notes = new ArrayList<>(batch.notes);
    if (left > 0) {
      notes.add(left + " newer messages wait for the next sweep.");
    }
    if (!log.isWhole()) {
      notes.add("Older messages lie too far back in the log, and were not read.");
    }
    senders.remove("");
    return new NewTalk(batch.said, count, last, senders, notes, remembered(threadId, batch.said));
  }

  /**
   * @param isWhole whether nothing new lies before them
   */
  private record Entries(List<JsonNode> entries, boolean isWhole) {}

  private Entries entries(String threadId, String after) throws IOException {
    Entries newest = entries(threadId, after, NEWEST);
    return newest.isWhole() ? newest : entries(threadId, after, ALL);
  }

  private Entries entries(String threadId, String after, LogPage page) throws IOException {
    List<String> lines = threads.of(threadId).readLog(page);
    Map<String, JsonNode> byId = new LinkedHashMap<>();
    for (String line : lines) {
      JsonNode entry = read(line);
      JsonNode _ = byId.put(entry.path("id").asText(), entry); // a later one, at the first place
    }
    boolean isWhole = byId.containsKey(after) || !page.isFull(lines);
    JsonNode _ = byId.remove("");
    List<JsonNode> entries = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : byId.entrySet()) {
      entries.add(entry.getValue());
      if (entry.getKey().equals(after)) {
        entries.clear(); // what stands before it is known
      }
    }
    return new Entries(entries, isWhole);
  }

  private Map<String, Instant> remembered(String threadId, List<NewTalk.Said> said) {
    return said.stream()
        .map(NewTalk.Said::at)
        .min(Comparator.naturalOrder())
        .map(oldest -> RememberTool.marksSince(audit, threadId, oldest))
        .orElse(Map.of());
  }

  /** What the server itself says to a model, such as a wake-up, is no word of a person. */
  private static boolean isPersons(JsonNode entry) {
    return entry.path("role").asText().equals("user")
        && !entry.path("sender").asText().startsWith(Incoming.WAKEUP_SENDER)
        && !entry.path("text").asText().isBlank();
  }

  /** Empty in a damaged line. */
  private static Optional<Instant> at(JsonNode entry) {
    try {
      return Optional.of(Instant.parse(entry.path("at").asText()));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  /** Without those that a later message has replaced. */
  private static Set<JsonNode> inForce(List<JsonNode> entries) {
    Set<JsonNode> inForce = Collections.newSetFromMap(new IdentityHashMap<>());
    String from = "";
    String by = "";
    for (JsonNode entry : entries.reversed()) {
      String event = entry.path("event").asText();
      boolean isReplaced = event.compareTo(by) < 0 && event.compareTo(from) >= 0;
      if (!isReplaced) {
        inForce.add(entry);
      }
      String supersedes = entry.path("supersedes").asText();
      if (!supersedes.isEmpty()) { // one that is replaced does not bring back what it replaced
        from = isReplaced && from.compareTo(supersedes) < 0 ? from : supersedes;
        by = isReplaced ? by : event;
      }
    }
    return inForce;
  }

  private static JsonNode read(String line) {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException _) {
      return JSON.createObjectNode(); // a damaged line
    }
  }

  /** As many messages as one question holds; one alone that is too long for it is cut. */
  private final class Batch {
    private final int messagesMax;
    private final List<NewTalk.Said> said = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private int units;

    Batch(int messagesMax) {
      this.messagesMax = messagesMax;
    }

    boolean isTaken(JsonNode entry, Instant at, LocalDate day) {
      String text = redaction.apply(entry.path("text").asText());
      boolean isFull = said.size() == messagesMax || units + text.length() > UNITS_MAX;
      if (isFull && !said.isEmpty()) {
        return false;
      }
      boolean isCut = text.length() > UNITS_MAX;
      if (isCut) {
        notes.add(
            "Of a message of %d characters, the first %d were read."
                .formatted(text.length(), UNITS_MAX));
      }
      units += text.length();
      return said.add(
          new NewTalk.Said(
              "m" + (said.size() + 1),
              entry.path("event").asText(),
              at,
              day,
              entry.path("sender").asText(),
              isCut ? text.substring(0, UNITS_MAX) + TidyRules.CUT : text));
    }
  }
}
