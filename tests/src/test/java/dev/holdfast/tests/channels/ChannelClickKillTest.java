package dev.holdfast.tests.channels;

import dev.holdfast.tests.harness.CampaignLedger;
import dev.holdfast.tests.harness.ClickKills;
import dev.holdfast.tests.harness.CompiledPlugin;
import dev.holdfast.tests.harness.OnlyInFull;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * kill -9 between the press of a platform's own button and its effect. How often on each: {@code
 * -Dholdfast.click_kills}; the same run again: {@code -Dholdfast.seed}.
 */
@OnlyInFull(shortForm = "KillCampaignTest")
@Timeout(7200)
@Execution(ExecutionMode.CONCURRENT)
class ChannelClickKillTest {
  private static final int KILLS = RunLength.of("holdfast.click_kills", 3, 67);

  @ParameterizedTest
  @EnumSource(names = {"TELEGRAM_POLL", "SLACK_SOCKET", "DISCORD_GATEWAY"})
  void decidedOnceRunAtMostOnceAndThePostSaysSo(Platforms platform) throws Exception {
    long seed = Long.getLong("holdfast.seed", System.nanoTime());
    CampaignLedger ledger = new CampaignLedger("click kills of " + platform, seed);
    Path board = ServerRig.newFolder("holdfast-board");
    try (ButtonWorld world = (ButtonWorld) platform.open();
        ServerRig rig = new ServerRig()) {
      rig.setup()
          .plugin(world.plugin())
          .set("tools.autonomy", "supervised")
          .set("channels.board.folder", board.toString());
      CompiledPlugin.ofResource("board", "Board").into(rig.folder().resolve("plugins"));
      world.configure(rig.setup());
      rig.start();
      ClickKills kills = new ClickKills(rig, platform.toString(), seed);
      for (int person = 0; person < KILLS; person++) {
        kills.round(PlatformQuestion.asked(rig, world, person, board));
      }
      kills.end(ledger);
    } finally {
      ServerRig.delete(board);
    }
  }
}
