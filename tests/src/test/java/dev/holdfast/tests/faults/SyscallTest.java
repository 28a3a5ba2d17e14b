package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.LoadDriver;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Strace;
import dev.holdfast.tests.harness.ThreadFolder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rows F13, F14 and F16: system calls on the disk fail or crawl. */
@Timeout(120)
class SyscallTest {
  private static final int IO_ERROR = 74;

  @RegisterExtension static final Served SERVED = Served.aloneWithModel(_ -> {});

  private final ServerRig rig = SERVED.rig();
  private final FakeModel model = SERVED.model();

  private static String id(String name) {
    return SERVED.thread() + "-" + name;
  }

  /**
   * Row F14: after a failed fsync nothing may be believed, so the process ends; the next start
   * serves all.
   */
  @Test
  void aFailedFsyncEndsTheProcessAndLosesNothing() throws Exception {
    try (LoadDriver load = new LoadDriver(rig, id("load")).start(50, 20)) {
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
    rig.converse(id("before"), id("t"), "hello");
    try (Strace strace =
        Strace.attach(rig.server(), rig.folder(), "pwrite64,ftruncate:error=EROFS")) {
      for (int i = 0; i < 20; i++) {
        Answer refused = rig.sender().send(id("read-only-" + i), id("t"), "any room?");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.header("retry-after")).isNotEmpty();
        Await.pause(Duration.ofMillis(100)); // two seconds in all
      }
      assertThat(rig.server().probe("/ready")).isEqualTo(503);
      assertThat(rig.server().probe("/live")).isEqualTo(200);
      assertThat(strace.hits()).as("the fault hit").isPositive();
    }
    Await.until("ready again", Duration.ofSeconds(30), () -> rig.server().isReady());
    assertThat(rig.server().exitNow()).as("the same process").isEmpty();
    rig.converse(id("after"), id("t"), "and now?");
    assertThat(rig.api().state(id("before"))).isEqualTo("answered");
  }

  /**
   * Row F13, in the middle of a turn: the paid answer is kept in memory and told when the disk is
   * back.
   */
  @Test
  void anAnswerThatAReadOnlyDiskRefusesIsKeptAndToldLater() throws Exception {
    model.always(ModelScript.after(Duration.ofSeconds(2), ModelScript.answer(_ -> "paid for")));
    rig.sender().send(id("e1"), id("t"), "hello");
    Await.until("asked", Duration.ofSeconds(10), () -> !model.requests().isEmpty());
    try (Strace strace =
        Strace.attach(rig.server(), rig.folder(), "pwrite64,ftruncate:error=EROFS")) {
      Await.until("hit", Duration.ofSeconds(15), () -> strace.hits() > 5);
      Await.pause(Duration.ofSeconds(3)); // longer than the waits between the first tries
    }
    Await.until("told", Duration.ofSeconds(60), () -> !rig.platform().shownFor(id("e1")).isEmpty());
    assertThat(rig.platform().shownFor(id("e1")).getFirst().text()).isEqualTo("paid for");
    assertThat(model.requests()).as("paid once").hasSize(1);
    assertThat(rig.api().state(id("e1"))).isEqualTo("answered");
  }

  /**
   * Row F13 for the files of one chat thread alone, the database being well: its turn keeps the
   * paid answer until the files take it, others are answered meanwhile.
   */
  @Test
  void aThreadWhoseFilesAreReadOnlyHoldsUpNobodyElseAndLosesNothing() throws Exception {
    rig.converse(id("before"), id("t"), "hello");
    ThreadFolder thread = ThreadFolder.of(rig, id("t"));
    Await.until("logged", Duration.ofSeconds(10), () -> thread.lines("log.jsonl") == 2);
    assertThat(thread.lines("context.jsonl")).isEqualTo(2);
    List<Path> files =
        Stream.of("context.jsonl", "context.jsonl.tmp", "log.jsonl")
            .map(thread.path()::resolve)
            .toList();
    try (Strace strace =
        Strace.attach(rig.server(), rig.folder(), "openat,write,rename:error=EROFS", files)) {
      int output = rig.server().output().length();
      rig.accept(id("e1"), id("t"), "note this");
      Await.until(
          "the turn waits",
          Duration.ofSeconds(15),
          () ->
              rig.server()
                  .output()
                  .substring(output)
                  .contains("the disk refuses writes, its turn waits"));
      assertThat(strace.hits()).as("the fault hit").isPositive();
      assertThat(rig.converse(id("other"), id("u"), "hi").text()).contains("answer to hi");
      assertThat(rig.server().probe("/live")).isEqualTo(200);
      assertThat(rig.platform().shownFor(id("e1"))).isEmpty();
      assertThat(thread.lines("context.jsonl")).as("nothing was written").isEqualTo(2);
    }
    assertThat(rig.platform().awaitPost(id("e1"), Duration.ofSeconds(40)).text())
        .contains("answer to note this");
    assertThat(model.requests()).as("each paid once").hasSize(3);
    assertThat(thread.lines("context.jsonl")).as("question and answer").isEqualTo(4);
    assertThat(thread.lines("log.jsonl")).as("question and answer").isEqualTo(4);
    assertThat(rig.server().exitNow()).as("the same process").isEmpty();
    rig.restart();
    rig.converse(id("after"), id("t"), "and now?");
    assertThat(Json.write(model.requests().getLast().body())).contains("answer to note this");
  }

  /** Row F16: each fsync takes 300 ms longer; acks are slow, and nothing else. */
  @Test
  void aSlowDiskOnlySlowsDown() throws Exception {
    try (LoadDriver load = new LoadDriver(rig, id("load")).start(40, 20)) {
      Await.until("some events", Duration.ofSeconds(10), () -> load.acked() > 40);
      try (Strace strace =
          Strace.attach(rig.server(), rig.folder(), "fdatasync,fsync:delay_enter=300000")) {
        Await.until("it hits", Duration.ofSeconds(20), () -> strace.hits() > 15);
        assertThat(rig.server().probe("/live")).isEqualTo(200);
      }
      assertThat(load.slowestAck()).isLessThan(Duration.ofSeconds(10));
      load.stop(Duration.ofSeconds(20));
      Oracle oracle = new Oracle(rig, load.events(), List.of());
      assertThat(oracle.judge(Duration.ofSeconds(60))).isEmpty();
    }
  }
}
