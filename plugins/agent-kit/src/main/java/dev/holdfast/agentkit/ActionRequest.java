package dev.holdfast.agentkit;

import dev.holdfast.kit.JsonText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What a program was asked to do.
 *
 * @param envelope all of the request, of which an answer repeats the ids
 * @param action the name of what to do
 * @param key the same each time that one call is made; empty when the caller names none
 * @param payload the arguments
 * @param progress is told what is being done, in a few words; people who watch see it
 */
public record ActionRequest(
    Map<String, Object> envelope,
    String action,
    String key,
    ActionPayload payload,
    Consumer<String> progress) {
  private static final int AWAITING_INPUT = 202;
  private static final List<String> REPEATED =
      List.of("request_id", "api_version", "plan_id", "task_id", "correlation_id");

  /**
   * Reads one.
   *
   * @throws IllegalArgumentException when the text is no JSON object
   */
  static ActionRequest read(String text, Consumer<String> progress) {
    Map<String, Object> envelope = JsonText.object(text);
    return new ActionRequest(
        envelope,
        JsonText.text(envelope, "action"),
        JsonText.text(JsonText.map(envelope, "context"), "idempotency_key"),
        new ActionPayload(JsonText.map(envelope, "payload")),
        progress);
  }

  /** For whom and within what it is asked. */
  public Map<String, Object> context() {
    return JsonText.map(envelope, "context");
  }

  /** What a person has answered to the question of an earlier run; empty when none was asked. */
  public Map<String, Object> input() {
    return JsonText.map(context(), "input");
  }

  Map<String, Object> success(ActionResult result) {
    Map<String, Object> answer = answer("success", 0);
    answer.put("result", result(result.data(), result.metadata()));
    return answer;
  }

  Map<String, Object> asks(Map<String, Object> question) {
    Map<String, Object> answer = answer("awaiting_input", AWAITING_INPUT);
    answer.put("result", result(question, Map.of()));
    return answer;
  }

  private static Map<String, Object> result(
      Map<String, Object> data, Map<String, Object> metadata) {
    return Map.of("output_type", "json", "data", data, "metadata", metadata);
  }

  Map<String, Object> failure(int code, String message) {
    Map<String, Object> answer = answer("error", code);
    answer.put("error", Map.of("code", code, "message", message));
    return answer;
  }

  private Map<String, Object> answer(String status, int code) {
    Map<String, Object> answer = new LinkedHashMap<>();
    for (String name : REPEATED) {
      Object value = envelope.get(name);
      if (value != null) {
        answer.put(name, value);
      }
    }
    answer.put("status", status);
    answer.put("code", code);
    return answer;
  }
}
