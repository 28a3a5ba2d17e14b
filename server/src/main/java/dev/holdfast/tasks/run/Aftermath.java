package dev.holdfast.tasks.run;

import dev.holdfast.api.FailureCode;
import dev.holdfast.tasks.rules.TaskFailure;
import dev.holdfast.tasks.workers.Assignment;
import dev.holdfast.tasks.workers.AttemptResult;
import dev.holdfast.tasks.workers.WorkerAgent;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.util.Optional;

/**
 * What has become of an attempt that was cut off and may not simply be made again: the agent is
 * asked by its action {@code check}, and undoes by {@code rollback} what is done by half. Both get
 * {@code {action, payload, idempotency_key}}.
 */
final class Aftermath {
  static final String CHECK = "check";
  static final String ROLLBACK = "rollback";

  private Aftermath() {}

  /** Whether the agent can say afterwards what has become of a task. */
  static boolean canCheck(RunningTask one) {
    return !one.action().name().equals(CHECK)
        && !one.action().name().equals(ROLLBACK)
        && one.agent().action(CHECK).isPresent();
  }

  /**
   * How the attempt has ended after all; empty when nothing of it is left, so that it may be made.
   */
  static Optional<AttemptResult> of(WorkerAgent agent, Assignment assignment)
      throws InterruptedException {
    String payload =
        new JsonObject()
            .put("action", assignment.action())
            .put("payload", new JsonObject(assignment.payload()))
            .put("idempotency_key", assignment.key())
            .encode();
    AttemptResult checked = agent.attempt(assignment.of(CHECK, payload));
    if (!(checked instanceof AttemptResult.Done(String answer))) {
      return Optional.of(settled(checked));
    }
    JsonObject found = read(answer);
    return switch (String.valueOf(found.getValue("state"))) {
      case "done" -> Optional.of(new AttemptResult.Done(Json.encode(found.getValue("output"))));
      case "not_done" -> Optional.empty();
      case "half" -> undone(agent, assignment.of(ROLLBACK, payload));
      default ->
          Optional.of(
              failed(
                  FailureCode.BACKEND_FAILURE,
                  "agent %s did not say done, not_done or half of what was cut off"
                      .formatted(agent.id())));
    };
  }

  private static Optional<AttemptResult> undone(WorkerAgent agent, Assignment rollback)
      throws InterruptedException {
    if (agent.action(ROLLBACK).isEmpty()) {
      return Optional.of(
          failed(
              FailureCode.INVALID_REQUEST,
              "it was done by half when it was cut off, and agent %s has no rollback"
                  .formatted(agent.id())));
    }
    AttemptResult result = agent.attempt(rollback);
    return result instanceof AttemptResult.Done ? Optional.empty() : Optional.of(settled(result));
  }

  /** A check changes nothing, and an undoing may be made again: neither leaves a doubt. */
  private static AttemptResult settled(AttemptResult result) {
    return switch (result) {
      case AttemptResult.Failed(TaskFailure failure) -> failed(failure.code(), failure.message());
      case AttemptResult.Asks _ ->
          failed(FailureCode.BACKEND_FAILURE, "an agent asks for nothing while it checks");
      case AttemptResult.Done done -> done;
    };
  }

  private static AttemptResult failed(FailureCode code, String message) {
    return new AttemptResult.Failed(new TaskFailure(code, message, true));
  }

  private static JsonObject read(String answer) {
    try {
      return new JsonObject(answer);
    } catch (DecodeException _) {
      return new JsonObject();
    }
  }
}
