package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.ToolResult;
import dev.holdfast.resilience.Call;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.Guard;
import dev.holdfast.time.Time;
import java.time.Duration;

/** What every call to one extension goes through: breaker, bulkhead, counters. */
final class ExtensionCalls {
  /** Beyond the call's own limit, so that it ends by that; for the wait in the bulkhead too. */
  static final Duration MARGIN = Duration.ofSeconds(10);

  private final ExtensionConfig config;
  private final ExtensionMetrics metrics;
  private final Guard guard;
  private final Time time;

  ExtensionCalls(ExtensionConfig config, ExtensionMetrics metrics, ExtensionServices services) {
    this.config = config;
    this.metrics = metrics;
    this.guard = services.guards().guard(guardName(config.id()));
    this.time = services.time();
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
      metrics.cancelled(Duration.ofNanos(time.nanos() - begun));
      throw e;
    }
    metrics.called(result, Duration.ofNanos(time.nanos() - begun));
    return result;
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
