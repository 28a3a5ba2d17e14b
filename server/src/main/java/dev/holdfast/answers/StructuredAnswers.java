package dev.holdfast.answers;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ToolCall;
import dev.holdfast.models.ModelQuestion;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/**
 * Has a model fill in a form: what is wrong with its answer is shown to it once, and it may mend
 * it. Thread-safe; blocks for as long as a model may take.
 */
public final class StructuredAnswers {
  private static final int TRIES = 2;

  private StructuredAnswers() {}

  /** Asks a model. Blocks for as long as one may take. */
  public interface Questioned {
    ModelAnswer ask(ModelQuestion question) throws CallFailedException, InterruptedException;
  }

  /** What has come of a question. */
  public sealed interface Filled {
    record Good(JsonObject answer) implements Filled {}

    /** It is wrong at the second try, too. */
    record Bad(List<String> problems) implements Filled {
      public Bad {
        problems = List.copyOf(problems);
      }
    }

    /** Later it may work. */
    record Unreachable(String why) implements Filled {}
  }

  public static Filled ask(String system, String text, AnswerForm form, Questioned model)
      throws InterruptedException {
    List<Message> messages = new ArrayList<>(List.of(new Message.User(text)));
    List<String> problems = List.of();
    for (int i = 0; i < TRIES; i++) {
      Message.Assistant said;
      try {
        ModelQuestion question = new ModelQuestion(system, messages, List.of(form.spec()));
        said = model.ask(question).message();
      } catch (CallFailedException e) {
        return failed(e.failure());
      }
      String json = json(said, form);
      problems = form.problems(json);
      if (problems.isEmpty()) {
        return new Filled.Good(new JsonObject(json));
      }
      messages.add(said);
      messages.addAll(objections(said, problems));
    }
    return new Filled.Bad(problems);
  }

  /** Nothing that was asked for can be wrong for good but its length. */
  private static Filled failed(Failure failure) {
    return switch (failure.kind()) {
      case INVALID, FATAL -> new Filled.Bad(List.of(failure.message()));
      case TRANSIENT, PERMANENT -> new Filled.Unreachable(failure.message());
    };
  }

  /** The call, or an object in the text of a model that calls nothing. */
  private static String json(Message.Assistant said, AnswerForm form) {
    return said.toolCalls().stream()
        .filter(call -> call.tool().equals(form.spec().name()))
        .map(ToolCall::arguments)
        .findFirst()
        .orElseGet(
            () -> {
              int start = said.text().indexOf('{');
              int end = said.text().lastIndexOf('}');
              return start >= 0 && start < end
                  ? said.text().substring(start, end + 1)
                  : "no object";
            });
  }

  private static List<Message> objections(Message.Assistant said, List<String> problems) {
    String objection =
        "This was not accepted: " + String.join(" ", problems) + " Correct it and answer again.";
    List<Message> messages = new ArrayList<>();
    said.toolCalls()
        .forEach(
            call -> messages.add(new Message.ToolResult(call.id(), call.tool(), objection, true)));
    return messages.isEmpty() ? List.of(new Message.User(objection)) : messages;
  }
}
