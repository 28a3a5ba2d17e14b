package dev.holdfast.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.bus.QueueScript.State;
import dev.holdfast.bus.QueueScript.Step;
import dev.holdfast.store.CrashingProcess;
import dev.holdfast.store.TestStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process is killed right before each write of what sheds, rejects, gives up, replays, discards
 * and removes events: the next one finds each step done as a whole or not at all, and goes on. A
 * sample; all of them with {@code -Dholdfast.full}.
 */
@Timeout(600)
class QueueCrashTest {
  private static final int KILLED = 128 + 9;
  private static final int CALLS_MAX = 400;
  private static final Path STRACE = Path.of("/usr/bin/strace");

  @TempDir Path root;

  @Test
  void eachStepIsDoneAsAWholeOrNotAtAll() throws Exception {
    assumeTrue(Files.isExecutable(STRACE), "strace is not installed");
    List<State> states = uninterrupted();
    boolean full = Boolean.getBoolean("holdfast.full");
    int kills = kill("fdatasync,fsync", full ? 1 : 20, states);
    kills += kill("pwrite64", full ? 1 : 90, states);
    System.out.printf("queue crashes: %d kills%n", kills);
    assertThat(kills).isGreaterThan(3);
  }

  /** After none of the steps, after one, and so on. */
  private List<State> uninterrupted() throws Exception {
    try (TestStore it = new TestStore(root.resolve("uninterrupted"))) {
      QueueScript script = new QueueScript(it.store);
      List<State> states = new ArrayList<>();
      states.add(script.state());
      for (Step step : script.steps()) {
        step.run();
        states.add(script.state());
      }
      assertThat(states).doesNotHaveDuplicates();
      return states;
    }
  }

  /** At each {@code every}-th of these calls on the log of the database, from the first step on. */
  private int kill(String calls, int every, List<State> states) throws Exception {
    int kills = 0;
    for (int at = 1; at <= CALLS_MAX; at += every) {
      Path data = Files.createDirectory(root.resolve(calls.charAt(0) + "-" + at));
      Path noted = root.resolve("noted");
      Files.deleteIfExists(noted);
      Process child =
          CrashingProcess.start(
              QueueScript.class,
              List.of(
                  STRACE.toString(),
                  "-f",
                  "-o",
                  "/dev/null",
                  "-P",
                  data.resolve("holdfast.db-wal").toString(),
                  "-e",
                  "trace=" + calls,
                  "-e",
                  "inject=" + calls + ":signal=KILL:when=" + at),
              root.resolve("output"),
              data.toString(),
              noted.toString());
      boolean _ = child.waitFor(60, TimeUnit.SECONDS); // strace may overlook the end of the child
      child.descendants().forEach(ProcessHandle::destroyForcibly);
      int code = child.destroyForcibly().waitFor();
      assertThat(code).as("%s", CrashingProcess.lines(root.resolve("output"))).isIn(0, KILLED);
      goOn(data, CrashingProcess.lines(noted).size(), states);
      if (code == 0) {
        return kills;
      }
      kills++;
    }
    return kills;
  }

  private static void goOn(Path data, int done, List<State> states) throws Exception {
    try (TestStore it = new TestStore(data)) {
      QueueScript script = new QueueScript(it.store);
      State found = script.state();
      assertThat(states.subList(done, Math.min(done + 2, states.size()))).contains(found);
      List<Step> steps = script.steps();
      for (Step step : steps.subList(states.indexOf(found), steps.size())) {
        step.run();
      }
      assertThat(script.state()).isEqualTo(states.getLast());
    }
  }
}
