package dev.holdfast.tools.memory;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.store.Store;
import dev.holdfast.tools.memory.RecallTool.Words;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Searches what was said in the chat thread that calls, newest first. No argument names a thread,
 * so no other one can be read.
 */
public final class HistoryTool implements Tool {
  public static final String NAME = "history";
  private static final int LIMIT = 20;

  /** The newest lines of the log that are looked at; there may be older ones. */
  private static final int LINES_MAX = 20_000;

  private static final int SHOWN_MAX = 1000;

  private static final String SCHEMA =
      """
      {"type": "object",
       "properties": {
         "query": {"type": "string", "maxLength": 200,
           "description": "Words that must all occur in a message; empty for every message."},
         "limit": {"type": "integer", "minimum": 1, "maximum": 100},
         "before": {"type": "string", "maxLength": 64,
           "description": "Only messages before this time, in the form that this tool shows; for reading further back."}},
       "additionalProperties": false}
      """;

  private final Store store;

  /** A model may ask many times at once, and each look takes many megabytes for a moment. */
  private final ReentrantLock one = new ReentrantLock();

  public HistoryTool(Store store) {
    this.store = store;
  }

  /** One line of the log. */
  private record LogEntry(String id, Instant at, String who, String text) {}

  @Override
  public ToolSpec spec() {
    return new ToolSpec(
        NAME,
        "Searches everything that was said in this conversation, newest first, including what you no"
            + " longer remember.",
        SCHEMA);
  }

  @Override
  public ReplayClass replay() {
    return ReplayClass.READ;
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) throws InterruptedException {
    one.lockInterruptibly();
    try {
      return search(new JsonObject(argumentsJson), context);
    } finally {
      one.unlock();
    }
  }

  private ToolResult search(JsonObject arguments, ToolContext context) {
    int limit = arguments.getInteger("limit", LIMIT);
    try {
      Instant before = before(arguments.getString("before", ""));
      List<String> found = new ArrayList<>();
      Set<String> seen = new HashSet<>();
      for (String line : store.threads().of(context.threadId()).readLog(LINES_MAX).reversed()) {
        Optional<LogEntry> entry = entry(line);
        if (entry.isPresent()
            && entry.get().at().isBefore(before)
            && Words.allIn(entry.get().text(), arguments.getString("query", ""))
            && seen.add(entry.get().id())) {
          found.add(shown(entry.get()));
        }
        if (found.size() == limit) {
          break;
        }
      }
      return ToolResult.ok(found.isEmpty() ? "Nothing was found." : String.join("\n", found));
    } catch (DateTimeParseException e) {
      return ToolResult.error(
          Failure.of(
              FailureCode.INVALID_REQUEST, "before must be a time like 2026-03-01T09:00:00Z."));
    } catch (IOException e) {
      return ToolResult.error(
          Failure.of(FailureCode.IO, "The log could not be read: the disk refused."));
    }
  }

  private static Instant before(String text) {
    return text.isBlank() ? Instant.MAX : OffsetDateTime.parse(text.strip()).toInstant();
  }

  private static Optional<LogEntry> entry(String line) {
    try {
      JsonObject json = new JsonObject(line);
      String role = json.getString("role", "");
      return Optional.of(
          new LogEntry(
              json.getString("id", ""),
              Instant.parse(json.getString("at", "")),
              role.equals("user") ? json.getString("sender", "") : role,
              json.getString("text", "")));
    } catch (DecodeException | DateTimeParseException | ClassCastException _) {
      return Optional.empty(); // a torn line
    }
  }

  private static String shown(LogEntry entry) {
    String text = entry.text().replaceAll("\\s+", " ");
    return entry.at()
        + " "
        + entry.who()
        + ": "
        + (text.length() <= SHOWN_MAX ? text : text.substring(0, SHOWN_MAX) + " […]");
  }
}
