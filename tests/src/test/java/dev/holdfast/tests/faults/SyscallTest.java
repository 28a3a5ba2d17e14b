package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.LoadDriver;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.Rig;
import dev.holdfast.tests.harness.Strace;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows F13, F14 and F16: system calls on the disk fail or crawl. */
@Timeout(120)
class SyscallTest {
  private static final int IO_ERROR = 74;

  /**
   * Row F14: after a failed fsync nothing may be believed, so the process ends; the next start
   * serves all.
   */
  @Test
  void aFailedFsyncEndsTheProcessAndLosesNothing() throws Exception {
    try (Rig rig = new Rig().start();
        LoadDriver load = new LoadDriver(rig, "load").start(50, 20)) {
      Await.until("some events", Duration.ofSeconds(10), () -> load.acked() > 50);
      long died;
      try (Strace strace =
          Strace.attach(rig.server(), rig.folder(), "fdatasync,fsync:error=EIO:when=20+")) {
        assertThat(rig.server().exitCode(Duration.ofSeconds(20))).isEqualTo(IO_ERROR);
        died = System.nanoTime();
        assertThat(strace.hits()).as("the fault hit").isPositive();
      }
      rig.start();
      load.stop(Duration.ofSeconds(20));
      Oracle oracle = new Oracle(rig, load.events(), List.of(died));
      assertThat(oracle.judge(Duration.ofSeconds(60))).isEmpty();
    }
  }

  /** Row F13: the database's file system turns read-only under the server, and back. */
  @Test
  void aReadOnlyDatabaseIsRefusedWith503AndHealsByItself() throws Exception {
    try (Rig rig = new Rig().start()) {
      rig.converse("before", "t", "hello");
      try (Strace strace =
          Strace.attach(rig.server(), rig.folder(), "pwrite64,ftruncate:error=EROFS")) {
        for (int i = 0; i < 20; i++) {
          Answer refused = rig.sender().send("read-only-" + i, "t", "any room?");
          assertThat(refused.status()).isEqualTo(503);
          assertThat(refused.header("retry-after")).isNotEmpty();
          Await.pause(Duration.ofMillis(100));
        }
        assertThat(rig.server().probe("/ready")).isEqualTo(503);
        assertThat(rig.server().probe("/live")).isEqualTo(200);
        assertThat(strace.hits()).as("the fault hit").isPositive();
      }
      Await.until("ready again", Duration.ofSeconds(30), () -> rig.server().isReady());
      assertThat(rig.server().exitNow()).as("the same process").isEmpty();
      rig.converse("after", "t", "and now?");
      assertThat(rig.api().state("before")).isEqualTo("answered");
    }
  }

  /**
   * Row F13, in the middle of a turn: the paid answer is kept in memory and told when the disk is
   * back.
   */
  @Test
  void anAnswerThatAReadOnlyDiskRefusesIsKeptAndToldLater() throws Exception {
    try (Rig rig = new Rig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      model.always(ModelScript.after(Duration.ofSeconds(2), ModelScript.answer(_ -> "paid for")));
      rig.start();
      rig.sender().send("e1", "t", "hello");
      Await.until("asked", Duration.ofSeconds(10), () -> !model.requests().isEmpty());
      try (Strace strace =
          Strace.attach(rig.server(), rig.folder(), "pwrite64,ftruncate:error=EROFS")) {
        Await.until("hit", Duration.ofSeconds(15), () -> strace.hits() > 5);
        Await.pause(Duration.ofSeconds(3));
      }
      Await.until("told", Duration.ofSeconds(60), () -> !rig.platform().posts().isEmpty());
      assertThat(rig.platform().posts().getFirst().text()).isEqualTo("paid for");
      assertThat(model.requests()).as("paid once").hasSize(1);
      assertThat(rig.api().state("e1")).isEqualTo("answered");
    }
  }

  /** Row F16: each fsync takes 300 ms longer; acks are slow, and nothing else. */
  @Test
  void aSlowDiskOnlySlowsDown() throws Exception {
    try (Rig rig = new Rig().start();
        LoadDriver load = new LoadDriver(rig, "load").start(40, 20)) {
      Await.until("some events", Duration.ofSeconds(10), () -> load.acked() > 40);
      try (Strace strace =
          Strace.attach(rig.server(), rig.folder(), "fdatasync,fsync:delay_enter=300000")) {
        Await.pause(Duration.ofSeconds(6));
        assertThat(strace.hits()).as("the fault hit").isGreaterThan(5);
        assertThat(rig.server().probe("/live")).isEqualTo(200);
      }
      assertThat(load.slowestAck()).isLessThan(Duration.ofMillis(2_500));
      load.stop(Duration.ofSeconds(20));
      Oracle oracle = new Oracle(rig, load.events(), List.of());
      assertThat(oracle.judge(Duration.ofSeconds(60))).isEmpty();
    }
  }
}
