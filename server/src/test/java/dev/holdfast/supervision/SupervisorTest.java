package dev.holdfast.supervision;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.time.ManualTime;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SupervisorTest {
  private final ManualTime time = new ManualTime();
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final List<String> givenUp = new CopyOnWriteArrayList<>();
  private final List<String> crashes = new CopyOnWriteArrayList<>();
  private final CountDownLatch gaveUp = new CountDownLatch(1);
  private final Supervisor supervisor =
      new Supervisor(
          SupervisionConfig.DEFAULT,
          time,
          registry,
          new CrashListener() {
            @Override
            public void gaveUp(ChildSpec child, String crash) {
              givenUp.add(child.name());
              crashes.add(crash);
              gaveUp.countDown();
            }

            @Override
            public void ailing(ChildSpec child, String crash) {
              crashes.add(child.name() + " ails: " + crash);
            }

            @Override
            public void recovered(ChildSpec child) {
              crashes.add(child.name() + " recovered");
            }
          });

  @Test
  void startsAgainWhatCrashesAndCountsIt() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    SupervisedThread child =
        supervisor.start(
            ChildSpec.virtual("loop"),
            () -> {
              if (runs.incrementAndGet() < 3) {
                throw new IllegalStateException("a bug");
              }
            });
    assertThat(child.awaitEnd(ofSeconds(10))).isTrue();
    assertThat(child.state()).isEqualTo(SupervisedThread.State.ENDED);
    assertThat(time.sleeps()).containsExactly(ofSeconds(1), ofSeconds(2));
    assertThat(registry.scrape()).contains("holdfast_restarts_total{child=\"loop\"} 2.0");
  }

  @Test
  void givesUpOnWhatCrashesTooOftenAndSaysSo() throws Exception {
    SupervisedThread child =
        supervisor.start(
            ChildSpec.platform("writer"),
            () -> {
              throw new AssertionError("a bug");
            });
    gaveUp.await();
    assertThat(child.state()).isEqualTo(SupervisedThread.State.GIVEN_UP);
    assertThat(givenUp).containsExactly("writer");
    assertThat(crashes).singleElement().asString().startsWith("AssertionError at ");
    assertThat(time.sleeps()).hasSize(5);
    assertThat(supervisor.children()).isEmpty();
  }

  /** Row G16: the process outlives what it can live without, and shows the loss. */
  @Test
  void whatTheProcessCanLiveWithoutIsTriedAgainSlowlyUntilItLasts() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch lasting = new CountDownLatch(1);
    SupervisedThread child =
        supervisor.start(
            ChildSpec.virtual("sweeper").as(Criticality.NON_CRITICAL),
            () -> {
              if (runs.incrementAndGet() <= 8) {
                throw new IllegalStateException("a bug");
              }
              lasting.countDown();
              new CountDownLatch(1).await();
            });
    lasting.await();
    assertThat(givenUp).isEmpty();
    assertThat(time.sleeps().subList(0, 5)).allMatch(wait -> wait.compareTo(ofSeconds(16)) <= 0);
    assertThat(time.sleeps().subList(5, 8)).containsOnly(ofSeconds(60));
    assertThat(supervisor.ailing()).extracting(ChildSpec::name).containsExactly("sweeper");
    assertThat(child.restartsAt()).as("it runs").isNull();
    assertThat(registry.scrape()).contains("holdfast_child_up{child=\"sweeper\"} 0.0");

    assertThat(crashes).singleElement().asString().startsWith("sweeper ails: Illegal");
    time.advance(ofSeconds(60));
    assertThat(crashes).hasSize(2).last().isEqualTo("sweeper recovered");
    assertThat(supervisor.ailing()).isEmpty();
    assertThat(child.isAiling()).isFalse();
    assertThat(registry.scrape()).contains("holdfast_child_up{child=\"sweeper\"} 1.0");
    assertThat(supervisor.stopAll(ofSeconds(10))).isEmpty();
  }

  @Test
  void aStopEndsTheSlowTriesToo() throws Exception {
    CountDownLatch tried = new CountDownLatch(10);
    SupervisedThread child =
        supervisor.start(
            ChildSpec.virtual("sweeper").as(Criticality.IMPORTANT),
            () -> {
              tried.countDown();
              throw new IllegalStateException("a bug");
            });
    tried.await();
    child.stop(); // not all of them by a budget: their sleeps move the clock that measures it
    assertThat(child.awaitEnd(ofSeconds(10))).isTrue();
    assertThat(child.state()).isEqualTo(SupervisedThread.State.STOPPED);
    assertThat(supervisor.children()).isEmpty();
    assertThat(supervisor.ailing()).isEmpty();
    assertThat(givenUp).isEmpty();
  }

  @Test
  void aStopEndsWhatRunsAndWhatWaits() throws Exception {
    CountDownLatch running = new CountDownLatch(2);
    for (String id : List.of("a", "b")) {
      supervisor.start(
          ChildSpec.virtual("worker", id),
          () -> {
            running.countDown();
            new CountDownLatch(1).await();
          });
    }
    running.await();
    assertThat(supervisor.children()).hasSize(2);
    assertThat(supervisor.stopAll(ofSeconds(10))).isEmpty();
    assertThat(givenUp).isEmpty();
    assertThat(registry.scrape()).contains("holdfast_restarts_total{child=\"worker\"} 0.0");
  }

  @Test
  void aStrangersInterruptIsACrashAndNotTheEnd() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    SupervisedThread child =
        supervisor.start(
            ChildSpec.virtual("loop"),
            () -> {
              if (runs.incrementAndGet() == 1) {
                throw new InterruptedException();
              }
            });
    assertThat(child.awaitEnd(ofSeconds(10))).isTrue();
    assertThat(runs.get()).isEqualTo(2);
  }

  @Test
  void aCrashIsDescribedWithoutItsMessage() {
    Exception crash = new IllegalStateException("token abc", new java.io.IOException("secret"));
    assertThat(Crash.describe(crash))
        .contains("IllegalStateException at supervision.SupervisorTest")
        .contains("caused by IOException")
        .doesNotContain("abc")
        .doesNotContain("secret");
  }
}
