package dev.holdfast.memory;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * One change of a memory that a model wants.
 *
 * @param lines numbers of facts, from 1
 * @param text what stands in their place; empty when nothing does
 * @param line a fact that speaks for it; 0 for none
 * @param message a person's message that speaks for it, by its label; empty for none
 * @param why in the model's words
 * @param people whom the model has found named in it
 */
record TidyChange(
    Kind kind,
    List<Integer> lines,
    String text,
    int line,
    String message,
    String why,
    List<String> people) {
  static final String NAME = "tidy_memory";

  static final String SCHEMA =
      """
      {"type": "object",
       "properties": {
         "changes": {"type": "array", "maxItems": 100, "items": {
           "type": "object",
           "properties": {
             "do": {"type": "string", "enum": ["merge", "drop", "update", "propose"]},
             "lines": {"type": "array", "minItems": 1, "maxItems": 50,
               "items": {"type": "integer", "minimum": 1}},
             "text": {"type": "string", "minLength": 1, "maxLength": 1000,
               "description": "merge: whole lines; update: whole sentences; word for word."},
             "because_line": {"type": "integer", "minimum": 1,
               "description": "drop: the newer line that says otherwise."},
             "because_message": {"type": "string", "maxLength": 10,
               "description": "drop and update: the message that says otherwise, like m3."},
             "why": {"type": "string", "minLength": 1, "maxLength": 300},
             "people": {"type": "array", "maxItems": 20,
               "items": {"type": "string", "maxLength": 100},
               "description": "propose: every person whom the line names."}},
           "required": ["do", "lines", "why"],
           "additionalProperties": false}}},
       "required": ["changes"],
       "additionalProperties": false}
      """;

  TidyChange {
    lines = List.copyOf(lines);
    people = List.copyOf(people);
  }

  /** What becomes of the lines. */
  enum Kind {
    /** They say the same: one line takes their place. */
    MERGE,
    /** It is not true any more. */
    DROP,
    /** A message of a person takes their place. */
    UPDATE,
    /** Nothing; but all chat threads should know it. */
    PROPOSE;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Whether its lines are gone without another that says the same. */
  boolean isLoss() {
    return kind == Kind.DROP || kind == Kind.UPDATE;
  }

  /** Reads an answer that fits {@link #SCHEMA}. */
  static List<TidyChange> read(JsonObject answer) {
    JsonArray changes = answer.getJsonArray("changes");
    return IntStream.range(0, changes.size())
        .mapToObj(changes::getJsonObject)
        .map(TidyChange::one)
        .toList();
  }

  private static TidyChange one(JsonObject json) {
    return new TidyChange(
        Kind.valueOf(json.getString("do").toUpperCase(Locale.ROOT)),
        json.getJsonArray("lines").stream().map(line -> number((Number) line)).toList(),
        json.getString("text", ""),
        number(json.getNumber("because_line", 0)),
        json.getString("because_message", ""),
        json.getString("why"),
        json.getJsonArray("people", new JsonArray()).stream().map(String.class::cast).toList());
  }

  /** One that is too large for a number of a line stays too large. */
  private static int number(Number line) {
    return (int) line.doubleValue();
  }
}
