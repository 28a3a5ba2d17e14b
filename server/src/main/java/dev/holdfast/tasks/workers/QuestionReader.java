package dev.holdfast.tasks.workers;

import dev.holdfast.api.FailureCode;
import dev.holdfast.tasks.rules.InputKind;
import dev.holdfast.tasks.rules.InputQuestion;
import dev.holdfast.tasks.rules.TaskFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads what an action asks a person for: {@code {kind, question, choices, deadline_secs,
 * at_deadline, state}}; only the question is required.
 */
final class QuestionReader {
  private static final List<String> YES_OR_NO = List.of("Allow", "Reject");

  private QuestionReader() {}

  /** The question, or how it fails when there is something wrong with it. */
  static AttemptResult read(String agent, JsonObject request) {
    String problem;
    try {
      InputQuestion question = question(request);
      if (question.problems().isEmpty()) {
        return new AttemptResult.Asks(question);
      }
      problem = String.join("; ", question.problems());
    } catch (IllegalArgumentException | ClassCastException e) {
      problem = String.valueOf(e.getMessage());
    }
    return new AttemptResult.Failed(
        new TaskFailure(
            FailureCode.BACKEND_FAILURE,
            "agent %s asked for input in a way that cannot be understood: %s"
                .formatted(agent, problem),
            true));
  }

  private static InputQuestion question(JsonObject request) {
    InputKind kind =
        InputKind.valueOf(request.getString("kind", "answer").toUpperCase(Locale.ROOT));
    List<String> choices =
        request.getJsonArray("choices", new JsonArray()).stream().map(String.class::cast).toList();
    Duration patience =
        Duration.ofSeconds(request.getLong("deadline_secs", InputQuestion.PATIENCE.toSeconds()));
    String atDeadline = request.getString("at_deadline", "fail");
    @Nullable String fallback = atDeadline.equals("fail") ? null : atDeadline;
    return new InputQuestion(
        kind,
        request.getString("question", ""),
        kind == InputKind.APPROVAL && choices.isEmpty() ? YES_OR_NO : choices,
        patience,
        fallback,
        request.getJsonObject("state", new JsonObject()).encode());
  }
}
