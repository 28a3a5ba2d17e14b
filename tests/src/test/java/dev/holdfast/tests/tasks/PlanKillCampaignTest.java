package dev.holdfast.tests.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CampaignLedger;
import dev.holdfast.tests.harness.Kills;
import dev.holdfast.tests.harness.OnlyInFull;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.PlanLoad;
import dev.holdfast.tests.harness.PlanOracle;
import dev.holdfast.tests.harness.PlanningModel;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * kill -9 at random moments, also while the server recovers, amid 50 plans: graphs with steps that
 * fail, ask and must not run twice, some written by a model, some cancelled on the way. How often:
 * {@code -Dholdfast.kills}; the same dice again: {@code -Dholdfast.seed}.
 */
@OnlyInFull(shortForm = "KillCampaignTest")
@Isolated("it measures how soon a plan is cancelled")
class PlanKillCampaignTest {
  private static final int KILLS = RunLength.of("holdfast.kills", 6, 200);
  private static final int OPEN = 50;
  private static final Duration READY_WITHIN = Duration.ofSeconds(60);
  private static final Duration END_WITHIN = Duration.ofMinutes(10);
  private static final Duration RECONCILED_WITHIN = Duration.ofSeconds(10);

  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final ServerRig rig = new ServerRig();
  private final AgentScript worker = new AgentScript(rig, "worker");
  private final AgentScript careful = new AgentScript(rig, "careful");
  private final PlanOracle oracle = new PlanOracle(rig, worker, careful);
  private final PlanningModel model = new PlanningModel(PlanLoad::steps).use(rig.setup());
  private final Kills kills = new Kills(rig, random, READY_WITHIN);
  private int longLives;

  @AfterEach
  void end() {
    rig.close();
    model.close();
  }

  @Test
  void noPlanIsLostOrDoneTwiceThroughKills() throws Exception {
    CampaignLedger ledger = new CampaignLedger("plan kills", seed);
    PlanOracle.configure(rig.setup());
    rig.setup().set("extensions", List.of(worker.declaration(), careful.checkable()));
    rig.start();
    try (PlanLoad load = new PlanLoad(rig, OPEN, seed)) {
      Await.until("all are open", END_WITHIN, () -> load.plans().size() >= OPEN);
      while (kills.hits() < KILLS) {
        kill();
      }
      kills.awaitReady();
      load.stop();
      oracle.awaitEnded(load, END_WITHIN);
      oracle.judge(load);
      ledger.with("plans", load.plans().size()).with("cancels", load.cancels());
      assertThat(load.plans()).hasSizeGreaterThanOrEqualTo(OPEN);
    }
    List<String> violations = new Oracle(rig, List.of()).judge(Duration.ofSeconds(60));
    violations.addAll(oracle.violations());
    ledger
        .with("kills", kills.hits())
        .with("kills_of_starts", kills.ofStarts())
        .with("long_lives", longLives)
        .with("unsafe_steps_of_unknown_outcome", oracle.unknown())
        .with("violations", violations.size())
        .write();
    assertThat(violations).as("seed %d", seed).isEmpty();
    assertThat(rig.server().stop()).isZero();
    assertThat(Oracle.integrity(rig.setup().dataDir().resolve("holdfast.db"))).isEqualTo("ok");
  }

  /** One life in ten is long enough for the promise that holds after ten seconds. */
  private void kill() throws Exception {
    if (kills.hits() > 0 && random.nextInt(5) == 0) {
      kills.awaitRecovery(1_500);
    } else if (random.nextInt(10) == 0 || kills.hits() == KILLS / 2) {
      kills.awaitReady();
      Await.pause(RECONCILED_WITHIN);
      oracle.look();
      longLives++;
    } else {
      kills.awaitLife();
    }
    kills.now();
  }
}
