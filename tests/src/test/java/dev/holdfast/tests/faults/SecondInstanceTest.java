package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.HoldfastProcess;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Row F10: two servers on one data folder. */
@Timeout(180)
class SecondInstanceTest {
  private static final int ALREADY_RUNNING = 73;
  private static final Duration REFUSED_WITHIN = Duration.ofSeconds(5);

  @Test
  void aSecondServerIsRefusedUnlessItTakesOver() throws IOException {
    try (ServerRig rig = new ServerRig().start()) {
      String pid = Long.toString(rig.server().pid());
      String pidFile = Files.readString(rig.setup().dataDir().resolve("holdfast.pid"));
      try (HoldfastProcess second = HoldfastProcess.start(other(rig))) {
        assertThat(second.exitCode(REFUSED_WITHIN)).isEqualTo(ALREADY_RUNNING);
        assertThat(second.output()).contains(pid);
      }
      assertThat(rig.setup().dataDir().resolve("holdfast.pid")).hasContent(pidFile);
      Path copy = rig.folder().resolve("copy");
      Commands.run("cp", "-a", rig.setup().dataDir().toString(), copy.toString());
      Setup ofCopy = new Setup(rig.folder().resolve("third")).dataDir(copy);
      try (HoldfastProcess third =
          HoldfastProcess.start(ofCopy.argument("--take-over")).awaitReady()) {
        assertThat(third.output())
            .contains("is a copy of " + rig.setup().dataDir(), "process " + pid);
        rig.converse("e1", "t", "still there?");
      }
      try (HoldfastProcess _ =
          HoldfastProcess.start(other(rig).argument("--take-over")).awaitReady()) {
        assertThat(rig.server().exitCode(Duration.ofSeconds(1))).isIn(0, 137, 143);
      }
    }
  }

  @Test
  void oneOfThreeTakeOversAtOnceWinsAtOnce() {
    try (ServerRig rig = new ServerRig().start()) {
      Setup[] setups = new Setup[3];
      HoldfastProcess[] all = new HoldfastProcess[3];
      for (int i = 0; i < 3; i++) {
        setups[i] =
            new Setup(rig.folder().resolve("other" + i))
                .dataDir(rig.setup().dataDir())
                .argument("--take-over");
      }
      try {
        for (int i = 0; i < 3; i++) {
          all[i] = HoldfastProcess.start(setups[i]);
        }
        Await.until(
            "one serves and two were refused",
            Duration.ofSeconds(60),
            () ->
                Arrays.stream(all).filter(HoldfastProcess::isReady).count() == 1
                    && Arrays.stream(all)
                            .filter(each -> each.exitNow().equals(Optional.of(ALREADY_RUNNING)))
                            .count()
                        == 2);
      } finally {
        Arrays.stream(all).forEach(HoldfastProcess::close);
      }
    }
  }

  private static Setup other(ServerRig rig) {
    return new Setup(rig.folder().resolve("second")).dataDir(rig.setup().dataDir());
  }
}
