package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.EquationWatch;
import dev.holdfast.tests.harness.LoadDriver;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.PlatformMode;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Rows F1 and F3: kill -9 at random moments, also while the server recovers, under a steady load.
 * How often: {@code -Dholdfast.kills}; the same run again: {@code -Dholdfast.seed}; replies whose
 * answer is lost on the way as well: {@code -Dholdfast.lose_percent}.
 */
@Isolated("it measures how soon the server is ready")
class KillCampaignTest {
  private static final int KILLS = Integer.getInteger("holdfast.kills", 8);
  private static final int PER_SECOND = Integer.getInteger("holdfast.rate", 50);
  private static final int LOSE_PERCENT = Integer.getInteger("holdfast.lose_percent", 2);
  private static final int CHAT_THREADS = 20;
  private static final Duration READY_WITHIN =
      Duration.ofSeconds(Integer.getInteger("holdfast.ready_secs", 10));

  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final List<Long> killsAtNanos = new ArrayList<>();
  private final AtomicInteger lost = new AtomicInteger();
  private int killsOfStarts;

  @Test
  void everyAcceptedEventIsAnsweredThroughKills() throws Exception {
    System.out.printf("kill campaign: %d kills, seed %d%n", KILLS, seed);
    try (ServerRig rig = new ServerRig()) {
      loseSomeAnswers(rig);
      rig.start();
      int acked;
      try (LoadDriver load = new LoadDriver(rig, "load").start(PER_SECOND, CHAT_THREADS);
          EquationWatch watch = new EquationWatch(rig.api(), Duration.ofMillis(250))) {
        killAgainAndAgain(rig);
        rig.server().awaitReady(READY_WITHIN);
        load.stop(Duration.ofSeconds(30));
        acked = load.acked();
        Oracle oracle = new Oracle(rig, load.events(), killsAtNanos);
        assertThat(oracle.judge(Duration.ofSeconds(60))).as("seed %d", seed).isEmpty();
        assertThat(watch.violations()).as("I5, seed %d", seed).isEmpty();
        assertThat(watch.looks()).as("looks at the equation").isGreaterThan(KILLS / 2);
      }
      String counts = rig.api().status().path("counts").toString();
      assertThat(rig.server().stop()).isZero();
      assertThat(Oracle.integrity(rig.setup().dataDir().resolve("holdfast.db"))).isEqualTo("ok");
      long answered = rig.platform().posts().stream().map(Post::inReplyTo).distinct().count();
      System.out.printf(
          "kill campaign: %d kills hit, %d of them during a start; %d acked, %d answered by %d"
              + " posts, of which %d lost their response; 0 lost; %s; seed %d%n",
          killsAtNanos.size(),
          killsOfStarts,
          acked,
          answered,
          rig.platform().posts().size(),
          lost.get(),
          counts,
          seed);
      // I10: a run in which nothing was at stake proves nothing.
      assertThat(killsAtNanos).hasSizeGreaterThanOrEqualTo(KILLS);
      assertThat(acked).isGreaterThanOrEqualTo(KILLS * 20);
    }
  }

  private void loseSomeAnswers(ServerRig rig) {
    Random platformRandom = new Random(seed + 1);
    rig.platform()
        .plan(
            _ -> {
              synchronized (platformRandom) {
                if (platformRandom.nextInt(100) >= LOSE_PERCENT) {
                  return PlatformMode.ACCEPT;
                }
                lost.incrementAndGet();
                return PlatformMode.LOSE_ANSWER;
              }
            });
  }

  private void killAgainAndAgain(ServerRig rig) {
    while (killsAtNanos.size() < KILLS) {
      boolean inRecovery = !killsAtNanos.isEmpty() && random.nextInt(4) == 0;
      if (!inRecovery) {
        rig.server().awaitReady(READY_WITHIN);
      }
      Await.pause(Duration.ofMillis(50L + random.nextInt(inRecovery ? 1_000 : 2_950)));
      if (rig.server().isAlive()) {
        killsAtNanos.add(System.nanoTime());
        killsOfStarts += inRecovery ? 1 : 0;
        if (killsAtNanos.size() % 100 == 0) {
          System.out.printf("kill campaign: %d kills so far%n", killsAtNanos.size());
        }
        rig.server().kill9();
      }
      assertThat(rig.server().exitNow()).as("killed by us, seed %d", seed).contains(137);
      rig.launch();
    }
  }
}
