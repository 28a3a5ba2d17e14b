package dev.holdfast.guards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.Guard;
import dev.holdfast.resilience.Guards;
import dev.holdfast.resilience.GuardsConfig;
import dev.holdfast.store.TestStore;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Guards of one process after another, over one data folder. */
@Timeout(60)
class StoredGuardsTest {
  private static final String NAME = "llm:main";

  @TempDir Path folder;

  private final Vertx vertx = Vertx.vertx();
  private final ManualTime time = new ManualTime();

  @AfterEach
  void closeVertx() throws Exception {
    vertx.close().await(5, TimeUnit.SECONDS);
  }

  @Test
  void anOpenBreakerIsOpenAfterARestartAndItsWaitGoesOn() throws Exception {
    inOneRun(guard -> fail(guard, Failure.of(FailureCode.NETWORK, "refused"), 5));
    time.advance(Duration.ofSeconds(4));
    inOneRun(
        guard -> {
          assertThat(guard.opensIn()).isEqualTo(Duration.ofSeconds(6));
          time.advance(Duration.ofSeconds(6));
          fail(guard, Failure.of(FailureCode.NETWORK, "refused"), 1); // the trial
          assertThat(guard.opensIn()).isGreaterThan(Duration.ofSeconds(15));
        });
  }

  @Test
  void aBreakerThatClosedIsClosedAfterARestart() throws Exception {
    inOneRun(
        guard -> {
          fail(guard, Failure.of(FailureCode.NETWORK, "refused"), 5);
          time.advance(Duration.ofSeconds(10));
          succeed(guard);
          succeed(guard);
        });
    inOneRun(
        guard -> {
          fail(guard, Failure.of(FailureCode.NETWORK, "refused"), 1);
          assertThat(guard.opensIn()).isZero();
        });
  }

  @Test
  void aBreakerThatWasOpenedByHandStaysOpenUntilItIsReset() throws Exception {
    try (TestStore store = new TestStore(folder)) {
      Guards guards = guards(store);
      fail(guards.guard(NAME), Failure.of(FailureCode.NETWORK, "refused"), 5);
      assertThat(guards.trip(NAME)).as("already open").isTrue();
      store.closeCleanly();
    }
    time.advance(Duration.ofDays(1));
    try (TestStore store = new TestStore(folder)) {
      Guards guards = guards(store);
      Guard guard = guards.guard(NAME);
      assertThat(guard.opensIn()).isPositive();
      assertThat(guards.breakers())
          .singleElement()
          .satisfies(
              breaker -> {
                assertThat(breaker.state()).isEqualTo("open");
                assertThat(breaker.openUntil()).isNull();
              });
      assertThat(guards.reset(NAME)).isTrue();
      succeed(guard);
      store.closeCleanly();
    }
    inOneRun(guard -> assertThat(guard.opensIn()).isZero());
  }

  @Test
  void aWaitThatWasAskedForGoesOnAfterARestart() throws Exception {
    inOneRun(guard -> fail(guard, busy(Duration.ofMinutes(20)), 1));
    time.advance(Duration.ofMinutes(5));
    inOneRun(guard -> assertThat(guard.opensIn()).isEqualTo(Duration.ofMinutes(15)));
  }

  @Test
  void aClockThatWasSetBackDoesNotProlongAWait() throws Exception {
    inOneRun(
        guard -> {
          fail(guard, Failure.of(FailureCode.NETWORK, "refused"), 5);
          guard.breaker().reset();
          fail(guard, busy(Duration.ofMinutes(20)), 1);
        });
    time.jumpWall(Duration.ofDays(-3650));
    inOneRun(guard -> assertThat(guard.opensIn()).isEqualTo(Duration.ofMinutes(20)));
  }

  @Test
  void aClockThatWasSetForwardEndsAWaitWithATrial() throws Exception {
    inOneRun(guard -> fail(guard, Failure.of(FailureCode.NETWORK, "refused"), 5));
    time.jumpWall(Duration.ofDays(3650));
    inOneRun(
        guard -> {
          assertThat(guard.opensIn()).isZero();
          fail(guard, Failure.of(FailureCode.NETWORK, "refused"), 1);
          assertThat(guard.opensIn()).isPositive();
        });
  }

  @Test
  void whatWasResetByHandIsForgotten() throws Exception {
    try (TestStore store = new TestStore(folder)) {
      Guards guards = guards(store);
      fail(guards.guard(NAME), busy(Duration.ofMinutes(20)), 1);
      assertThat(guards.longHolds()).hasSize(1);
      assertThat(guards.reset(NAME)).isTrue();
      assertThat(guards.longHolds()).isEmpty();
      store.closeCleanly();
    }
    inOneRun(guard -> assertThat(guard.opensIn()).isZero());
  }

  @Test
  void whatIsForgottenLeavesNoRow() throws Exception {
    try (TestStore store = new TestStore(folder)) {
      Guards guards = guards(store);
      fail(guards.guard(NAME), busy(Duration.ofMinutes(20)), 1);
      assertThat(guards.forget(NAME)).as("while it holds calls back").isFalse();
      assertThat(guards.breakers()).hasSize(1);
      time.advance(Duration.ofMinutes(20));
      assertThat(guards.forget(NAME)).isTrue();
      assertThat(guards.breakers()).isEmpty();
      store.closeCleanly();
    }
    try (TestStore store = new TestStore(folder)) {
      assertThat(StoredGuards.open(store.store.engine()).recall(NAME)).isEmpty();
      store.closeCleanly();
    }
  }

  /** What one process does. */
  private interface Run {
    void with(Guard guard) throws Exception;
  }

  private void inOneRun(Run run) throws Exception {
    try (TestStore store = new TestStore(folder)) {
      run.with(guards(store).guard(NAME));
      store.closeCleanly();
    }
  }

  private Guards guards(TestStore store) throws Exception {
    return Guards.create(
        GuardsConfig.defaults(),
        StoredGuards.open(store.store.engine()),
        time,
        new SimpleMeterRegistry(),
        vertx,
        () -> 0.5);
  }

  private static Failure busy(Duration wait) {
    return Failure.of(FailureCode.RATE_LIMITED, "429").withRetryAfter(wait);
  }

  private void fail(Guard guard, Failure failure, int times) {
    for (int i = 0; i < times; i++) {
      assertThatThrownBy(
              () ->
                  guard.probe(
                      Deadline.in(time, Duration.ofSeconds(10)),
                      () -> {
                        throw new CallFailedException(failure);
                      }))
          .isInstanceOf(CallFailedException.class);
    }
  }

  private void succeed(Guard guard) throws Exception {
    assertThat(guard.probe(Deadline.in(time, Duration.ofSeconds(10)), () -> "yes"))
        .isEqualTo("yes");
  }
}
