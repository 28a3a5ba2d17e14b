package dev.holdfast.resilience;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.Standstill;
import dev.holdfast.time.SystemTime;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.circuitbreaker.CircuitBreakerState;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class GuardTest {
  private static final Vertx VERTX = Vertx.vertx();

  private final ManualTime time = new ManualTime();
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private double chance = 0.5;
  private final Guards guards =
      Guards.create(
          GuardsConfig.defaults(), GuardMemory.none(), time, registry, VERTX, () -> chance);
  private final Guard guard = guards.guard("llm:test");
  private final Script script = new Script();

  @AfterAll
  static void stop() throws Exception {
    VERTX.close().await();
  }

  /** A dependency that fails as it is told, then answers. */
  private static final class Script implements Call<String> {
    private final List<Failure> failures = new ArrayList<>();
    private int calls;

    Script failsWith(FailureCode code, int times) {
      for (int i = 0; i < times; i++) {
        failures.add(Failure.of(code, "told to"));
      }
      return this;
    }

    Script asksToWait(Duration wait) {
      failures.add(Failure.of(FailureCode.RATE_LIMITED, "told to").withRetryAfter(wait));
      return this;
    }

    @Override
    public String run() throws CallFailedException {
      calls++;
      if (!failures.isEmpty()) {
        throw new CallFailedException(failures.removeFirst());
      }
      return "hello";
    }
  }

  private Deadline in(Duration budget) {
    return Deadline.in(time, budget);
  }

  private Failure failureOf(Duration budget) {
    return catchThrowableOfType(CallFailedException.class, () -> guard.run(in(budget), script))
        .failure();
  }

  @Test
  void triesAServerErrorThreeTimesWithFullJitter() throws Exception {
    script.failsWith(FailureCode.OVERLOADED, 2);
    assertThat(guard.run(in(ofMinutes(10)), script)).isEqualTo("hello");
    assertThat(time.sleeps()).containsExactly(ofMillis(500), ofSeconds(1));
    script.failsWith(FailureCode.NETWORK, 3);
    assertThat(failureOf(ofMinutes(10)).code()).isEqualTo(FailureCode.NETWORK);
    assertThat(script.calls).isEqualTo(6);
  }

  @Test
  void triesARateLimitFiveTimes() {
    chance = 0;
    script.failsWith(FailureCode.RATE_LIMITED, 9);
    assertThat(failureOf(ofMinutes(10)).code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(script.calls).isEqualTo(5);
  }

  @Test
  void neverRetriesWhatIsWrongForGoodNorCountsItForTheBreaker() {
    for (int i = 0; i < 10; i++) {
      script.failsWith(FailureCode.AUTH, 1).failsWith(FailureCode.INVALID_REQUEST, 1);
      failureOf(ofMinutes(1));
      failureOf(ofMinutes(1));
    }
    assertThat(script.calls).isEqualTo(20);
    assertThat(guard.breaker().failureCount()).isZero();
  }

  @Test
  void obeysTheWaitThatTheOtherSideAsksFor() throws Exception {
    script.asksToWait(ofSeconds(7));
    assertThat(guard.run(in(ofMinutes(10)), script)).isEqualTo("hello");
    // A fifth of the wait is spread; this call's share is half of that.
    assertThat(total()).isEqualTo(ofMillis(7700));
  }

  @Test
  void doesNotSleepALongWaitButHandsItOver() {
    script.asksToWait(ofMinutes(5));
    Failure failure = failureOf(ofMinutes(60));
    assertThat(failure.retryAfter()).isEqualTo(ofMinutes(5));
    assertThat(time.sleeps()).isEmpty();
    assertThat(guard.opensIn()).isEqualTo(ofMinutes(5));
    time.advance(ofMinutes(1));
    assertThat(failureOf(ofMinutes(60)).retryAfter()).isEqualTo(ofMinutes(4));
    assertThat(script.calls).isEqualTo(1);
  }

  @Test
  void aWaitThatOneCallWasToldHoldsBackEveryOtherCall() throws Exception {
    script.asksToWait(ofSeconds(20));
    assertThatThrownBy(() -> guard.probe(in(ofMinutes(1)), script))
        .isInstanceOf(CallFailedException.class);
    assertThatThrownBy(() -> guard.probe(in(ofMinutes(1)), script))
        .isInstanceOf(CallFailedException.class);
    assertThat(script.calls).isEqualTo(1);
    assertThat(guard.run(in(ofMinutes(1)), script)).isEqualTo("hello");
    assertThat(total()).isEqualTo(ofSeconds(22));
  }

  @Test
  void doesNotWaitForATryThatTheDeadlineForbids() {
    script.asksToWait(ofSeconds(20));
    assertThat(failureOf(ofSeconds(10)).retryAfter()).isEqualTo(ofSeconds(20));
    assertThat(time.sleeps()).isEmpty();
  }

  /** The answer of a post is in the socket by then: ended, it would count as lost. */
  @Test
  void aStandstillOfTheProcessDoesNotEndTheCallThatItMet() throws Exception {
    Guard met =
        Guards.create(GuardsConfig.defaults(), GuardMemory.none(), time, registry, VERTX)
            .guard("channel:met");
    String answer =
        met.probe(
            in(ofMinutes(1)),
            () -> {
              time.standStill(ofMinutes(10));
              return "hello";
            });
    assertThat(answer).isEqualTo("hello");
  }

  @Test
  void aCallThatGoesOnAfterAStandstillIsEndedSoon() {
    Guard met =
        Guards.create(GuardsConfig.defaults(), GuardMemory.none(), time, registry, VERTX)
            .guard("channel:met");
    CallFailedException e =
        catchThrowableOfType(
            CallFailedException.class,
            () ->
                met.probe(
                    in(ofMinutes(1)),
                    () -> {
                      time.standStill(ofMinutes(10));
                      time.advance(Standstill.CATCH_UP);
                      new CountDownLatch(1).await(20, TimeUnit.SECONDS);
                      return "hello";
                    }));
    assertThat(e.failure().code()).isEqualTo(FailureCode.TIMEOUT);
  }

  @Test
  void anOpenBreakerIsToldAtOnceAndNotRetried() {
    chance = 0;
    script.failsWith(FailureCode.TIMEOUT, 100);
    failureOf(ofMinutes(10));
    assertThat(failureOf(ofMinutes(10)).code()).isEqualTo(FailureCode.TIMEOUT);
    assertThat(script.calls).as("the fifth failure opened it").isEqualTo(5);
    Failure rejection = failureOf(ofMinutes(10));
    assertThat(rejection.code()).isEqualTo(FailureCode.CIRCUIT_OPEN);
    assertThat(rejection.retryAfter()).isEqualTo(ofSeconds(10));
    assertThat(script.calls).isEqualTo(5);
  }

  @Test
  void whoeverWaitsToTryAgainHearsSoonThatTheBreakerOpened() {
    script.failsWith(FailureCode.RATE_LIMITED, 1);
    chance = 0.9;
    time.after(ofMillis(500), () -> guards.guard("llm:test").breaker().trip());
    assertThat(failureOf(ofMinutes(10)).code()).isEqualTo(FailureCode.CIRCUIT_OPEN);
    assertThat(total()).isLessThan(ofSeconds(2));
  }

  @Test
  void theRetryBudgetKeepsRetriesToAShareOfTheCalls() {
    chance = 0;
    for (int i = 0; i < 50; i++) {
      script.failsWith(FailureCode.NETWORK, 2);
      try {
        guard.run(in(ofMinutes(1)), script);
      } catch (CallFailedException | InterruptedException e) {
        script.failures.clear();
      }
      guards.reset("llm:test");
    }
    // Ten, and a fifth of fifty.
    assertThat(script.calls - 50).isLessThanOrEqualTo(20).isGreaterThanOrEqualTo(10);
  }

  @Test
  void anInterruptPassesAtOnceIsNeutralAndLeaksNothing() throws Exception {
    Guard narrow = guards.guard("narrow", GuardConfig.DEFAULT.withMaxConcurrent(1));
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(
              () ->
                  narrow.run(
                      in(ofMinutes(1)),
                      () -> {
                        throw new InterruptedException();
                      }))
          .isInstanceOf(InterruptedException.class);
    }
    assertThat(narrow.breaker().failureCount()).isZero();
    assertThat(narrow.run(in(ofMinutes(1)), script)).isEqualTo("hello");
  }

  @Test
  void aBugPassesAtOnceIsNeutralAndLeaksNothing() throws Exception {
    Guard narrow = guards.guard("narrow", GuardConfig.DEFAULT.withMaxConcurrent(1));
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(
              () ->
                  narrow.run(
                      in(ofMinutes(1)),
                      () -> {
                        throw new IllegalStateException("a bug");
                      }))
          .isInstanceOf(IllegalStateException.class);
    }
    assertThat(narrow.run(in(ofMinutes(1)), script)).isEqualTo("hello");
  }

  @Test
  void aTrialThatIsCancelledLeavesTheTrialToTheNext() throws Exception {
    guards.guard("llm:test").breaker().trip();
    time.advance(ofSeconds(10));
    assertThatThrownBy(
            () ->
                guard.probe(
                    in(ofMinutes(1)),
                    () -> {
                      throw new InterruptedException();
                    }))
        .isInstanceOf(InterruptedException.class);
    assertThat(guard.opensIn()).isZero();
    assertThat(guard.probe(in(ofMinutes(1)), script)).isEqualTo("hello");
  }

  @Test
  void aTrialThatIsReleasedLeavesTheTrialToOthersAndCountsNothing() throws Exception {
    guards.guard("llm:test").breaker().trip();
    time.advance(ofSeconds(10));
    assertThatThrownBy(
            () ->
                guard.probe(
                    in(ofMinutes(1)),
                    release -> {
                      release.run();
                      assertThat(guard.probe(in(ofMinutes(1)), script)).isEqualTo("hello");
                      throw new CallFailedException(Failure.of(FailureCode.TIMEOUT, "late"));
                    }))
        .isInstanceOf(CallFailedException.class);
    assertThat(guard.opensIn()).isZero();
    assertThat(guard.probe(in(ofMinutes(1)), script)).isEqualTo("hello");
    assertThat(guard.breaker().state()).isEqualTo(CircuitBreakerState.CLOSED);
  }

  @Test
  void aCallThatOutlivesItsDeadlineIsEndedAsATimeout() {
    SystemTime clock = new SystemTime(); // it interrupts a thread that waits
    Guard real =
        Guards.create(GuardsConfig.defaults(), GuardMemory.none(), clock, registry, VERTX)
            .guard("real");
    CallFailedException failed =
        catchThrowableOfType(
            CallFailedException.class,
            () ->
                real.run(
                    Deadline.in(clock, ofMillis(50)),
                    () -> {
                      new CountDownLatch(1).await();
                      return "";
                    }));
    assertThat(failed.failure().code()).isEqualTo(FailureCode.TIMEOUT);
    assertThat(real.breaker().failureCount()).isEqualTo(1);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void aCallInLineDoesNotGoOutOnceTheBreakerHasOpened() throws Exception {
    SystemTime clock = new SystemTime(); // calls wait in line
    Guards real =
        Guards.create(GuardsConfig.defaults(), GuardMemory.none(), clock, registry, VERTX);
    Guard narrow = real.guard("narrow", GuardConfig.DEFAULT.withMaxConcurrent(1));
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch letGo = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> first =
          threads.submit(
              () ->
                  narrow.run(
                      Deadline.in(clock, ofSeconds(20)),
                      () -> {
                        inside.countDown();
                        letGo.await();
                        return "";
                      }));
      inside.await();
      Future<?> second =
          threads.submit(
              () -> narrow.run(Deadline.in(clock, ofSeconds(20)), () -> calls.incrementAndGet()));
      real.guard("narrow").breaker().trip();
      letGo.countDown();
      first.get();
      assertThatThrownBy(second::get).hasRootCauseInstanceOf(CallFailedException.class);
    }
    assertThat(calls.get()).isZero();
  }

  @Test
  void itsMetricsHaveTheirDocumentedNames() throws Exception {
    script.failsWith(FailureCode.OVERLOADED, 1);
    guard.run(in(ofMinutes(1)), script);
    assertThat(registry.scrape())
        .contains("holdfast_breaker_state{name=\"llm:test\"} 0.0")
        .contains("holdfast_retries_total{code=\"OVERLOADED\",name=\"llm:test\"} 1.0");
    guards.guard("llm:test").breaker().trip();
    assertThat(registry.scrape()).contains("holdfast_breaker_state{name=\"llm:test\"} 2.0");
    time.advance(ofSeconds(10));
    assertThat(registry.scrape()).contains("holdfast_breaker_state{name=\"llm:test\"} 1.0");
  }

  @Test
  void theGuardsTellTheirBreakersByName() {
    guards.guard("channel:web:main");
    assertThat(guards.trip("llm:test")).isTrue();
    assertThat(guards.trip("llm:none")).isFalse();
    assertThat(guards.reset("llm:none")).isFalse();
    assertThat(guards.breakers())
        .extracting(BreakerView::name, BreakerView::state)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("channel:web:main", "closed"),
            org.assertj.core.groups.Tuple.tuple("llm:test", "open"));
    assertThat(guards.reset("llm:test")).isTrue();
    assertThat(guards.breakers()).extracting(BreakerView::state).containsOnly("closed");
  }

  @Test
  void aRemovedGuardLeavesNothingBehindAndALaterOneIsFresh() {
    int before = registry.getMeters().size();
    guards.guard("llm:test").breaker().trip();
    for (int i = 0; i < 10_000; i++) {
      guards.guard("ext:" + i % 7);
      guards.guard("ext:" + i % 7).breaker().trip();
      assertThat(guards.remove("ext:" + i % 7)).isTrue();
    }
    assertThat(guards.remove("ext:1")).isFalse();
    assertThat(registry.getMeters()).hasSize(before);
    assertThat(time.timers()).isOne();
    guards.guard("ext:1");
    assertThat(guards.breakers())
        .extracting(BreakerView::name, BreakerView::state)
        .contains(org.assertj.core.groups.Tuple.tuple("ext:1", "closed"));
    assertThat(registry.scrape()).contains("holdfast_breaker_state{name=\"ext:1\"} 0.0");
  }

  @Test
  void aCallThatRunsInARemovedGuardEndsAndItsMetersStayAway() throws Exception {
    int before = registry.getMeters().size();
    Guard removed = guards.guard("ext:1");
    assertThat(
            removed.run(
                in(ofMinutes(1)),
                () -> {
                  guards.remove("ext:1");
                  return "to its end";
                }))
        .isEqualTo("to its end");
    Call<String> fails =
        () -> {
          guards.remove("ext:2");
          return script.failsWith(FailureCode.OVERLOADED, 1).run();
        };
    Guard other = guards.guard("ext:2");
    assertThat(
            catchThrowableOfType(
                    CallFailedException.class, () -> other.run(in(ofMinutes(1)), fails))
                .failure()
                .code())
        .isEqualTo(FailureCode.OVERLOADED);
    assertThat(script.calls).as("no further try").isEqualTo(1);
    assertThat(registry.getMeters()).hasSize(before);
    removed.breaker().trip();
    assertThat(time.timers()).isZero();
  }

  @Test
  void whoeverWaitsInARemovedGuardIsToldSoon() {
    script.asksToWait(ofSeconds(50)).failsWith(FailureCode.OVERLOADED, 9);
    Guard removed = guards.guard("ext:1");
    time.after(ofSeconds(3), () -> guards.remove("ext:1"));
    assertThat(
            catchThrowableOfType(
                    CallFailedException.class, () -> removed.run(in(ofMinutes(5)), script))
                .failure()
                .code())
        .isEqualTo(FailureCode.AGENT_UNAVAILABLE);
    assertThat(script.calls).isEqualTo(1);
    assertThat(total()).isLessThanOrEqualTo(ofSeconds(4));
  }

  private Duration total() {
    return time.sleeps().stream().reduce(Duration.ZERO, Duration::plus);
  }
}
