package dev.holdfast.tasks.run;

import dev.holdfast.tasks.ledger.TaskInput;
import dev.holdfast.tasks.rules.InputKind;
import dev.holdfast.tasks.rules.InputQuestion;
import dev.holdfast.tasks.rules.TaskFailure;
import dev.holdfast.tasks.workers.AttemptResult;
import java.util.Optional;

/**
 * A credential that a person has given an agent: what the agent says goes on without it.
 *
 * @param text empty for none
 */
record CredentialMask(String text) {
  private static final String STAND_IN = "[credential]";

  static CredentialMask of(Optional<TaskInput> input) {
    return new CredentialMask(
        input
            .filter(given -> given.question().kind() == InputKind.CREDENTIAL)
            .map(TaskInput::answer)
            .orElse(""));
  }

  AttemptResult removedFrom(AttemptResult result) {
    if (text.isBlank()) {
      return result;
    }
    return switch (result) {
      case AttemptResult.Done(String output) -> new AttemptResult.Done(removedFrom(output));
      case AttemptResult.Asks(InputQuestion asked) ->
          new AttemptResult.Asks(
              new InputQuestion(
                  asked.kind(),
                  removedFrom(asked.text()),
                  asked.choices(),
                  asked.patience(),
                  asked.fallback(),
                  removedFrom(asked.state())));
      case AttemptResult.Failed(TaskFailure failure) ->
          new AttemptResult.Failed(
              new TaskFailure(failure.code(), removedFrom(failure.message()), failure.settled()));
    };
  }

  private String removedFrom(String said) {
    return said.replace(text, STAND_IN);
  }
}
