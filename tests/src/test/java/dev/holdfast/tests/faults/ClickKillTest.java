package dev.holdfast.tests.faults;

import dev.holdfast.tests.harness.BoardRig;
import dev.holdfast.tests.harness.CampaignLedger;
import dev.holdfast.tests.harness.ClickKills;
import dev.holdfast.tests.harness.OnlyInFull;
import dev.holdfast.tests.harness.RunLength;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * kill -9 between the click on a button and its effect: the question is decided once, the call runs
 * at most once, and no question is lost. How often: {@code -Dholdfast.click_kills}; the same run
 * again: {@code -Dholdfast.seed}.
 */
@OnlyInFull(shortForm = "KillCampaignTest")
class ClickKillTest {
  private static final int KILLS = RunLength.of("holdfast.click_kills", 4, 67);

  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final Random random = new Random(seed);

  @Test
  @Timeout(7200)
  void decidedOnceRunAtMostOnceAndNoQuestionIsLost() throws Exception {
    CampaignLedger ledger = new CampaignLedger("click kills", seed);
    try (BoardRig board = new BoardRig()) {
      board.start();
      ClickKills kills = new ClickKills(board.rig(), "board", seed);
      for (int round = 1; round <= KILLS; round++) {
        kills.round(board.question(round, random.nextBoolean()));
      }
      kills.end(ledger);
    }
  }
}
