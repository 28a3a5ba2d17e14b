package dev.holdfast.resilience;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.resilience.BreakerMoves.Moment;
import dev.holdfast.time.Time;
import io.vertx.circuitbreaker.CircuitBreaker;
import io.vertx.circuitbreaker.CircuitBreakerOptions;
import io.vertx.circuitbreaker.CircuitBreakerState;
import io.vertx.circuitbreaker.FailurePolicy;
import io.vertx.circuitbreaker.RetryPolicy;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A circuit breaker that needs several successes to close, waits longer at each re-opening, knows
 * outcomes that say nothing, and hears no straggler.
 *
 * <p>The library's own class can do none of these, so an instance of it only executes (a timeout, a
 * caught throw, the caller's context), while {@link BreakerMoves} decides. Thread-safe; no method
 * blocks.
 */
public final class HoldfastBreaker implements CircuitBreaker {
  /**
   * The longest that a call through the interface may take, and that a trial may hold up all
   * others.
   */
  static final Duration CALL_MAX = Duration.ofMinutes(10);

  /** How soon a call that meets a breaker opened by hand may ask again. */
  private static final Duration BLOCKED = Duration.ofSeconds(60);

  /** What a call is told that meets another one's trial: nobody knows when that ends. */
  private static final Duration TRIAL_UNDER_WAY = Duration.ofSeconds(1);

  private final String name;
  private final BreakerSettings settings;
  private final Time time;
  private final DoubleSupplier random;
  private final CircuitBreaker executor;
  private final ChangeNotifier notifier;
  private final ReentrantLock lock = new ReentrantLock();

  private volatile BreakerState state = new BreakerState.Closed(1, 0);
  private Time.@Nullable Timer timer; // of the lock
  private boolean closed; // of the lock
  private volatile @Nullable Function<Throwable, ?> fallback;
  private volatile @Nullable FailurePolicy<Object> failurePolicy;

  /** {@code random}: from 0 (inclusive) to 1 (exclusive), for the jitter. */
  public HoldfastBreaker(
      String name, BreakerSettings settings, Time time, DoubleSupplier random, Vertx vertx) {
    this.name = name;
    this.settings = settings;
    this.time = time;
    this.random = random;
    this.notifier = new ChangeNotifier(name);
    this.executor =
        CircuitBreaker.create(
                name,
                vertx,
                new CircuitBreakerOptions()
                    .setMaxFailures(Integer.MAX_VALUE)
                    .setResetTimeout(-1)
                    .setTimeout(CALL_MAX.toMillis()))
            .failurePolicy(_ -> false);
  }

  /**
   * Lets a call through or refuses it.
   *
   * @param callMax how long the call may take: a trial that does not come back by then counts as
   *     lost
   * @throws CallFailedException {@code CIRCUIT_OPEN} with the time until the next trial
   */
  public BreakerPermit acquire(Duration callMax) throws CallFailedException {
    Step step = apply(new BreakerEvent.Asked(time.nanos() + callMax.toNanos()));
    if (!BreakerMoves.admits(step.before(), step.after())) {
      throw rejection();
    }
    return new BreakerPermit(this, step.after().epoch());
  }

  /** The refusal that a call would meet now. */
  CallFailedException rejection() {
    Duration wait = opensIn();
    String why =
        state instanceof BreakerState.Blocked
            ? " is blocked by hand"
            : " is unavailable: the next try is in " + wait.toMillis() + " ms";
    return new CallFailedException(
        Failure.of(FailureCode.CIRCUIT_OPEN, name + why).withRetryAfter(wait));
  }

  /**
   * How long until a call would be let through: zero when it would be now. Of one that is open
   * until it is reset by hand: when to ask again.
   */
  public Duration opensIn() {
    long now = time.nanos();
    return switch (state) {
      case BreakerState.Closed _, BreakerState.HalfOpen _ -> Duration.ZERO;
      case BreakerState.Open open -> Duration.ofNanos(Math.max(0, open.untilNanos() - now));
      case BreakerState.Blocked _ -> BLOCKED;
      case BreakerState.Trying trying -> {
        Duration left = Duration.ofNanos(Math.max(0, trying.trialEndsNanos() - now));
        yield left.compareTo(TRIAL_UNDER_WAY) < 0 ? left : TRIAL_UNDER_WAY;
      }
    };
  }

  Backoff pauses() {
    return settings.backoff();
  }

  /** Whether it is open and its wait is not yet over. */
  boolean isOpen() {
    return switch (state) {
      case BreakerState.Open open -> time.nanos() - open.untilNanos() < 0;
      case BreakerState.Blocked _ -> true;
      case BreakerState.Closed _, BreakerState.HalfOpen _, BreakerState.Trying _ -> false;
    };
  }

  public BreakerView view() {
    halfOpenIfDue();
    return view(state);
  }

  /** Whether no call has succeeded since it opened. */
  public boolean isFailing() {
    return state.isFailing();
  }

  /** Hears each change among closed, half open and open, in their order, outside of any lock. */
  public void onChange(Consumer<BreakerView> listener) {
    notifier.add(listener);
  }

  /** Opens for the wait that a failure would have brought. */
  public HoldfastBreaker trip() {
    apply(new BreakerEvent.Tripped());
    return this;
  }

  /** Opens by hand, until {@link #reset()}; a restart does not end it. */
  void block() {
    apply(new BreakerEvent.BlockedByHand());
  }

  /** Closes by hand, whatever the state. */
  @Override
  public HoldfastBreaker reset() {
    apply(new BreakerEvent.Reset());
    return this;
  }

  /** The same as {@link #trip()}. */
  @Override
  public HoldfastBreaker open() {
    return trip();
  }

  @Override
  public CircuitBreakerState state() {
    halfOpenIfDue();
    return state.shown();
  }

  /** Transient failures in a row. */
  @Override
  public long failureCount() {
    return state.failures();
  }

  @Override
  public String name() {
    return name;
  }

  /** Tells nobody any more and sets no timer; it goes on to decide. */
  @Override
  public HoldfastBreaker close() {
    executor.close();
    notifier.close();
    lock.lock();
    try {
      closed = true;
      cancelTimer();
    } finally {
      lock.unlock();
    }
    return this;
  }

  @Override
  public HoldfastBreaker openHandler(Handler<Void> handler) {
    return on(CircuitBreakerState.OPEN, handler);
  }

  @Override
  public HoldfastBreaker halfOpenHandler(Handler<Void> handler) {
    return on(CircuitBreakerState.HALF_OPEN, handler);
  }

  @Override
  public HoldfastBreaker closeHandler(Handler<Void> handler) {
    return on(CircuitBreakerState.CLOSED, handler);
  }

  @Override
  public <T> Future<T> execute(Handler<Promise<T>> command) {
    return guarded(() -> executor.execute(command), null);
  }

  @Override
  public <T> Future<T> execute(Supplier<Future<T>> command) {
    return guarded(() -> executor.execute(command), null);
  }

  @Override
  public <T> Future<T> executeWithFallback(
      Handler<Promise<T>> command, @Nullable Function<Throwable, T> instead) {
    return guarded(() -> executor.execute(command), instead);
  }

  @Override
  public <T> Future<T> executeWithFallback(
      Supplier<Future<T>> command, @Nullable Function<Throwable, T> instead) {
    return guarded(() -> executor.execute(command), instead);
  }

  @Override
  public <T> HoldfastBreaker executeAndReport(Promise<T> result, Handler<Promise<T>> command) {
    execute(command).onComplete(result);
    return this;
  }

  @Override
  public <T> HoldfastBreaker executeAndReportWithFallback(
      Promise<T> result, Handler<Promise<T>> command, @Nullable Function<Throwable, T> instead) {
    executeWithFallback(command, instead).onComplete(result);
    return this;
  }

  /** Answers for a call that is refused; a call that was made and failed keeps its failure. */
  @Override
  public <T> HoldfastBreaker fallback(@Nullable Function<Throwable, T> instead) {
    fallback = instead;
    return this;
  }

  /**
   * Says which outcomes count as failures. One that does not count although it failed is neutral,
   * no success.
   */
  @Override
  @SuppressWarnings(
      "unchecked") // a policy looks at outcomes of every type, as in the library's own class
  public <T> HoldfastBreaker failurePolicy(@Nullable FailurePolicy<T> policy) {
    failurePolicy = (FailurePolicy<Object>) policy;
    return this;
  }

  /** Has no effect: retries live above the breaker, in {@link Guard}, so that it sees every try. */
  @Override
  public HoldfastBreaker retryPolicy(RetryPolicy policy) {
    return this;
  }

  private <T> Future<T> guarded(
      Supplier<Future<T>> command, @Nullable Function<Throwable, T> instead) {
    BreakerPermit permit;
    try {
      permit = acquire(CALL_MAX.plus(TRIAL_UNDER_WAY));
    } catch (CallFailedException rejection) {
      return answerFor(rejection, instead);
    }
    Future<T> done = command.get();
    // The outcome is counted before the caller sees it.
    return done.andThen(_ -> outcome(done).settle(permit));
  }

  @SuppressWarnings(
      "unchecked") // the common fallback serves calls of every type, as in the library's own class
  private <T> Future<T> answerFor(
      CallFailedException rejection, @Nullable Function<Throwable, T> instead) {
    Function<Throwable, T> answer = instead == null ? (Function<Throwable, T>) fallback : instead;
    if (answer == null) {
      return Future.failedFuture(rejection);
    }
    try {
      return Future.succeededFuture(answer.apply(rejection));
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  @SuppressWarnings("unchecked") // see failurePolicy
  private CallOutcome outcome(Future<?> done) {
    FailurePolicy<Object> policy = failurePolicy;
    if (policy != null && policy.test((Future<Object>) done)) {
      return CallOutcome.FAILED;
    }
    if (done.succeeded()) {
      return CallOutcome.SUCCEEDED;
    }
    if (policy != null) {
      return CallOutcome.NEUTRAL;
    }
    // Whoever reports a failure through a future means the dependency, so an unknown one counts
    // too.
    Failure failure = Failures.of(done.cause());
    return failure.code() == FailureCode.INTERNAL ? CallOutcome.FAILED : CallOutcome.of(failure);
  }

  private HoldfastBreaker on(CircuitBreakerState which, Handler<Void> handler) {
    String shown = label(which);
    onChange(
        view -> {
          if (view.state().equals(shown)) {
            handler.handle(null);
          }
        });
    return this;
  }

  private void halfOpenIfDue() {
    if (state instanceof BreakerState.Open open && !isOpen()) {
      apply(new BreakerEvent.Elapsed(open.epoch()));
    }
  }

  long epoch() {
    return state.epoch();
  }

  /** A state and the one that an event made of it. */
  record Step(BreakerState before, BreakerState after) {}

  Step apply(BreakerEvent event) {
    Step step;
    lock.lock();
    try {
      Moment now = new Moment(time.nanos(), random.getAsDouble());
      step = new Step(state, BreakerMoves.next(state, event, now, settings));
      state = step.after();
      if (step.after() != step.before()) {
        setTimer(step.before(), step.after());
      }
      if (step.after().shown() != step.before().shown()
          || (step.after() instanceof BreakerState.Blocked && step.after() != step.before())) {
        notifier.enqueue(view(step.after()));
      }
    } finally {
      lock.unlock();
    }
    notifier.notifyListeners();
    return step;
  }

  /** Goes on where an earlier process was: with trials, unless it was closed. */
  void restore(GuardState known) {
    if (known.opens() == 0) {
      return;
    }
    lock.lock();
    try {
      if (known.open().equals(GuardState.Wait.UNTIL_RESET)) {
        state = new BreakerState.Blocked(state.epoch() + 1, known.failures(), known.opens());
        return;
      }
      Duration left = known.open().left(time.now());
      Duration wait = left.compareTo(settings.maxBackoff()) < 0 ? left : settings.maxBackoff();
      long until = time.nanos() + wait.toNanos();
      BreakerState open =
          new BreakerState.Open(state.epoch() + 1, known.failures(), known.opens(), until);
      setTimer(state, open);
      state = open;
    } finally {
      lock.unlock();
    }
  }

  /** What a process that goes on must know. */
  GuardState state(GuardState.Wait hold) {
    BreakerState known = state;
    GuardState.Wait open =
        known instanceof BreakerState.Blocked ? GuardState.Wait.UNTIL_RESET : GuardState.Wait.NONE;
    if (known instanceof BreakerState.Open(_, _, _, long untilNanos)) {
      Duration left = Duration.ofNanos(Math.max(0, untilNanos - time.nanos()));
      open = new GuardState.Wait(time.now().plus(left), left);
    }
    return new GuardState(known.failures(), known.opens(), open, hold);
  }

  private void setTimer(BreakerState before, BreakerState after) {
    if (before instanceof BreakerState.Open) {
      cancelTimer();
    }
    if (after instanceof BreakerState.Open open && !closed) {
      Duration wait = Duration.ofNanos(Math.max(0, open.untilNanos() - time.nanos()));
      timer = time.after(wait, () -> apply(new BreakerEvent.Elapsed(open.epoch())));
    }
  }

  private void cancelTimer() {
    Time.Timer set = timer;
    if (set != null) {
      set.cancel();
      timer = null;
    }
  }

  private BreakerView view(BreakerState of) {
    Instant openUntil =
        of instanceof BreakerState.Open open
            ? time.now().plusNanos(open.untilNanos() - time.nanos())
            : null;
    return new BreakerView(name, label(of.shown()), of.failures(), of.opens(), openUntil);
  }

  private static String label(CircuitBreakerState shown) {
    return shown.name().toLowerCase(Locale.ROOT);
  }
}
