package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.LoadDriver;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.Rig;
import dev.holdfast.tests.harness.Strace;
import java.io.IOException;
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

  /**
   * Row F13: the database's file system turns read-only under the server, and back. SQLite cannot
   * tell a read-only file system from a broken one, so the server may also end with 74; what it may
   * not do is to acknowledge or to forget.
   */
  @Test
  void aReadOnlyDatabaseAcknowledgesNothing() throws Exception {
    try (Rig rig = new Rig().start()) {
      rig.converse("before", "t", "hello");
      try (Strace strace = Strace.attach(rig.server(), rig.folder(), "pwrite64:error=EROFS")) {
        for (int i = 0; i < 20; i++) {
          assertThat(isAccepted(rig, "read-only-" + i)).isFalse();
          Await.pause(Duration.ofMillis(100));
        }
        assertThat(strace.hits()).as("the fault hit").isPositive();
      }
      if (!rig.server().isAlive()) {
        assertThat(rig.server().exitNow()).contains(IO_ERROR);
        rig.start();
      }
      Await.until("ready again", Duration.ofSeconds(30), () -> rig.server().isReady());
      rig.converse("after", "t", "and now?");
      assertThat(rig.api().state("before")).isEqualTo("answered");
    }
  }

  private static boolean isAccepted(Rig rig, String id) {
    try {
      return rig.sender().send(id, "t", "any room?").isAccepted();
    } catch (IOException e) {
      return false; // ended: nothing was acknowledged
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
