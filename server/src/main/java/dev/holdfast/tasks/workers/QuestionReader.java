package dev.holdfast.tasks.workers;

import dev.holdfast.api.FailureCode;
import dev.holdfast.tasks.rules.InputKind;
import dev.holdfast.tasks.rules.InputQuestion;
import dev.holdfast.tasks.rules.TaskFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads what an action asks a person for: {@code {kind, question, choices, deadline_secs,
 * at_deadline, state}}; only the question is required.
 */
final class QuestionReader {
  private static final List<String> YES_OR_NO = List.of("Allow", "Reject");

  private QuestionReader() {}

  /**
   * The question, or how it fails when there is something wrong with it. What it did before it
   * asked that way is not known.
   */
  static AttemptResult read(String agent, JsonObject request) {
    String problem;
    try {
      InputQuestion question = question(request);
      if (question.problems().isEmpty()) {
        return new AttemptResult.Asks(question);
      }
      problem = String.join("; ", question.problems());
    } catch (IllegalArgumentException e) {
      problem = String.valueOf(e.getMessage());
    }
    return new AttemptResult.Failed(
        new TaskFailure(
            FailureCode.BACKEND_FAILURE,
            "agent %s asked for input in a way that cannot be understood: %s"
                .formatted(agent, problem),
            false));
  }

  private static InputQuestion question(JsonObject request) {
    InputKind kind = kind(value(request, "kind", String.class, "a text", "answer"));
    List<String> choices = choices(request);
    Number patience =
        value(
            request, "deadline_secs", Number.class, "a number", InputQuestion.PATIENCE.toSeconds());
    String atDeadline = value(request, "at_deadline", String.class, "a text", "fail");
    @Nullable String fallback = atDeadline.equals("fail") ? null : atDeadline;
    return new InputQuestion(
        kind,
        value(request, "question", String.class, "a text", ""),
        kind == InputKind.APPROVAL && choices.isEmpty() ? YES_OR_NO : choices,
        Duration.ofSeconds(patience.longValue()),
        fallback,
        value(request, "state", JsonObject.class, "a JSON object", new JsonObject()).encode());
  }

  private static InputKind kind(String name) {
    return Stream.of(InputKind.values())
        .filter(kind -> kind.name().toLowerCase(Locale.ROOT).equals(name))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("kind is not answer, approval or credential"));
  }

  private static List<String> choices(JsonObject request) {
    String wanted = "a list of texts";
    List<String> choices = new ArrayList<>();
    for (Object each :
        value(request, "choices", JsonArray.class, wanted, new JsonArray()).getList()) {
      if (!(each instanceof String choice)) {
        throw new IllegalArgumentException("choices is not " + wanted);
      }
      choices.add(choice);
    }
    return choices;
  }

  /** What a key holds; {@code absent} without it. */
  private static <T> T value(
      JsonObject request, String key, Class<T> type, String wanted, T absent) {
    Object found = request.getValue(key);
    if (found == null) {
      return absent;
    }
    if (!type.isInstance(found)) {
      throw new IllegalArgumentException(key + " is not " + wanted);
    }
    return type.cast(found);
  }
}
