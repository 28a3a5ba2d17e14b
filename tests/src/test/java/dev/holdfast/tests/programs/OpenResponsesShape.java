package dev.holdfast.tests.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the Open Responses specification says of a response and of its events. */
final class OpenResponsesShape {
  private static final Map<String, Set<String>> RESPONSE =
      Map.ofEntries(
          Map.entry("id", Set.of("STRING")),
          Map.entry("object", Set.of("STRING")),
          Map.entry("created_at", Set.of("NUMBER")),
          Map.entry("completed_at", Set.of("NUMBER", "NULL")),
          Map.entry("status", Set.of("STRING")),
          Map.entry("incomplete_details", Set.of("OBJECT", "NULL")),
          Map.entry("model", Set.of("STRING")),
          Map.entry("previous_response_id", Set.of("STRING", "NULL")),
          Map.entry("instructions", Set.of("STRING", "NULL")),
          Map.entry("output", Set.of("ARRAY")),
          Map.entry("error", Set.of("OBJECT", "NULL")),
          Map.entry("tools", Set.of("ARRAY")),
          Map.entry("tool_choice", Set.of("STRING", "OBJECT")),
          Map.entry("truncation", Set.of("STRING")),
          Map.entry("parallel_tool_calls", Set.of("BOOLEAN")),
          Map.entry("text", Set.of("OBJECT")),
          Map.entry("top_p", Set.of("NUMBER")),
          Map.entry("presence_penalty", Set.of("NUMBER")),
          Map.entry("frequency_penalty", Set.of("NUMBER")),
          Map.entry("top_logprobs", Set.of("NUMBER")),
          Map.entry("temperature", Set.of("NUMBER")),
          Map.entry("reasoning", Set.of("OBJECT", "NULL")),
          Map.entry("user", Set.of("STRING", "NULL")),
          Map.entry("usage", Set.of("OBJECT", "NULL")),
          Map.entry("max_output_tokens", Set.of("NUMBER", "NULL")),
          Map.entry("max_tool_calls", Set.of("NUMBER", "NULL")),
          Map.entry("store", Set.of("BOOLEAN")),
          Map.entry("background", Set.of("BOOLEAN")),
          Map.entry("service_tier", Set.of("STRING")),
          Map.entry("metadata", Set.of("OBJECT")),
          Map.entry("safety_identifier", Set.of("STRING", "NULL")),
          Map.entry("prompt_cache_key", Set.of("STRING", "NULL")));

  private static final Map<String, Set<String>> TOOL =
      Map.of(
          "type", Set.of("STRING"),
          "name", Set.of("STRING"),
          "description", Set.of("STRING", "NULL"),
          "parameters", Set.of("OBJECT", "NULL"),
          "strict", Set.of("BOOLEAN", "NULL"));

  private static final Set<String> STATUSES = Set.of("in_progress", "completed", "incomplete");

  private OpenResponsesShape() {}

  private static void check(JsonNode object, Map<String, Set<String>> fields) {
    fields.forEach(
        (name, types) ->
            assertThat(types).as(name + " of " + object).contains(typeOf(object, name)));
  }

  private static String typeOf(JsonNode object, String name) {
    return object.path(name).getNodeType().name();
  }

  /** A response that has ended well: its fields, items and tokens. */
  static void checkCompleted(JsonNode response) {
    checkResponse(response);
    assertThat(response.path("status").asText()).isEqualTo("completed");
    assertThat(response.path("completed_at").asLong())
        .isGreaterThanOrEqualTo(response.path("created_at").asLong());
    assertThat(response.path("output")).isNotEmpty();
    JsonNode usage = response.path("usage");
    assertThat(usage.path("total_tokens").asLong(-1))
        .isEqualTo(usage.path("input_tokens").asLong() + usage.path("output_tokens").asLong());
    assertThat(usage.path("input_tokens_details").path("cached_tokens").isNumber()).isTrue();
    assertThat(usage.path("output_tokens_details").path("reasoning_tokens").isNumber()).isTrue();
  }

  private static void checkResponse(JsonNode response) {
    check(response, RESPONSE);
    assertThat(response.path("object").asText()).isEqualTo("response");
    assertThat(response.path("truncation").asText()).isIn("auto", "disabled");
    assertThat(response.path("text").path("format").path("type").asText()).isEqualTo("text");
    response.path("tools").forEach(tool -> check(tool, TOOL));
    response.path("output").forEach(OpenResponsesShape::checkItem);
    assertThat(response.path("output").findValuesAsText("id")).doesNotHaveDuplicates();
  }

  private static void checkItem(JsonNode item) {
    assertThat(item.path("id").asText()).isNotEmpty();
    assertThat(STATUSES).contains(item.path("status").asText());
    if (item.path("type").asText().equals("message")) {
      assertThat(item.path("role").asText()).isEqualTo("assistant");
      item.path("content").forEach(OpenResponsesShape::checkText);
      return;
    }
    assertThat(item.path("type").asText()).isEqualTo("function_call");
    for (String name : List.of("call_id", "name", "arguments")) {
      assertThat(typeOf(item, name)).isEqualTo("STRING");
    }
  }

  private static void checkText(JsonNode part) {
    assertThat(part.path("type").asText()).isEqualTo("output_text");
    assertThat(typeOf(part, "text")).isEqualTo("STRING");
    assertThat(typeOf(part, "annotations")).isEqualTo("ARRAY");
  }

  /** The events of a stream whose response ends well; returns that. */
  static JsonNode checkStream(Answer answer) {
    List<JsonNode> events = events(answer);
    assertThat(events.getFirst().path("type").asText()).isEqualTo("response.created");
    assertThat(events.get(1).path("type").asText()).isEqualTo("response.in_progress");
    assertThat(events.getLast().path("type").asText()).isEqualTo("response.completed");
    HeardStream stream = new HeardStream();
    events.forEach(stream::hear);
    JsonNode response = events.getLast().path("response");
    checkCompleted(response);
    assertThat(response.path("id")).isEqualTo(events.getFirst().path("response").path("id"));
    List<JsonNode> output = new ArrayList<>();
    response.path("output").forEach(output::add);
    assertThat(stream.done).as("items that were streamed").isEqualTo(output);
    return response;
  }

  private static List<JsonNode> events(Answer answer) {
    assertThat(answer.headers().firstValue("content-type").orElse(""))
        .startsWith("text/event-stream");
    List<JsonNode> events = new ArrayList<>();
    String[] blocks = answer.body().stripTrailing().split("\n\n", -1);
    for (String block : blocks) {
      if (block.startsWith("event: ")) {
        int line = block.indexOf('\n');
        JsonNode event = Json.read(block.substring(line + "\ndata: ".length()));
        assertThat(event.path("type").asText()).isEqualTo(block.substring(7, line));
        events.add(event);
      }
    }
    assertThat(blocks[blocks.length - 1]).isEqualTo("data: [DONE]");
    return events;
  }

  /** One stream: items are opened in their order, filled, and end as what they were filled with. */
  private static final class HeardStream {
    private final List<JsonNode> done = new ArrayList<>();
    private final Map<String, StringBuilder> open = new HashMap<>();
    private long number = -1;

    void hear(JsonNode event) {
      assertThat(event.path("sequence_number").asLong(-1)).isGreaterThan(number);
      number = event.path("sequence_number").asLong();
      String type = event.path("type").asText();
      switch (type) {
        case "response.created", "response.in_progress", "response.completed" ->
            checkResponse(event.path("response"));
        case "response.output_item.added" -> {
          checkItem(event.path("item"));
          assertThat(event.path("item").path("status").asText()).isEqualTo("in_progress");
          open.put(event.path("item").path("id").asText(), new StringBuilder());
        }
        case "response.content_part.added" -> checkText(event.path("part"));
        case "response.output_text.delta", "response.function_call_arguments.delta" ->
            said(event).append(event.path("delta").asText());
        case "response.output_text.done" ->
            assertThat(event.path("text").asText()).isEqualTo(said(event).toString());
        case "response.function_call_arguments.done" ->
            assertThat(event.path("arguments").asText()).isEqualTo(said(event).toString());
        case "response.content_part.done" ->
            assertThat(event.path("part").path("text").asText()).isEqualTo(said(event).toString());
        case "response.output_item.done" -> {
          checkItem(event.path("item"));
          assertThat(open.remove(event.path("item").path("id").asText())).isNotNull();
          done.add(event.path("item"));
        }
        default -> throw new AssertionError("an event of type " + type);
      }
      if (event.has("output_index")) {
        int index = type.endsWith("item.done") ? done.size() - 1 : done.size();
        assertThat(event.path("output_index").asInt(-1)).as(event.toString()).isEqualTo(index);
      }
    }

    private StringBuilder said(JsonNode event) {
      String id = event.path("item_id").asText();
      assertThat(open).as(event.toString()).containsKey(id);
      if (event.path("type").asText().startsWith("response.output_text")) {
        assertThat(event.path("content_index").asInt(-1)).isZero();
      }
      return open.getOrDefault(id, new StringBuilder());
    }
  }
}
