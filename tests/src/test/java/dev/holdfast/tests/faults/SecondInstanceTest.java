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
@Timeout(60)
class SecondInstanceTest {
  private static final int ALREADY_RUNNING = 73;
  private static final Duration REFUSED_WITHIN = Duration.ofSeconds(5);

  @Test
  void aSecondServerRefusesAndNamesTheFirst() throws IOException {
    try (ServerRig rig = new ServerRig().start();
        HoldfastProcess second = HoldfastProcess.start(other(rig))) {
      String pidFile = Files.readString(rig.setup().dataDir().resolve("holdfast.pid"));
      assertThat(second.exitCode(REFUSED_WITHIN)).isEqualTo(ALREADY_RUNNING);
      assertThat(second.output()).contains(Long.toString(rig.server().pid()));
      assertThat(rig.setup().dataDir().resolve("holdfast.pid")).hasContent(pidFile);
      rig.converse("e1", "t", "still there?");
    }
  }

  @Test
  void aStoppedOwnerKeepsItsLock() {
    try (ServerRig rig = new ServerRig().start()) {
      rig.server().suspend();
      try (HoldfastProcess second = HoldfastProcess.start(other(rig))) {
        assertThat(second.exitCode(REFUSED_WITHIN)).isEqualTo(ALREADY_RUNNING);
      }
      rig.server().resume();
      rig.converse("e1", "t", "still there?");
    }
  }

  @Test
  void aDeletedLockFileLetsNobodyIn() throws IOException {
    try (ServerRig rig = new ServerRig().start()) {
      Files.delete(rig.setup().dataDir().resolve("holdfast.lock"));
      try (HoldfastProcess second = HoldfastProcess.start(other(rig))) {
        assertThat(second.exitCode(REFUSED_WITHIN)).isEqualTo(ALREADY_RUNNING);
      }
      rig.converse("e1", "t", "still there?");
    }
  }

  @Test
  void takeOverStopsTheFirstAndServes() {
    try (ServerRig rig = new ServerRig().start()) {
      rig.converse("e1", "t", "hello");
      try (HoldfastProcess second = HoldfastProcess.start(other(rig).argument("--take-over"))) {
        second.awaitReady();
        assertThat(rig.server().exitCode(Duration.ofSeconds(1))).isIn(0, 137, 143);
      }
    }
  }

  @Test
  void takeOverOfAStoppedOwnerKillsIt() {
    try (ServerRig rig = new ServerRig().start()) {
      rig.server().suspend();
      Setup impatient = other(rig).set("server.shutdown_secs", 1).argument("--take-over");
      try (HoldfastProcess second = HoldfastProcess.start(impatient)) {
        second.awaitReady();
        assertThat(rig.server().exitCode(Duration.ofSeconds(1))).isEqualTo(137);
      }
    }
  }

  /**
   * Row F10: a pid file that names another live process, as after a reboot, stops nobody from
   * starting.
   */
  @Test
  void aPidThatWasReusedIsNotTakenForTheOwner() throws IOException {
    try (ServerRig rig = new ServerRig().start()) {
      rig.converse("e1", "t", "hello");
      rig.server().kill9();
      Path pidFile = rig.setup().dataDir().resolve("holdfast.pid");
      String forged =
          Files.readString(pidFile)
              .replace(
                  Long.toString(rig.server().pid()), Long.toString(ProcessHandle.current().pid()));
      Files.writeString(pidFile, forged);
      rig.start();
      rig.converse("e2", "t", "hello again");
    }
  }

  @Test
  void takeOverOfACopiedFolderLeavesTheServerOfTheOriginalAlone() throws IOException {
    try (ServerRig rig = new ServerRig().start()) {
      rig.converse("e1", "t", "hello");
      Path copy = rig.folder().resolve("copy");
      Commands.run("cp", "-a", rig.setup().dataDir().toString(), copy.toString());
      Setup setup = new Setup(rig.folder().resolve("second")).dataDir(copy);
      try (HoldfastProcess second =
          HoldfastProcess.start(setup.argument("--take-over")).awaitReady()) {
        assertThat(rig.server().isAlive()).isTrue();
        assertThat(second.output())
            .contains("is a copy of " + rig.setup().dataDir(), "process " + rig.server().pid());
        rig.converse("e2", "t", "still there?");
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
            Duration.ofSeconds(20),
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
