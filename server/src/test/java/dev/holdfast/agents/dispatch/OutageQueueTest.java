package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.thread.ModelTrials;
import dev.holdfast.models.Suspect;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.resilience.FlowKey;
import dev.holdfast.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class OutageQueueTest {
  private static final Backoff PAUSES = new Backoff(Duration.ofSeconds(10), Duration.ofMinutes(2));

  private final ManualTime time = new ManualTime();
  private final Instant start = time.now();
  private final List<String> resumed = new ArrayList<>();
  private final List<Long> seconds = new ArrayList<>();
  private final Map<String, ModelTrials> trials = new HashMap<>();
  private final Map<String, FlowKey> flows = new HashMap<>();
  private Supplier<Duration> opensIn = () -> Duration.ZERO;
  private OutageQueue.Resume onResume = (_, _) -> true;

  private final OutageQueue.ModelAccess models =
      new OutageQueue.ModelAccess() {
        @Override
        public Duration opensIn() {
          return opensIn.get();
        }

        @Override
        public Backoff pauses() {
          return PAUSES;
        }
      };

  private final OutageQueue parking =
      new OutageQueue(
          time,
          () -> Duration.ofHours(24),
          models,
          (thread, probe) -> {
            resumed.add(thread + (probe ? " probes" : " goes on"));
            seconds.add(Duration.between(start, time.now()).toSeconds());
            return onResume.goOn(thread, probe);
          });

  @Test
  void oneTurnAtATimeProbesWithGrowingPausesWhileTheModelIsAway() {
    fail(1, "a");
    onResume =
        (_, _) -> {
          fail(1, "a");
          endAfter(5);
          return true;
        };
    run();
    assertThat(resumed).hasSize(5).containsOnly("a probes");
    assertThat(seconds).containsExactly(10L, 30L, 70L, 150L, 270L);
  }

  @Test
  void theTurnThatHasFailedLeastProbesNextAndOfThoseTheOldest() {
    fail(1, "a");
    fail(2, "b");
    fail(3, "c");
    onResume =
        (thread, _) -> {
          fail("abc".indexOf(thread) + 1, thread);
          endAfter(7);
          return true;
        };
    run();
    assertThat(resumed)
        .containsExactly(
            "a probes", "b probes", "c probes", "a probes", "b probes", "c probes", "a probes");
  }

  /** Threads {@code x…} are of one account, each of a sender of its own; the others of another. */
  @Test
  void accountsProbeInTurnsAndTheirSendersToo() {
    for (int i = 1; i <= 4; i++) {
      flows.put("x" + i, new FlowKey(List.of("loud", "made up " + i)));
      fail(i, "x" + i);
    }
    flows.put("y1", new FlowKey(List.of("quiet", "ann")));
    flows.put("y2", new FlowKey(List.of("quiet", "ann")));
    flows.put("y3", new FlowKey(List.of("quiet", "bob")));
    List<String> threads = List.of("x1", "x2", "x3", "x4", "y1", "y2", "y3");
    fail(5, "y1");
    fail(6, "y2");
    fail(7, "y3");
    onResume =
        (thread, _) -> {
          fail(threads.indexOf(thread) + 1, thread);
          endAfter(6);
          return true;
        };
    run();
    assertThat(resumed)
        .containsExactly(
            "x1 probes", "y1 probes", "x2 probes", "y3 probes", "x3 probes", "y2 probes");
  }

  @Test
  void atAStartWithParkedTurnsTheFirstProbesAtOnce() {
    parking.assumeAway();
    park(1, "a");
    onResume =
        (_, _) -> {
          endAfter(1);
          return true;
        };
    run();
    assertThat(resumed).containsExactly("a probes");
    assertThat(seconds).containsExactly(0L);
  }

  /** The oldest of them is what the provider breaks on. */
  @Test
  void anAnswerToAnybodySetsAllFreeAndOneThatFailsAgainHoldsUpNobody() {
    fail(1, "hard");
    fail(2, "b");
    fail(3, "c");
    parking.answered(); // a fresh message of yet another thread
    onResume =
        (thread, _) -> {
          if (thread.equals("hard")) {
            fail(1, thread);
          } else {
            parking.answered();
          }
          endAfter(4);
          return true;
        };
    run();
    assertThat(resumed).containsExactly("hard goes on", "b goes on", "c goes on", "hard goes on");
  }

  @Test
  void oneThatFailsAloneIsTriedAfterGrowingPausesOfItsOwn() {
    parking.answered();
    fail(1, "hard");
    onResume =
        (_, _) -> {
          parking.answered();
          fail(1, "hard");
          endAfter(4);
          return true;
        };
    parking.answered();
    run();
    assertThat(resumed).hasSize(4).containsOnly("hard goes on");
    assertThat(seconds.get(1)).isBetween(10L, 11L);
    assertThat(seconds.get(2)).isBetween(30L, 32L);
    assertThat(seconds.get(3)).isBetween(70L, 73L);
    assertThat(parking.isBack()).isTrue();
  }

  @Test
  void whatFailsAloneIsNamed() {
    parking.answered();
    fail(7, "hard");
    assertThat(parking.alone()).isEmpty();
    parking.answered();
    fail(7, "hard");
    assertThat(parking.alone()).contains(new OutageQueue.Alone(1, "e7", Duration.ofSeconds(10)));
    parking.remove(7);
    assertThat(parking.alone()).isEmpty();
  }

  @Test
  void theTimeOfTheNextProbeIsKnownWhileItIsWaitedFor() {
    assertThat(parking.probesIn()).isEmpty();
    List<Optional<Duration>> known = new ArrayList<>();
    time.after(Duration.ofSeconds(4), () -> known.add(parking.probesIn()));
    fail(1, "a");
    onResume =
        (_, _) -> {
          assertThat(parking.probesIn()).as("a probe runs").isEmpty();
          parking.answered();
          endAfter(1);
          return true;
        };
    run();
    assertThat(known).containsExactly(Optional.of(Duration.ofSeconds(6)));
    assertThat(parking.probesIn()).isEmpty();
  }

  @Test
  void aProbeFollowsTheBreakerWhenThatIsOpen() {
    refuse(1, "a");
    opensIn =
        () -> {
          long gone = Duration.between(start, time.now()).toSeconds();
          return Duration.ofSeconds(Math.max(0, 4 - gone));
        };
    onResume =
        (_, _) -> {
          parking.answered();
          endAfter(1);
          return true;
        };
    run();
    assertThat(seconds).containsExactly(4L);
  }

  @Test
  void whenAModelIsBackAllGoOnOldestFirstInGrowingWaves() {
    for (int i = 1; i <= 8; i++) {
      fail(i, "t" + i);
    }
    onResume =
        (_, probe) -> {
          if (probe) {
            parking.answered();
          }
          endAfter(8);
          return true;
        };
    run();
    assertThat(resumed)
        .containsExactly(
            "t1 probes",
            "t2 goes on",
            "t3 goes on",
            "t4 goes on",
            "t5 goes on",
            "t6 goes on",
            "t7 goes on",
            "t8 goes on");
    assertThat(time.sleeps().stream().filter(sleep -> sleep.toMillis() >= 300)).hasSize(2);
  }

  @Test
  void aTurnThatWaitedTooLongGoesOnToBeGivenUp() {
    fail(1, "a");
    park(2, "old", time.nanos() - Duration.ofHours(25).toNanos());
    onResume =
        (_, _) -> {
          endAfter(1);
          return true;
        };
    run();
    assertThat(resumed).containsExactly("old goes on");
  }

  @Test
  @Timeout(20)
  void othersAreGivenUpInTimeWhileAProbeHangs() {
    fail(1, "hangs");
    fail(2, "old");
    onResume =
        (thread, _) -> {
          if (thread.equals("hangs")) {
            time.advance(Duration.ofHours(25));
          }
          endAfter(2);
          return true;
        };
    run();
    assertThat(resumed).containsExactly("hangs probes", "old goes on");
  }

  @Test
  void aProbeThatIsNotThereAnyMoreCostsNoPatience() {
    fail(1, "stopped meanwhile");
    fail(2, "b");
    onResume =
        (thread, _) -> {
          endAfter(2);
          return thread.equals("b");
        };
    run();
    assertThat(resumed).containsExactly("stopped meanwhile probes", "b probes");
  }

  @Test
  @Timeout(20)
  void afterAProbeThatWasStoppedTheNextTurnProbesAtOnce() {
    fail(1, "stopped");
    fail(2, "b");
    onResume =
        (thread, _) -> {
          if (thread.equals("stopped")) {
            parking.probeEnded("another");
            parking.probeEnded("stopped");
          }
          endAfter(2);
          return true;
        };
    run();
    assertThat(resumed).containsExactly("stopped probes", "b probes");
    assertThat(seconds).containsExactly(10L, 10L);
  }

  /** Who is asked to go on takes a lock of its own, and tells of an end while it holds that. */
  @Test
  void whoStopsTheTurnThatIsAboutToProbeIsNotBlocked() throws Exception {
    fail(1, "a");
    Semaphore agent = new Semaphore(1); // as the lock of an agent
    CountDownLatch asked = new CountDownLatch(1);
    onResume =
        (_, _) -> {
          asked.countDown();
          agent.acquireUninterruptibly();
          agent.release();
          endAfter(1);
          return false;
        };
    agent.acquire();
    Thread probing = Thread.ofPlatform().daemon().start(this::run);
    assertThat(asked.await(5, TimeUnit.SECONDS)).isTrue();
    Thread person = Thread.ofPlatform().daemon().start(() -> parking.remove(1));
    assertThat(person.join(Duration.ofSeconds(2))).isTrue();
    agent.release();
    assertThat(probing.join(Duration.ofSeconds(5))).isTrue();
  }

  private void park(long seq, String thread) {
    park(seq, thread, time.nanos());
  }

  private void park(long seq, String thread, long sinceNanos) {
    ModelTrials known = trials.getOrDefault(thread, ModelTrials.NONE);
    FlowKey flow = flows.getOrDefault(thread, FlowKey.NONE);
    parking.add(
        new WaitingTurns.Turn(seq, "e" + seq, thread, flow, sinceNanos, known, time.nanos()));
  }

  /** As an agent does whose turn has asked in vain. */
  private void fail(long seq, String thread) {
    ModelTrials before = trials.getOrDefault(thread, ModelTrials.begin(parking.tally()));
    ModelTrials now = before.failed(Suspect.REQUEST, parking.tally());
    trials.put(thread, now);
    parking.failed(thread, now.isAloneSince(before));
    park(seq, thread);
  }

  private void refuse(long seq, String thread) {
    parking.refused(thread);
    park(seq, thread);
  }

  private void endAfter(int resumes) {
    if (resumed.size() >= resumes) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      parking.run();
    } catch (InterruptedException e) {
      assertThat(resumed).isNotEmpty();
    }
  }
}
