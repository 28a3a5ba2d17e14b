package dev.holdfast.drills;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.resilience.FaultPoint;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Calls that fail where they leave the server. Thread-safe. */
public final class CallFault implements Injection.Fault {
  private static final Duration SLICE = Duration.ofMillis(100);

  private final FaultPoint point;
  private final AtomicLong strikes = new AtomicLong();
  private volatile boolean over;

  private CallFault(FaultPoint point) {
    this.point = point;
  }

  /** What the calls go to: of those one may be meant. */
  public record Targets(String kind, Supplier<List<String>> names) {
    void check(String wanted) throws DrillRefusedException {
      List<String> there = names.get();
      if (!wanted.isEmpty() && !there.contains(wanted)) {
        throw DrillRefusedException.invalid(
            "there is no %s %s; %s"
                .formatted(
                    kind,
                    wanted,
                    there.isEmpty() ? "there is none" : "there are: " + String.join(", ", there)));
      }
    }
  }

  /** Connections are refused. */
  public static Injection refused(FaultPoint point, Targets targets) {
    return failing(
        point,
        targets,
        target ->
            Failure.of(FailureCode.NETWORK, "no connection to " + target + ": refused by a drill")
                .unsent());
  }

  /** Attempts end as if whoever makes them had crashed. */
  public static Injection crashed(FaultPoint point, Targets targets) {
    return failing(
        point,
        targets,
        target -> Failure.of(FailureCode.ACTOR_CRASHED, target + " crashed, as a drill wants it"));
  }

  /** What a call fails with. */
  private interface Cause {
    Failure of(String target);
  }

  private static Injection failing(FaultPoint point, Targets targets, Cause cause) {
    return wanted -> {
      targets.check(wanted);
      CallFault fault = new CallFault(point);
      point.inject(
          target -> {
            if (wanted.isEmpty() || wanted.equals(target)) {
              fault.strikes.incrementAndGet();
              throw new CallFailedException(cause.of(target));
            }
          });
      return fault;
    };
  }

  /**
   * Calls are not answered until {@code limit} has passed; those that still wait at the end of the
   * drill go out then.
   */
  public static Injection hanging(FaultPoint point, Duration limit, Time time) {
    return _ -> {
      CallFault fault = new CallFault(point);
      point.inject(target -> fault.hang(target, limit, time));
      return fault;
    };
  }

  private void hang(String target, Duration limit, Time time)
      throws CallFailedException, InterruptedException {
    strikes.incrementAndGet();
    long begun = time.nanos();
    while (!over) {
      if (time.nanos() - begun >= limit.toNanos()) {
        throw new CallFailedException(
            Failure.of(FailureCode.TIMEOUT, target + " has not answered: a drill"));
      }
      time.sleep(SLICE);
    }
  }

  @Override
  public long strikes() {
    return strikes.get();
  }

  @Override
  public void close() {
    if (!over) {
      over = true;
      point.clear();
    }
  }
}
