package dev.holdfast.tests.harness;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A model that calls tools, streamed in the OpenAI shape. */
public final class CallScript {
  private CallScript() {}

  public static ModelScript call(String id, String tool, Map<String, Object> arguments) {
    return together(List.of(call(0, id, tool, arguments)));
  }

  /** So many calls in one answer; the argument {@code n} counts them. */
  public static ModelScript calls(int count, String id, String tool) {
    return together(
        IntStream.range(0, count)
            .mapToObj(number -> call(number, id + "-" + number, tool, Map.of("n", number)))
            .toList());
  }

  private static Map<String, Object> call(
      int index, String id, String tool, Map<String, Object> arguments) {
    Map<String, Object> function = Map.of("name", tool, "arguments", Json.write(arguments));
    return Map.of("index", index, "id", id, "type", "function", "function", function);
  }

  private static ModelScript together(List<Map<String, Object>> calls) {
    return (_, exchange) -> {
      exchange.startStream("text/event-stream");
      exchange.chunk(chunk(Map.of("delta", Map.of("role", "assistant", "tool_calls", calls))));
      exchange.chunk(chunk(Map.of("delta", Map.of(), "finish_reason", "tool_calls")));
      exchange.chunk("data: [DONE]\n\n");
      exchange.endStream();
    };
  }

  private static String chunk(Map<String, Object> choice) {
    Map<String, Object> whole = new HashMap<>(choice);
    whole.put("index", 0);
    return "data: "
        + Json.write(
            Map.of(
                "id",
                "c1",
                "object",
                "chat.completion.chunk",
                "created",
                1,
                "model",
                "gpt-test",
                "choices",
                List.of(whole)))
        + "\n\n";
  }
}
