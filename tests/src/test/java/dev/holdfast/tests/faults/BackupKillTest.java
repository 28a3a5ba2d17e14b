package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CampaignLedger;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.HoldfastProcess;
import dev.holdfast.tests.harness.LoadDriver;
import dev.holdfast.tests.harness.OnlyInFull;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.SentEvent;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.TinyDisk;
import dev.holdfast.tests.harness.VerifiedBackups;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Backups of a busy server, of which some are killed and some lose their server. How often: {@code
 * -Dholdfast.backups}; the same again: {@code -Dholdfast.seed}.
 */
@Timeout(3600)
class BackupKillTest {
  private static final int ROUNDS_MAX = 10;
  private static final int ROUNDS = RunLength.of("holdfast.backups", 2, 20);
  private static final int DATA_DAMAGED = 65;
  private static final int DISK_FULL = 74;
  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());

  @Test
  @OnlyInFull(shortForm = "KillCampaignTest")
  void aBackupHoldsAllThatWasAcknowledgedBeforeItWhateverIsKilled() throws Exception {
    CampaignLedger ledger = new CampaignLedger("backup kills", seed);
    try (ServerRig rig = new ServerRig().start();
        LoadDriver load = new LoadDriver(rig, "load").start(20, 10)) {
      VerifiedBackups backups = new VerifiedBackups(rig, new Random(seed));
      for (int round = 0; round < ROUNDS; round++) {
        int before = load.acked();
        Await.until("events", Duration.ofSeconds(20), () -> load.acked() > before + 30);
        backups.kill();
        List<SentEvent> acked = load.events();
        Path file = backups.make(round % 2 == 0 ? rig::restart : () -> {});
        VerifiedBackups.assertRestored(file, acked);
        assertThat(rig.server().isAlive()).isTrue();
      }
      load.stop(Duration.ofSeconds(20));
      ledger
          .with("backups", backups.whole())
          .with("kills", rig.killsAtNanos().size())
          .with("acked", load.acked())
          .write();
    }
  }

  /** Killed as soon as it has put anything into the folder, its lock for example. */
  @Test
  void aRestoreThatIsKilledLeavesNoFolderThatStartsEmpty() throws Exception {
    try (ServerRig rig = new ServerRig().start()) {
      rig.converse("e1", "t", "hello");
      Path file = rig.folder().resolve("backup.zip");
      assertThat(HoldfastCommand.run(rig.setup(), "backup", file.toString()).exitCode()).isZero();
      int cutOff = 0;
      for (int round = 0; round < ROUNDS_MAX && cutOff < 2; round++) {
        try (ServerRig other = new ServerRig()) {
          killTheRestore(other, file);
          cutOff += isCutOff(other) ? 1 : 0;
        }
      }
      assertThat(cutOff).isEqualTo(2);
    }
  }

  /** On a busy machine the restore may be done before it is killed: then all of it is there. */
  private static boolean isCutOff(ServerRig other) throws IOException {
    HoldfastProcess server = other.launch();
    Await.until(
        "it is refused or ready",
        Duration.ofSeconds(30),
        () -> server.exitNow().isPresent() || server.isReady());
    if (server.exitNow().isEmpty()) {
      assertThat(other.api().event("e1").path("state").asText()).isEqualTo("answered");
      return false;
    }
    assertThat(server.exitNow()).contains(DATA_DAMAGED);
    assertThat(server.output()).contains("restore was cut off");
    return true;
  }

  private static void killTheRestore(ServerRig other, Path file) {
    Path data = other.setup().dataDir();
    try (HoldfastCommand restore =
        HoldfastCommand.start(other.setup(), "restore", file.toString())) {
      while (restore.isAlive() && isEmpty(data)) {
        Thread.onSpinWait();
      }
      restore.kill9();
    }
  }

  private static boolean isEmpty(Path data) {
    String[] names = data.toFile().list();
    return names == null || names.length == 0;
  }

  @Test
  void aDiskThatIsTooSmallForTheBackupIsNotHeldAgainstTheDatabase() throws Exception {
    try (ServerRig rig = new ServerRig().start();
        TinyDisk disk = new TinyDisk(rig.folder().resolve("disk"), 1)) {
      rig.converse("e1", "t", "hello");
      disk.fill();
      Path file = disk.path().resolve("backup.zip");
      HoldfastCommand.Result full = HoldfastCommand.run(rig.setup(), "backup", file.toString());
      assertThat(full.exitCode()).isEqualTo(DISK_FULL);
      assertThat(full.err())
          .contains(file.toString(), "free some space")
          .doesNotContain(rig.setup().dataDir() + "/holdfast.db");
      disk.free();
      assertThat(HoldfastCommand.run(rig.setup(), "backup", file.toString()).exitCode()).isZero();
      Path data = disk.path().resolve("restored");
      try (ServerRig other = new ServerRig()) {
        Files.delete(file);
        Path outside = rig.folder().resolve("outside.zip");
        HoldfastCommand.run(rig.setup(), "backup", outside.toString());
        other.setup().dataDir(data);
        disk.fill();
        HoldfastCommand.Result failed =
            HoldfastCommand.run(other.setup(), "restore", outside.toString());
        assertThat(failed.exitCode()).isEqualTo(DISK_FULL);
        assertThat(failed.err()).contains("free some space");
        disk.free();
        assertThat(HoldfastCommand.run(other.setup(), "restore", outside.toString()).exitCode())
            .isZero();
      }
    }
  }

  @Test
  void aCopyOfTheDatabaseAloneIsRefused() throws Exception {
    try (ServerRig rig = new ServerRig().start()) {
      rig.converse("e1", "t", "hello");
      Path copy = Files.createDirectories(rig.folder().resolve("copy"));
      Files.copy(rig.setup().dataDir().resolve("holdfast.db"), copy.resolve("holdfast.db"));
      rig.server().kill9();
      rig.setup().dataDir(copy);
      assertThat(rig.launch().exitCode(Duration.ofSeconds(30))).isEqualTo(DATA_DAMAGED);
      assertThat(rig.server().output())
          .contains("was copied from a running server", "holdfast backup");
    }
  }
}
