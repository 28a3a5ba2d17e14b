package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.LoadDriver;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.TinyDisk;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows F11 and F12: the disk of the data is full. */
@Timeout(120)
class DiskTest {
  private static final int STOPS = RunLength.isFull() ? 3 : 2;
  private static final int RESERVE_BYTES = 8 * 1024 * 1024;

  /**
   * Row F11, below the reserve: the intake refuses politely, and heals by itself. Then under load:
   * full to the last byte and free again, three times; what was accepted is answered.
   */
  @Test
  void aFullDiskIsRefusedWith503AndHealsByItselfAndWhatWasAcceptedIsAnswered() throws Exception {
    try (ServerRig rig = new ServerRig();
        TinyDisk disk = new TinyDisk(rig.folder().resolve("disk"), 64)) {
      onDisk(rig, disk);
      rig.start();
      rig.converse("before", "t", "hello");
      disk.fill();
      Answer refused =
          Await.value(
              "a 503",
              Duration.ofSeconds(15),
              () -> {
                Answer answer = rig.sender().send("full-" + System.nanoTime(), "t", "any room?");
                return answer.status() == 503 ? Optional.of(answer) : Optional.empty();
              });
      assertThat(refused.header("retry-after")).isNotEmpty();
      Await.until("not ready", Duration.ofSeconds(15), () -> rig.server().probe("/ready") == 503);
      assertThat(rig.server().probe("/live")).isEqualTo(200);
      disk.free();
      Await.until("ready again", Duration.ofSeconds(30), () -> rig.server().isReady());
      rig.converse("after", "t", "and now?");

      try (LoadDriver load = new LoadDriver(rig, "load").start(100, 20)) {
        Await.until("some events", Duration.ofSeconds(10), () -> load.acked() > 50);
        for (int i = 0; i < 3; i++) {
          int refusals = load.refused();
          disk.fill();
          Await.until("it hits", Duration.ofSeconds(15), () -> load.refused() > refusals + 20);
          disk.free();
          int acks = load.acked();
          Await.until("healed", Duration.ofSeconds(30), () -> load.acked() > acks + 50);
        }
        load.stop(Duration.ofSeconds(20));
        Oracle oracle = new Oracle(rig, load.events(), List.of());
        assertThat(oracle.judge(Duration.ofSeconds(60))).isEmpty();
      }
      assertThat(rig.server().stop()).isZero();
      assertThat(Oracle.integrity(rig.setup().dataDir().resolve("holdfast.db"))).isEqualTo("ok");
    }
  }

  /** Row F11 without a reserve and killed while full: the next start on the freed disk is whole. */
  @Test
  void aKillOnAFullDiskLeavesNoDamage() throws Exception {
    try (ServerRig rig = new ServerRig();
        TinyDisk disk = new TinyDisk(rig.folder().resolve("disk"), 64)) {
      onDisk(rig, disk);
      rig.setup().set("server.min_free_bytes", 0);
      rig.start();
      try (LoadDriver load = new LoadDriver(rig, "load").start(100, 20)) {
        Await.until("some events", Duration.ofSeconds(10), () -> load.acked() > 50);
        disk.fill();
        Await.pause(Duration.ofSeconds(1));
        long killed = System.nanoTime();
        rig.server().kill9();
        disk.free();
        rig.start();
        load.stop(Duration.ofSeconds(20));
        Oracle oracle = new Oracle(rig, load.events(), List.of(killed));
        assertThat(oracle.judge(Duration.ofSeconds(60))).isEmpty();
      }
    }
  }

  /** Stops are no crashes, though nothing of them can be written. */
  @Test
  void stopsOnAFullDiskAreNotHeldAgainstAMessage() throws Exception {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup());
        TinyDisk disk = new TinyDisk(rig.folder().resolve("disk"), 64)) {
      onDisk(rig, disk);
      model.always(ModelScript.hang());
      rig.start();
      rig.accept("e1", "t", "hello");
      for (int stops = 0; stops < STOPS; stops++) {
        int asked = stops;
        Await.until(
            "the model is asked", Duration.ofSeconds(30), () -> model.requests().size() > asked);
        disk.fill();
        assertThat(rig.server().stop()).isZero();
        assertThat(rig.server().output()).doesNotContain("store: done", "marker: done");
        disk.free();
        if (stops == STOPS - 1) {
          model.always(ModelScript.echo());
        }
        rig.start();
        assertThat(rig.api().event("e1").path("attempts").asInt()).isLessThan(2);
      }
      rig.api().awaitState("e1", Set.of("answered"), Duration.ofSeconds(30));
    }
  }

  private static void onDisk(ServerRig rig, TinyDisk disk) {
    rig.setup().dataDir(disk.path().resolve("data"));
    rig.setup().set("server.min_free_bytes", RESERVE_BYTES);
  }
}
