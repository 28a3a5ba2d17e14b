package dev.holdfast.replies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.resilience.GuardMemory;
import dev.holdfast.resilience.Guards;
import dev.holdfast.resilience.GuardsConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With the guard of the server: chat threads that fail, and those beside them. */
@Timeout(30)
class BadThreadTest extends RepliesFixture {
  private static final Failure OVERLOADED = Failure.of(FailureCode.OVERLOADED, "503");

  private static final Vertx VERTX = Vertx.vertx();

  private final Guards real =
      Guards.create(
          GuardsConfig.defaults(),
          GuardMemory.none(),
          time,
          new SimpleMeterRegistry(),
          VERTX,
          () -> 0.5);
  private volatile Set<String> bad = Set.of();
  private volatile Failure failure = OVERLOADED;

  @BeforeEach
  void useTheRealGuard() {
    guards = source -> new PostGuard.OfGuard(real.guard(source));
    platform.always(
        reply ->
            bad.contains(reply.thread())
                ? new PostOutcome.NotDelivered(failure)
                : new PostOutcome.Sent(""));
  }

  @AfterAll
  static void closeVertx() throws Exception {
    VERTX.close().await(5, TimeUnit.SECONDS);
  }

  @Test
  void aThreadThatAlwaysFailsOpensNoBreaker() throws Exception {
    bad = Set.of("bad");
    for (int i = 0; i < 5; i++) {
      plan("bad", "b" + i, 1, 1);
    }
    for (int i = 0; i < 60; i++) {
      drain();
      time.advance(Duration.ofSeconds(5));
    }
    assertThat(platform.posted().size()).isGreaterThan(10);
    plan("good", "g", 1, 1);
    drain();
    assertThat(platform.ids().getLast()).isEqualTo("g.a.1");
    assertThat(breaker()).isEqualTo("closed");
  }

  @Test
  void threeThreadsThatFailWithNoSuccessBetweenOpenTheBreaker() throws Exception {
    bad = Set.of("b1", "b2", "b3");
    plan("b1", "e1", 1, 1);
    drain();
    plan("b2", "e2", 1, 1);
    drain();
    plan("good", "g", 1, 1);
    drain();
    plan("b3", "e3", 1, 1);
    drain();
    assertThat(breaker()).isEqualTo("closed");
    time.advance(Duration.ofSeconds(2));
    drain();
    assertThat(breaker()).isEqualTo("open");
  }

  /** Those that always fail are no trial as long as there is another. */
  @Test
  void aTrialGoesToTheThreadThatHasFailedLeast() throws Exception {
    bad = Set.of("b1", "b2", "b3");
    for (String thread : bad) {
      plan(thread, thread, 1, 1);
    }
    drain();
    assertThat(breaker()).isEqualTo("open");
    plan("good", "g1", 1, 1);
    plan("good", "g2", 1, 1);
    drain();
    time.advance(Duration.ofSeconds(13));
    drain();
    assertThat(platform.ids().subList(3, 5)).containsExactly("g1.a.1", "g2.a.1");
  }

  @Test
  void aFailedTrialOfOneThreadDoesNotOpenWhatHasJustSucceeded() throws Exception {
    bad = Set.of("b1", "b2", "b3");
    for (String thread : bad) {
      plan(thread, thread, 1, 1);
    }
    drain();
    bad = Set.of("b1");
    plan("good", "g1", 1, 1);
    drain();
    time.advance(Duration.ofSeconds(13));
    drain();
    plan("good", "g2", 1, 1);
    drain();
    time.advance(Duration.ofSeconds(1));
    drain();
    assertThat(platform.ids()).contains("g1.a.1", "g2.a.1");
    assertThat(breaker()).isEqualTo("closed");
  }

  @Test
  void aPlatformThatCannotBeReachedOpensTheBreakerByOneThread() throws Exception {
    bad = Set.of("bad");
    failure = AWAY;
    plan("bad", "e1", 1, 1);
    drain(); // there is no breaker before the first call
    for (int i = 0; i < 20 && breaker().equals("closed"); i++) {
      time.advance(Duration.ofSeconds(20));
      drain();
    }
    assertThat(breaker()).isNotEqualTo("closed");
  }

  @Test
  void aWaitForOneThreadHoldsTheOthersForSecondsOnly() throws Exception {
    bad = Set.of("bad");
    failure = BUSY.withRetryAfter(Duration.ofDays(1));
    plan("bad", "e1", 1, 1);
    drain();
    plan("good", "g1", 1, 1);
    drain();
    assertThat(platform.ids()).containsExactly("e1.a.1");
    time.advance(Duration.ofSeconds(7));
    drain();
    assertThat(platform.ids()).containsExactly("e1.a.1", "g1.a.1");
  }

  @Test
  void aWaitForThreeThreadsHoldsTheAccount() throws Exception {
    bad = Set.of("b1", "b2", "b3");
    failure = BUSY.withRetryAfter(Duration.ofDays(1));
    for (String thread : bad) {
      plan(thread, thread, 1, 1);
      drain();
      time.advance(Duration.ofSeconds(7));
      drain();
    }
    assertThat(platform.posted()).hasSize(3);
    plan("good", "g1", 1, 1);
    pass(50);
    assertThat(platform.posted()).hasSize(3);
    bad = Set.of();
    pass(40);
    assertThat(platform.posted()).hasSize(7);
  }

  private void pass(int minutes) throws InterruptedException {
    for (int minute = 0; minute < minutes; minute++) {
      time.advance(Duration.ofMinutes(1));
      drain();
    }
  }

  private String breaker() {
    return real.breakers().getFirst().state();
  }
}
