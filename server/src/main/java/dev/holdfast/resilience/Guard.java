package dev.holdfast.resilience;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.Function;

/**
 * What every call to one named dependency goes through, outermost first: deadline, retry,
 * retry-after hold, breaker, bulkhead. Thread-safe; blocks the calling (virtual) thread.
 */
public final class Guard {
  /** The longest that an opening breaker goes unnoticed by those who wait to try again. */
  private static final Duration SLEEP_SLICE = Duration.ofSeconds(1);

  /** A trial's call is ended by its deadline; this much later it counts as lost. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private static final Set<FailureCode> USUAL =
      Set.of(
          FailureCode.BACKEND_FAILURE,
          FailureCode.TIMEOUT,
          FailureCode.NETWORK,
          FailureCode.RATE_LIMITED,
          FailureCode.OVERLOADED);

  private final String name;
  private final Time time;
  private final DoubleSupplier random;
  private final MeterRegistry registry;
  private final Retry retry;
  private final RetryBudget budget;
  private final RetryAfterHold retryAfterHold;
  private final HoldfastBreaker breaker;
  private final Bulkhead bulkhead;
  private final GuardMemory memory;
  private final Object keeping = new Object();
  private final Set<Meter> meters = new HashSet<>(); // under its own lock
  private boolean closed; // under the lock of the meters

  Guard(String name, GuardConfig config, BreakerSettings settings, GuardEnvironment environment) {
    this.name = name;
    this.time = environment.time();
    this.random = environment.random();
    this.registry = environment.registry();
    this.retry = new Retry(config.rateLimit(), config.serverError());
    this.budget = new RetryBudget(config.budgetPercent(), time);
    this.retryAfterHold = new RetryAfterHold(name, time, random);
    this.breaker = new HoldfastBreaker(name, settings, time, random, environment.vertx());
    this.memory = environment.memory();
    memory.recall(name).ifPresent(this::restore);
    breaker.onChange(_ -> keep());
    this.bulkhead = new Bulkhead(name, config.maxConcurrent(), config.bulkheadWait(), time);
    meters.add(
        Gauge.builder("holdfast.breaker.state", breaker, Guard::stateNumber)
            .description("0 closed, 1 half-open, 2 open")
            .tag("name", name)
            .register(registry));
    USUAL.forEach(code -> countRetry(code, 0)); // so that a rate can be read before the first one
  }

  private void restore(GuardState known) {
    retryAfterHold.restore(known.hold());
    breaker.restore(known);
  }

  /** In one step, so that the newest state is the one that stays. */
  private void keep() {
    synchronized (keeping) {
      memory.keep(name, breaker.state(retryAfterHold.state()));
    }
  }

  /** How much of the time since then the dependency has asked to be left alone. */
  public Duration pacedSince(Instant since) {
    return retryAfterHold.heldSince(since);
  }

  /** The wait that the dependency has asked for, when it is longer than any call sleeps. */
  Optional<HoldView> longHold() {
    GuardState.Wait hold = retryAfterHold.state();
    return hold.length().compareTo(RetryAfterHold.SLEEP_MAX) > 0
        ? Optional.of(new HoldView(name, hold.until()))
        : Optional.empty();
  }

  /** Takes its meters and timers back; it begins no further try. */
  void close() {
    synchronized (meters) {
      closed = true;
      meters.forEach(registry::remove);
      meters.clear();
    }
    breaker.close();
  }

  private boolean isClosed() {
    synchronized (meters) {
      return closed;
    }
  }

  /** The dependency, for example {@code llm:anthropic}. */
  public String name() {
    return name;
  }

  /** The breaker within, for callers that live on futures. */
  public HoldfastBreaker breaker() {
    return breaker;
  }

  /**
   * Runs {@code call} until it succeeds, fails for good, or the deadline is over; a call that is
   * still under way then is interrupted and fails as {@code TIMEOUT}. A rejection by the open
   * breaker is not retried: it comes out at once as {@code CIRCUIT_OPEN} with the time until the
   * next probe as its retry-after. A wait that the dependency asked for is slept if it is at most
   * 60 s and within the deadline, else it comes out as {@code RATE_LIMITED} with that wait.
   *
   * @throws InterruptedException at once when the caller is interrupted; says nothing about the
   *     dependency
   */
  public <T> T run(Deadline deadline, Call<T> call)
      throws CallFailedException, InterruptedException {
    return run(deadline, FlowKey.NONE, call, Verdict::of);
  }

  /**
   * As {@link #run(Deadline, Call)}.
   *
   * @param flow with whom the call shares its turns when it has to wait for a place
   * @param judge says what a failure of the call means; asked once a try, on the calling thread
   */
  public <T> T run(Deadline deadline, FlowKey flow, Call<T> call, Function<Failure, Verdict> judge)
      throws CallFailedException, InterruptedException {
    budget.first();
    for (int tries = 1; ; tries++) {
      awaitHold(deadline);
      CallFailedException failed;
      try {
        return attempt(deadline, flow, _ -> call.run(), judge);
      } catch (CallFailedException e) {
        failed = e;
      }
      awaitNextTry(failed, tries, deadline);
    }
  }

  /**
   * As {@link #run}, but one try only: the probe of whoever waits for the dependency to come back.
   */
  public <T> T probe(Deadline deadline, Call<T> call)
      throws CallFailedException, InterruptedException {
    return probe(deadline, FlowKey.NONE, call, Verdict::of);
  }

  /** A call that may wait for something else than its dependency. */
  public interface ReleasableCall<T> {
    /**
     * Blocks the calling thread; an interrupt ends it.
     *
     * @param release from then on the call's end says nothing about the dependency, and another one
     *     may be the trial of a half-open breaker
     */
    T run(Runnable release) throws CallFailedException, InterruptedException;
  }

  /** As {@link #probe(Deadline, Call)}. */
  public <T> T probe(Deadline deadline, ReleasableCall<T> call)
      throws CallFailedException, InterruptedException {
    return probeOnce(deadline, FlowKey.NONE, call, Verdict::of);
  }

  /**
   * As {@link #probe(Deadline, Call)}.
   *
   * @param flow as for {@link #run(Deadline, FlowKey, Call, Function)}
   * @param judge says what a failure of the call means; asked once, on the calling thread
   */
  public <T> T probe(
      Deadline deadline, FlowKey flow, Call<T> call, Function<Failure, Verdict> judge)
      throws CallFailedException, InterruptedException {
    return probeOnce(deadline, flow, _ -> call.run(), judge);
  }

  private <T> T probeOnce(
      Deadline deadline, FlowKey flow, ReleasableCall<T> call, Function<Failure, Verdict> judge)
      throws CallFailedException, InterruptedException {
    Duration held = retryAfterHold.left();
    if (!held.isZero()) {
      throw retryAfterHold.refusal(held);
    }
    budget.first();
    return attempt(deadline, flow, call, judge);
  }

  /**
   * How long until a call would be let through; zero when it would be now. Counts the breaker and
   * the hold.
   */
  public Duration opensIn() {
    Duration breakerWait = breaker.opensIn();
    Duration holdWait = retryAfterHold.left();
    return breakerWait.compareTo(holdWait) > 0 ? breakerWait : holdWait;
  }

  /** How long its breaker stays open, by how often it has opened. */
  public Backoff pauses() {
    return breaker.pauses();
  }

  /** Closes the breaker and forgets the wait that the dependency asked for. */
  void reset() {
    retryAfterHold.clear();
    breaker.reset();
    keep();
  }

  private void awaitHold(Deadline deadline) throws CallFailedException, InterruptedException {
    while (true) {
      checkOpen();
      Duration wait = retryAfterHold.wait(deadline);
      if (wait.isZero()) {
        return;
      }
      sleepUnlessOpen(wait); // and look again: another call may have been told to wait longer
    }
  }

  private <T> T attempt(
      Deadline deadline, FlowKey flow, ReleasableCall<T> call, Function<Failure, Verdict> judge)
      throws CallFailedException, InterruptedException {
    while (true) {
      if (deadline.isOver()) {
        throw new CallFailedException(
            Failure.of(FailureCode.TIMEOUT, name + ": no time left to try"));
      }
      BreakerPermit permit = breaker.acquire(deadline.left().plus(GRACE));
      try {
        bulkhead.enter(deadline, flow);
        try {
          if (permit.isCurrent()) { // else the breaker moved while this call stood in line
            return attempt(deadline, call, judge, permit);
          }
        } finally {
          bulkhead.leave();
        }
      } finally {
        permit.neutral(); // for every way out that has not said more
      }
    }
  }

  private <T> T attempt(
      Deadline deadline,
      ReleasableCall<T> call,
      Function<Failure, Verdict> judge,
      BreakerPermit permit)
      throws CallFailedException, InterruptedException {
    try {
      T result = DeadlineWatch.run(deadline, () -> call.run(permit::neutral));
      permit.succeeded();
      return result;
    } catch (CallFailedException e) {
      Verdict verdict = judge.apply(e.failure());
      if (retryAfterHold.observe(e.failure(), verdict.holdMax())) {
        keep();
      }
      verdict.outcome().settle(permit);
      throw e;
    }
  }

  /** Waits for the next try, or throws the failure when there is to be none. */
  private void awaitNextTry(CallFailedException failed, int tries, Deadline deadline)
      throws CallFailedException, InterruptedException {
    Failure failure = failed.failure();
    Optional<Duration> wait = retry.waitAfter(failure, tries, random.getAsDouble());
    if (wait.isEmpty()
        || deadline.left().compareTo(wait.get()) <= 0
        || deadline.left().compareTo(failure.retryAfter()) <= 0
        || breaker.isOpen()
        || isClosed()
        || !budget.take()) {
      throw failed;
    }
    countRetry(failure.code(), 1);
    sleepUnlessOpen(wait.get());
  }

  /** Sleeps, but not on when the breaker opens: whoever waits then is to hear of it soon. */
  private void sleepUnlessOpen(Duration wait) throws CallFailedException, InterruptedException {
    Duration left = wait;
    while (left.isPositive()) {
      Duration slice = left.compareTo(SLEEP_SLICE) < 0 ? left : SLEEP_SLICE;
      time.sleep(slice);
      left = left.minus(slice);
      checkOpen();
    }
  }

  private void checkOpen() throws CallFailedException {
    if (isClosed()) {
      throw new CallFailedException(
          Failure.of(FailureCode.AGENT_UNAVAILABLE, name + " was removed"));
    }
    if (breaker.isOpen()) {
      throw breaker.rejection();
    }
  }

  private void countRetry(FailureCode code, int by) {
    synchronized (meters) {
      if (!closed) {
        Counter counter =
            Counter.builder("holdfast.retries")
                .description("calls that were made again, by the failure before")
                .tag("name", name)
                .tag("code", code.name())
                .register(registry);
        meters.add(counter);
        counter.increment(by);
      }
    }
  }

  private static double stateNumber(HoldfastBreaker breaker) {
    return switch (breaker.state()) {
      case CLOSED -> 0;
      case HALF_OPEN -> 1;
      case OPEN -> 2;
    };
  }
}
