package dev.holdfast.tools.memory;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads the memories: all lines, or those in which every word of a question stands. */
public final class RecallTool implements Tool {
  public static final String NAME = "recall";

  private static final String SCHEMA =
      """
      {"type": "object",
       "properties": {
         "query": {"type": "string", "maxLength": 200,
           "description": "Words that must all occur in a line; empty for every line."}},
       "additionalProperties": false}
      """;

  /** Fewer than there may be of all else, so that they bury nothing. */
  private static final int NOTES_MAX = 5;

  private final Memory memory;
  private final SystemNotes notes;
  private final RecallHits hits;

  public RecallTool(Memory memory, SystemNotes notes, RecallHits hits) {
    this.memory = memory;
    this.notes = notes;
    this.hits = hits;
  }

  @Override
  public ToolSpec spec() {
    return new ToolSpec(
        NAME,
        "What was remembered for this conversation and for all of them, and the newest incidents of"
            + " this server: crashes, damage, parts that failed.",
        SCHEMA);
  }

  @Override
  public ReplayClass replay() {
    return ReplayClass.READ;
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) {
    String query = new JsonObject(argumentsJson).getString("query", "");
    try {
      List<String> found = new ArrayList<>();
      List<String> own =
          add(found, "This conversation:", new Memory.Scope.OfThread(context.threadId()), query);
      hits.found(context.threadId(), own, query);
      List<String> _ = add(found, "All conversations:", new Memory.Scope.Global(), query);
      addNotes(found, query);
      return ToolResult.ok(
          found.isEmpty() ? "Nothing has been remembered." : String.join("\n", found));
    } catch (IOException e) {
      return ToolResult.error(
          Failure.of(FailureCode.IO, "The memory could not be read: the disk refused."));
    }
  }

  private List<String> add(List<String> found, String heading, Memory.Scope scope, String query)
      throws IOException {
    List<String> lines =
        memory.lines(scope).stream().filter(line -> Words.allIn(line, query)).toList();
    if (!lines.isEmpty()) {
      found.add(heading);
      found.addAll(lines);
    }
    return lines;
  }

  /** Last, and the newest first. */
  private void addNotes(List<String> found, String query) {
    List<String> lines =
        notes.newest().stream().filter(line -> Words.allIn(line, query)).limit(NOTES_MAX).toList();
    if (!lines.isEmpty()) {
      found.add("Incidents of this server, newest first:");
      found.addAll(lines);
    }
  }

  /** How texts are searched. */
  static final class Words {
    private Words() {}

    /** Whether each word of the question stands somewhere in the text, in any case of letters. */
    static boolean allIn(String text, String query) {
      String lower = text.toLowerCase(Locale.ROOT);
      for (String word : query.toLowerCase(Locale.ROOT).strip().split("\\s+", -1)) {
        if (!lower.contains(word)) {
          return false;
        }
      }
      return true;
    }
  }
}
