package dev.holdfast.tasks.run;

import dev.holdfast.extensions.Texts;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.ledger.TaskInput;
import java.util.Locale;

/** What an agent asks for, as people read it in a chat. */
final class QuestionText {
  private static final int GOAL_SHOWN = 120;

  private QuestionText() {}

  static String of(Plan plan, Task task, TaskInput input) {
    String code = input.code().toUpperCase(Locale.ROOT);
    String goal = Texts.cut(Texts.visible(plan.goal().lines().findFirst().orElse("")), GOAL_SHOWN);
    String head =
        "The plan \"%s\" waits for you. Step %s (agent %s) asks:\n\n%s\n\n"
            .formatted(
                goal, task.step().name(), task.agent(), Texts.visible(input.question().text()));
    return head
        + switch (input.question().kind()) {
          case APPROVAL -> "Send /approve %s or /deny %s.".formatted(code, code);
          case ANSWER ->
              input.question().choices().isEmpty()
                  ? "Send /answer %s and your answer.".formatted(code)
                  : "Send /answer %s and one of: %s."
                      .formatted(
                          code,
                          String.join(
                              ", ",
                              input.question().choices().stream().map(Texts::visible).toList()));
          case CREDENTIAL ->
              "It is secret, so do not send it here. Give it on the chat page, or with holdfast"
                  + " plans answer "
                  + input.taskId()
                  + ".";
        };
  }
}
