package dev.holdfast.tests.harness;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A model that calls one tool, streamed in the OpenAI shape. */
public final class CallScript {
  private CallScript() {}

  public static ModelScript call(String id, String tool, Map<String, Object> arguments) {
    Map<String, Object> function = Map.of("name", tool, "arguments", Json.write(arguments));
    Map<String, Object> call =
        Map.of("index", 0, "id", id, "type", "function", "function", function);
    return (_, exchange) -> {
      exchange.startStream("text/event-stream");
      exchange.chunk(
          chunk(Map.of("delta", Map.of("role", "assistant", "tool_calls", List.of(call)))));
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
