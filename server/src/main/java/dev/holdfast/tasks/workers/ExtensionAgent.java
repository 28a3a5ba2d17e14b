package dev.holdfast.tasks.workers;

import dev.holdfast.api.Failure;
import dev.holdfast.extensions.AttemptAnswer;
import dev.holdfast.extensions.ExtensionActions;
import dev.holdfast.extensions.TaskCall;
import dev.holdfast.tasks.rules.TaskFailure;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An agent that does what an extension can do.
 *
 * @param extension its id; there need not be such an extension now
 */
record ExtensionAgent(
    String id, String extension, AgentSettings settings, ExtensionActions extensions)
    implements WorkerAgent {

  @Override
  public List<AgentAction> actions() {
    return extensions.actions(extension).stream()
        .map(
            action ->
                new AgentAction(
                    action.name(), action.description(), action.schema(), action.replay()))
        .toList();
  }

  @Override
  public AttemptResult attempt(Assignment assignment) throws InterruptedException {
    TaskCall call =
        new TaskCall(
            id,
            assignment.planId(),
            assignment.taskId(),
            assignment.key(),
            assignment.attempt(),
            assignment.action(),
            assignment.payload(),
            assignment.origin().threadId(),
            assignment.origin().eventId(),
            assignment.origin().person(),
            assignment.limit(),
            assignment.progress(),
            input(assignment));
    return switch (extensions.attempt(extension, call)) {
      case AttemptAnswer.Done(String output) -> new AttemptResult.Done(output);
      case AttemptAnswer.Asks(JsonObject request) -> QuestionReader.read(id, request);
      case AttemptAnswer.Failed(Failure failure, boolean settled) ->
          new AttemptResult.Failed(new TaskFailure(failure.code(), failure.message(), settled));
    };
  }

  @Override
  public void renew() {
    extensions.renew(extension);
  }

  private static @Nullable JsonObject input(Assignment assignment) {
    Assignment.Input input = assignment.input();
    return input == null
        ? null
        : new JsonObject()
            .put("answer", input.answer())
            .put("by", input.by())
            .put("state", new JsonObject(input.state()));
  }
}
