package dev.holdfast.resilience;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.time.ManualTime;
import io.vertx.circuitbreaker.CircuitBreaker;
import io.vertx.circuitbreaker.CircuitBreakerState;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class HoldfastBreakerTest {
  private static final Vertx VERTX = Vertx.vertx();

  private final ManualTime time = new ManualTime();
  private final HoldfastBreaker breaker =
      new HoldfastBreaker("llm:test", BreakerSettings.DEFAULT, time, () -> 0.0, VERTX);

  @AfterAll
  static void stop() throws Exception {
    VERTX.close().await();
  }

  private BreakerPermit permit() throws CallFailedException {
    return breaker.acquire(ofMinutes(1));
  }

  private void open() throws CallFailedException {
    for (int i = 0; i < 5; i++) {
      permit().failed();
    }
  }

  @Test
  void opensAfterFiveFailuresInARowHoweverSlowlyTheyCome() throws Exception {
    for (int i = 0; i < 4; i++) {
      permit().failed();
      time.advance(ofHours(1));
    }
    assertThat(breaker.state()).isEqualTo(CircuitBreakerState.CLOSED);
    permit().failed();
    assertThat(breaker.state()).isEqualTo(CircuitBreakerState.OPEN);
    assertThat(breaker.failureCount()).isEqualTo(5);
  }

  @Test
  void aSuccessBreaksTheRowAndANeutralOutcomeDoesNot() throws Exception {
    for (int i = 0; i < 4; i++) {
      permit().failed();
    }
    permit().neutral();
    assertThat(breaker.failureCount()).isEqualTo(4);
    permit().succeeded();
    assertThat(breaker.failureCount()).isZero();
  }

  @Test
  void aRejectionSaysWhenTheNextTryIs() throws Exception {
    open();
    time.advance(ofSeconds(4));
    CallFailedException rejection = catchThrowableOfType(CallFailedException.class, this::permit);
    assertThat(rejection.failure().code()).isEqualTo(FailureCode.CIRCUIT_OPEN);
    assertThat(rejection.failure().retryAfter()).isEqualTo(ofSeconds(6));
    assertThat(breaker.opensIn()).isEqualTo(ofSeconds(6));
  }

  @Test
  void halfOpensByItselfAndLetsOneCallThroughAtATime() throws Exception {
    open();
    time.advance(ofSeconds(10));
    assertThat(breaker.state()).isEqualTo(CircuitBreakerState.HALF_OPEN);
    BreakerPermit trial = permit();
    assertThatThrownBy(this::permit).isInstanceOf(CallFailedException.class);
    trial.succeeded();
    assertThat(breaker.state()).isEqualTo(CircuitBreakerState.HALF_OPEN);
    permit().succeeded();
    assertThat(breaker.state()).isEqualTo(CircuitBreakerState.CLOSED);
  }

  @Test
  void aNeutralTrialGivesTheNextOneItsTurn() throws Exception {
    open();
    time.advance(ofSeconds(10));
    permit().succeeded();
    permit().neutral();
    permit().succeeded();
    assertThat(breaker.state()).isEqualTo(CircuitBreakerState.CLOSED);
  }

  @Test
  void aFailedTrialOpensItForLonger() throws Exception {
    open();
    time.advance(ofSeconds(10));
    permit().succeeded();
    permit().failed();
    assertThat(breaker.opensIn()).isEqualTo(ofSeconds(20));
    time.advance(ofSeconds(20));
    permit().succeeded();
    permit().succeeded();
    open();
    assertThat(breaker.opensIn()).as("closing forgets earlier openings").isEqualTo(ofSeconds(10));
  }

  @Test
  void aTrialThatNeverEndsDoesNotWedgeIt() throws Exception {
    open();
    time.advance(ofSeconds(10));
    BreakerPermit lost = permit();
    time.advance(ofMinutes(1));
    BreakerPermit second = permit();
    lost.failed();
    second.succeeded();
    permit().succeeded();
    assertThat(breaker.state()).isEqualTo(CircuitBreakerState.CLOSED);
  }

  @Test
  void aStragglerOfTheClosedTimeChangesNothing() throws Exception {
    BreakerPermit lateSuccess = permit();
    BreakerPermit lateFailure = permit();
    open();
    time.advance(ofSeconds(10));
    lateFailure.failed();
    lateSuccess.succeeded();
    assertThat(breaker.state()).isEqualTo(CircuitBreakerState.HALF_OPEN);
    permit().succeeded();
    assertThat(breaker.state()).isEqualTo(CircuitBreakerState.HALF_OPEN);
  }

  @Test
  void anOldTimerDoesNotHalfOpenALaterOpening() throws Exception {
    open();
    time.advance(ofSeconds(9));
    breaker.reset();
    open();
    time.advance(ofSeconds(9));
    assertThat(breaker.state()).isEqualTo(CircuitBreakerState.OPEN);
    time.advance(ofSeconds(1));
    assertThat(breaker.state()).isEqualTo(CircuitBreakerState.HALF_OPEN);
  }

  @Test
  void aHandCanOpenAndCloseIt() throws Exception {
    breaker.trip();
    assertThat(breaker.state()).isEqualTo(CircuitBreakerState.OPEN);
    assertThat(breaker.view().openUntil()).isEqualTo(time.now().plusSeconds(10));
    breaker.reset();
    assertThat(breaker.state()).isEqualTo(CircuitBreakerState.CLOSED);
    permit().succeeded();
  }

  @Test
  void tellsEachChangeInOrderAndSurvivesAListenerThatThrows() throws Exception {
    List<String> heard = new ArrayList<>();
    breaker.onChange(
        _ -> {
          throw new IllegalStateException("a bug");
        });
    breaker.onChange(view -> heard.add(view.state()));
    breaker.openHandler(_ -> heard.add("handler:open"));
    breaker.halfOpenHandler(_ -> heard.add("handler:half"));
    breaker.closeHandler(_ -> heard.add("handler:closed"));
    open();
    time.advance(ofSeconds(10));
    permit().succeeded();
    permit().succeeded();
    assertThat(heard)
        .containsExactly(
            "open", "handler:open", "half_open", "handler:half", "closed", "handler:closed");
  }

  @Test
  void aListenerMayMoveTheBreakerItself() throws Exception {
    List<String> heard = new ArrayList<>();
    breaker.onChange(
        view -> {
          heard.add(view.state());
          if (view.state().equals("open")) {
            breaker.reset();
          }
        });
    breaker.trip();
    assertThat(heard).containsExactly("open", "closed");
  }

  @Test
  void servesAsTheLibrarysInterface() {
    CircuitBreaker shared = breaker;
    assertThat(shared.<String>execute(promise -> promise.complete("fine")).await())
        .isEqualTo("fine");
    for (int i = 0; i < 5; i++) {
      assertThat(shared.execute(() -> Future.failedFuture("boom")).otherwise("").await())
          .isEqualTo("");
    }
    assertThat(shared.state()).isEqualTo(CircuitBreakerState.OPEN);
    Future<Object> rejected = shared.execute(() -> Future.succeededFuture("never"));
    assertThat(rejected.cause()).isInstanceOf(CallFailedException.class);
    assertThat(
            shared
                .executeWithFallback(() -> Future.succeededFuture("never"), _ -> "instead")
                .await())
        .isEqualTo("instead");
    assertThat(
            shared.fallback(_ -> "common").execute(() -> Future.succeededFuture("never")).await())
        .isEqualTo("common");
    time.advance(ofSeconds(10));
    assertThat(shared.execute(() -> Future.succeededFuture("one")).await()).isEqualTo("one");
    assertThat(shared.state()).isEqualTo(CircuitBreakerState.HALF_OPEN);
    assertThat(shared.execute(() -> Future.succeededFuture("two")).await()).isEqualTo("two");
    assertThat(shared.state()).isEqualTo(CircuitBreakerState.CLOSED);
  }

  @Test
  void countsAThrowOfAFutureCommandAndIgnoresAnInvalidCall() {
    assertThat(
            breaker
                .execute(
                    () -> {
                      throw new IllegalStateException("boom");
                    })
                .otherwise("caught")
                .await())
        .isEqualTo("caught");
    assertThat(breaker.failureCount()).isEqualTo(1);
    CallFailedException invalid =
        new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, "wrong"));
    assertThat(breaker.execute(() -> Future.failedFuture(invalid)).otherwise("").await())
        .isEqualTo("");
    assertThat(breaker.failureCount()).isEqualTo(1);
  }

  @Test
  void aFailureThatThePolicyIgnoresIsNeutralAndNoSuccess() {
    assertThat(breaker.execute(() -> Future.failedFuture("one")).otherwise("").await())
        .isEqualTo("");
    breaker.failurePolicy(_ -> false);
    assertThat(breaker.execute(() -> Future.failedFuture("two")).otherwise("").await())
        .isEqualTo("");
    assertThat(breaker.failureCount()).isEqualTo(1);
  }

  @Test
  void sixtyFourThreadsNeverSeeTwoTrialsAtOnceNorLeakAPermit() throws Exception {
    BreakerSettings quick = new BreakerSettings(3, 2, Duration.ofMillis(1), ofSeconds(1));
    HoldfastBreaker busy = new HoldfastBreaker("busy", quick, time, Math::random, VERTX);
    AtomicInteger trials = new AtomicInteger();
    AtomicInteger trialsMax = new AtomicInteger();
    AtomicInteger opened = new AtomicInteger();
    busy.openHandler(_ -> opened.incrementAndGet());
    CountDownLatch done = new CountDownLatch(64);
    for (int i = 0; i < 64; i++) {
      Thread.ofVirtual().start(() -> hammer(busy, trials, trialsMax, done));
    }
    done.await();
    assertThat(trialsMax.get()).isEqualTo(1);
    assertThat(opened.get()).isPositive();
    time.advance(ofSeconds(2));
    if (busy.state() != CircuitBreakerState.CLOSED) {
      busy.acquire(ofSeconds(1)).succeeded();
      busy.acquire(ofSeconds(1)).succeeded();
    }
    assertThat(busy.state()).isEqualTo(CircuitBreakerState.CLOSED);
  }

  private void hammer(
      HoldfastBreaker busy, AtomicInteger trials, AtomicInteger trialsMax, CountDownLatch done) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    for (int i = 0; i < 3000; i++) {
      time.advance(Duration.ofNanos(10_000));
      try {
        // Long enough that no trial counts as lost while it is under way.
        BreakerPermit permit = busy.acquire(ofHours(1));
        boolean trial = permit.isCurrent() && busy.state() == CircuitBreakerState.HALF_OPEN;
        if (trial) {
          trialsMax.accumulateAndGet(trials.incrementAndGet(), Math::max);
        }
        LockSupport.parkNanos(1);
        if (trial) {
          trials.decrementAndGet();
        }
        switch (random.nextInt(4)) {
          case 0 -> permit.neutral();
          case 1, 2 -> permit.failed();
          default -> permit.succeeded();
        }
      } catch (CallFailedException e) {
        LockSupport.parkNanos(1);
      }
    }
    done.countDown();
  }
}
