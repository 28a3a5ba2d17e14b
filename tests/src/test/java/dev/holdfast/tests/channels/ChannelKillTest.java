package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CampaignLedger;
import dev.holdfast.tests.harness.OnlyInFull;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * kill -9 at random moments while people write on a platform: whatever way a message takes to the
 * server, it is answered once, in its order. How often: {@code -Dholdfast.channel_kills}; the same
 * moments again: {@code -Dholdfast.seed}.
 */
@OnlyInFull(shortForm = "KillCampaignTest")
@Timeout(value = 30 + 15L * 60)
@Execution(ExecutionMode.CONCURRENT)
class ChannelKillTest {
  private static final int KILLS = RunLength.of("holdfast.channel_kills", 3, 20);
  private static final Duration ENOUGH_WITHIN = Duration.ofMinutes(3);

  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final Random random = new Random(seed);

  @ParameterizedTest
  @EnumSource
  void whatWasSaidIsAnsweredOnceAndInOrderThroughKills(Platforms platform) throws Exception {
    CampaignLedger ledger = new CampaignLedger("channel kills of " + platform, seed);
    try (PlatformTalk talk = new PlatformTalk(platform);
        ServerRig rig = new ServerRig()) {
      talk.configure(rig.setup());
      rig.start();
      talk.begin(new Random(seed + 1));
      for (int i = 0; i < KILLS; i++) {
        Await.pause(Duration.ofMillis(500L + random.nextInt(2_000)));
        rig.server().kill9();
        rig.start();
      }
      // A slow machine may have reached the platform between no two kills.
      Await.until("enough was said", ENOUGH_WITHIN, () -> talk.said() > KILLS * 4);
      talk.stop();
      talk.judge(rig, ledger);
      ledger.with("kills", KILLS).write();
      assertThat(rig.server().stop()).isZero();
      assertThat(Oracle.integrity(rig.setup().dataDir().resolve("holdfast.db"))).isEqualTo("ok");
    }
  }
}
