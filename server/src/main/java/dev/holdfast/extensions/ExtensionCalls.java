package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.ToolResult;
import dev.holdfast.resilience.Call;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.Guard;
import dev.holdfast.supervision.RecentResults;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What every call to one extension goes through: counters, and of tools breaker and bulkhead. */
final class ExtensionCalls {
  /** Beyond the call's own limit, so that it ends by that; for the wait in the bulkhead too. */
  static final Duration MARGIN = Duration.ofSeconds(10);

  private final ExtensionConfig config;
  private final ExtensionMetrics metrics;
  private final Guard guard;
  private final RecentResults results;
  private final Time time;
  private final UnaryOperator<String> redaction;

  ExtensionCalls(ExtensionConfig config, ExtensionMetrics metrics, ExtensionServices services) {
    this.config = config;
    this.metrics = metrics;
    this.guard = services.guards().guard(guardName(config.id()));
    this.results = services.results();
    this.time = services.time();
    this.redaction = services.secrets()::redact;
  }

  static String guardName(String id) {
    return "ext:" + id;
  }

  /** Whatever goes wrong is a result. */
  ToolResult run(ReplayClass replay, Call<ToolResult> call) throws InterruptedException {
    return run(replay, Duration.ZERO, _ -> call.run());
  }

  /**
   * As the other one, for a call that may ask a person, which it says first.
   *
   * @param asking how much longer it may take then
   */
  ToolResult run(ReplayClass replay, Duration asking, Guard.ReleasableCall<ToolResult> call)
      throws InterruptedException {
    long begun = time.nanos();
    ToolResult result;
    try {
      // One try, for which nothing is slept: the toolbox repeats what may be repeated.
      result =
          guard.probe(Deadline.in(time, config.timeouts().call().plus(asking).plus(MARGIN)), call);
    } catch (CallFailedException e) {
      result = failed(e.failure(), replay);
    } catch (InterruptedException e) {
      metrics.cancelled(since(begun));
      throw e;
    }
    metrics.called(result.failure(), since(begun));
    note(result.failure());
    return result;
  }

  /** Attempts at tasks are noted by whoever gives them out, under the name of their agent. */
  private void note(@Nullable Failure failure) {
    if (failure == null) {
      results.succeeded(config.id());
    } else if (countsAgainst(failure)) {
      results.failed(config.id(), failure.code().name(), redaction.apply(failure.message()));
    }
  }

  /** Whether it speaks against the extension: not what was asked wrongly, nor never reached it. */
  private static boolean countsAgainst(Failure failure) {
    return switch (failure.code()) {
      case BACKEND_FAILURE, TIMEOUT, STREAM_TIMEOUT, IO, INTERNAL, NETWORK, ACTOR_CRASHED -> true;
      case RATE_LIMITED,
          OVERLOADED,
          BULKHEAD_FULL,
          CIRCUIT_OPEN,
          UNKNOWN_MESSAGE_TYPE,
          INVALID_MESSAGE,
          INVALID_REQUEST,
          ACTION_NOT_SUPPORTED,
          AUTH,
          QUOTA,
          CONTEXT_OVERFLOW,
          CANCELLED,
          ACTOR_NOT_FOUND,
          MAX_RESTARTS_EXCEEDED,
          AGENT_UNAVAILABLE,
          BUDGET_EXHAUSTED ->
          false;
    };
  }

  /**
   * One attempt at a task. It passes by the breaker: whoever gives out tasks has one for each
   * agent, and two would count each failure twice.
   *
   * @param call returns the output; what it throws is settled when it is unsent or has {@link
   *     ExtensionTool#REPORTED_BY_EXTENSION} in its context
   */
  AttemptAnswer attempt(Call<String> call) throws InterruptedException {
    long begun = time.nanos();
    try {
      String output = call.run();
      metrics.called(null, since(begun));
      return new AttemptAnswer.Done(output);
    } catch (InputNeededException e) {
      metrics.called(null, since(begun));
      return new AttemptAnswer.Asks(e.request());
    } catch (CallFailedException e) {
      metrics.called(e.failure(), since(begun));
      return answer(e.failure());
    } catch (InterruptedException e) {
      metrics.cancelled(since(begun));
      throw e;
    }
  }

  /** For an action that it does not have, or that is not offered. */
  static Failure unsupported(String extension, TaskCall call) {
    String text = "Extension " + extension + " offers no action " + call.action() + ".";
    return Failure.of(FailureCode.ACTION_NOT_SUPPORTED, text).unsent();
  }

  private AttemptAnswer answer(Failure failure) {
    boolean settled =
        failure.isUnsent() || failure.context().containsKey(ExtensionTool.REPORTED_BY_EXTENSION);
    String message = Texts.shown(redaction.apply(failure.message()));
    return new AttemptAnswer.Failed(worded(failure, message), settled);
  }

  /** The same in other words. */
  static Failure worded(Failure failure, String message) {
    return new Failure(
        failure.kind(), failure.code(), message, failure.retryAfter(), failure.context());
  }

  private Duration since(long begun) {
    return Duration.ofNanos(time.nanos() - begun);
  }

  private static ToolResult failed(Failure failure, ReplayClass replay) {
    boolean mayHaveRun =
        !failure.isUnsent()
            && (failure.code() == FailureCode.BACKEND_FAILURE
                || failure.code() == FailureCode.TIMEOUT);
    return failure.isPassing() && mayHaveRun && !replay.isRepeatable()
        ? ToolResult.error(
            failure,
            failure.message()
                + (failure.message().endsWith(".") ? "" : ".")
                + " The outcome is unknown: check before repeating.")
        : ToolResult.error(failure);
  }
}
