package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.messages.ThreadReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process that accepts events, and checks that it kept what it had confirmed. */
class CrashTest {
  private static final boolean FULL = Boolean.getBoolean("holdfast.full");
  private static final int KILLS = FULL ? 5 : 3;

  private static final int KILLED = 128 + 9;
  private static final Path STRACE = Path.of("/usr/bin/strace");

  @TempDir Path root;

  @Test
  void nothingThatWasConfirmedIsLostByKillingTheProcess() throws Exception {
    Path data = root.resolve("data");
    Path acknowledged = root.resolve("acknowledged");
    for (int kill = 1; kill <= KILLS; kill++) {
      int before = CrashingProcess.lines(acknowledged).size();
      int enough = before + 150 * kill;
      Process child =
          CrashingProcess.start(
              List.of(), root.resolve("output"), "fill", data.toString(), acknowledged.toString());
      try {
        TestStore.await(
            () -> CrashingProcess.lines(acknowledged).size() > enough || !child.isAlive());
        assertThat(child.isAlive())
            .as("%s", CrashingProcess.lines(root.resolve("output")))
            .isTrue();
      } finally {
        child.destroyForcibly().waitFor();
      }
      if (kill % 2 == 0) {
        check(data, CrashingProcess.lines(acknowledged)); // else the next child recovers
      }
    }
    check(data, CrashingProcess.lines(acknowledged));
  }

  private static void check(Path data, List<String> acknowledged) throws StartRefusedException {
    try (TestStore it = new TestStore(data)) {
      assertThat(it.store.wasClean()).isFalse();
      for (String key : acknowledged) {
        assertThat(it.store.inbox().findByDedupeKey(key)).as(key).hasSize(1);
      }
      assertThat(it.equationHolds()).isTrue();
      long open = it.store.inbox().open(0, Integer.MAX_VALUE).size();
      assertThat(it.store.inbox().counts())
          .containsEntry("pending", open)
          .containsEntry("running", 0L);
      assertThat(it.store.outbox().depth())
          .isEqualTo(it.store.outbox().open(0, Integer.MAX_VALUE).size());
      assertThat(
              it.store.chatThreads().list(ThreadReader.OPERATOR, "", 1000).stream()
                  .mapToLong(row -> row.events())
                  .sum())
          .isEqualTo(it.store.inbox().counts().getOrDefault("accepted", -1L));
      assertThat(it.fatals).isEmpty();
    }
  }

  /** The very first start and its stop, killed on their way. All over: {@code -Dholdfast.full}. */
  @Test
  void aFirstStartThatIsKilledAnywhereStartsAgain() throws Exception {
    assumeTrue(Files.isExecutable(STRACE), "strace is not installed");
    int kills =
        killFirstStarts("rename", FULL ? 1 : 2, 5) + killFirstStarts("fsync", FULL ? 1 : 12, 60);
    if (FULL) {
      kills += killFirstStarts("openat", 1, 30) + killFirstStarts("pwrite64", 8, 400);
    }
    assertThat(kills).isGreaterThan(3);
  }

  /**
   * At each {@code step}-th such call of the first {@code calls}, or until one was not killed any
   * more. Returns how many were killed.
   */
  private int killFirstStarts(String call, int step, int calls) throws Exception {
    int kills = 0;
    for (int at = 1; at <= calls; at += step) {
      Path data = Files.createDirectory(root.resolve(call + at));
      Process child = firstStart(data, call, at);
      child.waitFor(30, TimeUnit.SECONDS); // strace may overlook the end of what it has killed
      child.descendants().forEach(ProcessHandle::destroyForcibly);
      child.destroyForcibly().waitFor();
      assertThat(child.exitValue())
          .as("%s", CrashingProcess.lines(root.resolve("output")))
          .isIn(0, KILLED);
      try (TestStore it = new TestStore(data)) {
        assertThat(it.store.inbox().open(0, 10)).as("killed at %s %d", call, at).isEmpty();
        it.append("t", "k");
      }
      if (child.exitValue() == 0) {
        return kills;
      }
      kills++;
    }
    return kills;
  }

  /** Of the calls that name the folder or a file of the database, or an open one of them. */
  private Process firstStart(Path data, String call, int killedAt) throws IOException {
    List<String> command = new ArrayList<>(List.of(STRACE.toString(), "-f", "-o", "/dev/null"));
    command.addAll(List.of("-P", data.toString()));
    for (String name : List.of("run", "run.tmp", "db", "db-journal", "db-wal", "commits")) {
      command.addAll(List.of("-P", data.resolve("holdfast." + name).toString()));
    }
    command.addAll(
        List.of("-e", "trace=" + call, "-e", "inject=" + call + ":signal=KILL:when=" + killedAt));
    return CrashingProcess.start(command, root.resolve("output"), "open", data.toString());
  }

  @Test
  void aFailedFsyncEndsTheProcessAndNothingIsConfirmedAfterIt() throws Exception {
    assumeTrue(Files.isExecutable(STRACE), "strace is not installed");
    Path data = root.resolve("data");
    Path acknowledged = root.resolve("acknowledged");
    Process child =
        CrashingProcess.start(
            List.of(
                STRACE.toString(),
                "-f",
                "--seccomp-bpf",
                "-o",
                "/dev/null",
                "-e",
                "trace=fsync,fdatasync",
                "-e",
                "inject=fsync,fdatasync:error=EIO:when=60+"),
            root.resolve("output"),
            "fill",
            data.toString(),
            acknowledged.toString());
    boolean ended = child.waitFor(60, TimeUnit.SECONDS);
    if (!ended) {
      child.descendants().forEach(ProcessHandle::destroyForcibly);
      child.destroyForcibly().waitFor();
    }
    assertThat(ended).isTrue();
    assertThat(child.exitValue())
        .as("%s", CrashingProcess.lines(root.resolve("output")))
        .isEqualTo(74);
    assertThat(CrashingProcess.lines(acknowledged)).isNotEmpty();
    check(data, CrashingProcess.lines(acknowledged));
  }
}
