package dev.holdfast.supervision;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.TimedWait;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SupervisorGroupTest {
  private final ManualTime time = new ManualTime();
  private final FakeCrashListener listener = new FakeCrashListener();
  private final Supervisor supervisor =
      new Supervisor(SupervisionConfig.DEFAULT, time, new SimpleMeterRegistry(), listener);
  private final Map<String, LinkedBlockingQueue<RuntimeException>> crashes =
      new ConcurrentHashMap<>();
  private final Map<String, Integer> runs = new ConcurrentHashMap<>();
  private final List<String> ends = new CopyOnWriteArrayList<>();

  @AfterEach
  void end() throws Exception {
    assertThat(supervisor.stopAll(ofSeconds(10))).isEmpty();
  }

  /** Runs until it is told what to crash with. */
  private SupervisedThread start(SupervisorGroup group, ChildSpec spec) {
    crashes.put(spec.name(), new LinkedBlockingQueue<>());
    return supervisor.start(
        group,
        spec.as(Criticality.IMPORTANT),
        () -> {
          runs.merge(spec.name(), 1, Integer::sum);
          try {
            throw Objects.requireNonNull(crashes.get(spec.name())).take();
          } finally {
            ends.add(spec.name());
          }
        });
  }

  private void crash(String name, RuntimeException with) {
    Objects.requireNonNull(crashes.get(name)).add(with);
  }

  private static void await(BooleanSupplier condition) {
    TimedWait.until("the children are where the test wants them", condition);
  }

  private void awaitRuns(int a, int b, int c) {
    await(() -> Map.of("a", a, "b", b, "c", c).equals(runs));
  }

  private SupervisorGroup group(Strategy strategy) {
    SupervisorGroup group = supervisor.group("letters", strategy, Criticality.IMPORTANT);
    List.of("a", "b", "c").forEach(name -> start(group, ChildSpec.virtual(name)));
    awaitRuns(1, 1, 1);
    return group;
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void othersStartAgainAsTheStrategySays(Strategy strategy) {
    SupervisorGroup group = group(strategy);
    crash("b", new IllegalStateException("a bug"));
    switch (strategy) {
      case ONE_FOR_ONE, SIMPLE_ONE_FOR_ONE -> awaitRuns(1, 2, 1);
      case ONE_FOR_ALL -> awaitRuns(2, 2, 2);
      case REST_FOR_ONE -> awaitRuns(1, 2, 2);
    }
    assertThat(group.restarts()).isZero();
    SupervisedThread crashed = group.members().get(1);
    assertThat(crashed.restarts()).isEqualTo(1);
    SupervisedThread.LastFailure last = Objects.requireNonNull(crashed.lastFailure());
    assertThat(last.failure().code()).isEqualTo(FailureCode.ACTOR_CRASHED);
    assertThat(last.failure().context()).containsEntry("restart_count", "0");
    assertThat(group.members().getFirst().lastFailure()).isNull();
  }

  @Test
  void whatPassesTouchesNobodyElse() {
    SupervisorGroup group = group(Strategy.ONE_FOR_ALL);
    crash("b", new UncheckedIOException(new IOException("no room")));
    awaitRuns(1, 2, 1);
    assertThat(group.restarts()).isZero();
  }

  @Test
  void oneThatCrashesTooOftenStartsItsWholeGroupAgain() {
    SupervisorGroup group = group(Strategy.ONE_FOR_ONE);
    for (int i = 0; i <= RestartLimit.DEFAULT.maxRestarts(); i++) {
      crash("a", new IllegalStateException("a bug"));
    }
    awaitRuns(2 + RestartLimit.DEFAULT.maxRestarts(), 2, 2);
    assertThat(group.restarts()).isEqualTo(1);
    SupervisedThread crashed = group.members().getFirst();
    assertThat(crashed.isAiling()).isFalse();
    Failure failure = Objects.requireNonNull(crashed.lastFailure()).failure();
    assertThat(failure.code()).isEqualTo(FailureCode.MAX_RESTARTS_EXCEEDED);
    assertThat(failure.context()).containsKey("original_error");
  }

  @Test
  void aGroupThatIsStartedAgainTooOftenIsLeftAlone() {
    SupervisorGroup group = group(Strategy.ONE_FOR_ONE);
    int often = RestartLimit.DEFAULT.maxRestarts() + 1;
    for (int i = 0; i < often * often; i++) {
      crash("a", new IllegalStateException("a bug"));
    }
    await(() -> group.members().getFirst().isAiling());
    assertThat(group.restarts()).isEqualTo(RestartLimit.DEFAULT.maxRestarts());
  }

  @Test
  void whatOthersNeedIsStartedBeforeThemAndStoppedAfterThem() throws Exception {
    assertThatThrownBy(() -> supervisor.start(ChildSpec.virtual("x").needing("base"), () -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("x needs base, which is not there");
    SupervisorGroup group =
        supervisor.group("layers", Strategy.REST_FOR_ONE, Criticality.IMPORTANT);
    List<ChildSpec> specs =
        new ArrayList<>(
            List.of(
                ChildSpec.virtual("base"),
                ChildSpec.virtual("middle").needing("base"),
                ChildSpec.virtual("top").needing("middle")));
    specs.forEach(spec -> start(group, spec));
    await(() -> runs.size() == 3);
    assertThat(supervisor.stopAll(ofSeconds(10))).isEmpty();
    assertThat(ends).containsExactly("top", "middle", "base");
  }

  @Test
  void oneThatHasEndedStaysEnded() throws Exception {
    SupervisorGroup group = supervisor.group("two", Strategy.ONE_FOR_ALL, Criticality.IMPORTANT);
    CountDownLatch ended = new CountDownLatch(1);
    SupervisedThread done = supervisor.start(group, ChildSpec.virtual("done"), ended::countDown);
    assertThat(done.awaitEnd(ofSeconds(10))).isTrue();
    start(group, ChildSpec.virtual("a"));
    crash("a", new IllegalStateException("a bug"));
    await(() -> runs.getOrDefault("a", 0) == 2);
    assertThat(done.state()).isEqualTo(SupervisedThread.State.ENDED);
    assertThat(group.members()).hasSize(1);
  }
}
