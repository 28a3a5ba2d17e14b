package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.time.SystemTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InstanceLockTest {
  private static final Path PYTHON = Path.of("/usr/bin/python3");

  private static final String DYING =
      """
      import ctypes, fcntl, sys, threading, time
      file = open(sys.argv[1], 'w')
      fcntl.lockf(file, fcntl.LOCK_EX)
      threading.Thread(target=time.sleep, args=(2,)).start()
      print('held', flush=True)
      ctypes.CDLL(None).pthread_exit(None)
      """;

  @TempDir Path root;

  private Path data() {
    return root.resolve("data");
  }

  private Process holder() throws IOException {
    return start("hold", data());
  }

  private Process start(String how, Path folder) throws IOException {
    Path output = Files.createTempFile(root, "output", "");
    Process child = CrashingProcess.start(List.of(), output, how, folder.toString());
    TestStore.await(() -> CrashingProcess.lines(output).contains("held") || !child.isAlive());
    return child;
  }

  private static void suspend(Process child) throws Exception {
    new ProcessBuilder("kill", "-STOP", Long.toString(child.pid())).start().waitFor();
  }

  private InstanceLock take(boolean takeOver) throws Exception {
    return takeOver
        ? InstanceLock.takeOver(data(), Duration.ofSeconds(5), new SystemTime())
        : InstanceLock.take(data(), new SystemTime()); // two processes wait for it
  }

  private void refused(String... words) {
    assertThatThrownBy(() -> take(false).close())
        .isInstanceOfSatisfying(
            StartRefusedException.class, e -> assertThat(e.exitCode()).isEqualTo(73))
        .hasMessageContainingAll(words);
  }

  private Map<String, String> content() throws IOException {
    Map<String, String> content = new TreeMap<>();
    try (Stream<Path> files = Files.list(data())) {
      for (Path file : files.toList()) {
        content.put(
            file.getFileName().toString(),
            Files.getLastModifiedTime(file) + " " + Files.size(file));
      }
    }
    return content;
  }

  private void unusable(Path folder, String... words) {
    assertThatThrownBy(() -> InstanceLock.take(folder, new SystemTime()).close())
        .isInstanceOfSatisfying(
            StartRefusedException.class, e -> assertThat(e.exitCode()).isEqualTo(74))
        .hasMessageContainingAll(words);
  }

  @Test
  void aPathThatIsNoFolderIsNamedWithTheReasonAndTheNextStep() throws Exception {
    Path file = Files.writeString(root.resolve("afile"), "");
    unusable(file, file + " is a file, not a folder", "--data");
    unusable(file.resolve("below"), file + " is a file, not a folder", "--data");
    unusable(Path.of("/proc/holdfast"), "/proc/holdfast", "--data");
  }

  @Test
  void aSecondProcessIsRefusedAndToldWhoHoldsTheFolder() throws Exception {
    Process child = holder();
    try {
      Map<String, String> before = content();
      refused("process " + child.pid());
      assertThat(content()).isEqualTo(before);
      suspend(child);
      refused("process " + child.pid());
      Files.delete(data().resolve("holdfast.lock"));
      refused("process " + child.pid());
      assertThat(data().resolve("holdfast.lock")).doesNotExist();
    } finally {
      child.destroyForcibly().waitFor();
    }
    take(false).close();
  }

  @ParameterizedTest(name = "suspended: {0}")
  @ValueSource(booleans = {false, true})
  void aHolderIsAskedToStopAndThenMadeToStop(boolean isSuspended) throws Exception {
    Process child = holder();
    if (isSuspended) {
      suspend(child);
    }
    Process next = start("take-over", data());
    try {
      assertThat(next.isAlive()).isTrue();
      assertThat(child.isAlive()).isFalse();
      refused("process " + next.pid());
    } finally {
      next.destroyForcibly().waitFor();
    }
  }

  /** Its first thread has ended, as that of a killed server; the lock goes with the last one. */
  @Test
  void aHolderThatIsDyingIsWaitedFor() throws Exception {
    assumeTrue(Files.isExecutable(PYTHON), "python3 is not installed");
    Files.createDirectories(data());
    Path output = root.resolve("dying");
    Process dying =
        new ProcessBuilder(
                PYTHON.toString(), "-c", DYING, data().resolve("holdfast.lock").toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      TestStore.await(() -> CrashingProcess.lines(output).contains("held"));
      TestStore.await(() -> isZombie(dying.pid()));
      assertThat(LockHolder.find(data())).contains(dying.pid());
      take(false).close();
      assertThat(LockHolder.find(data())).isEmpty();
    } finally {
      dying.destroyForcibly().waitFor();
    }
  }

  @Test
  void aHolderThatIsDeadAndThatItsParentHasNotLookedForDoesNotHoldTheFolder() throws Exception {
    assumeTrue(Files.isExecutable(PYTHON), "python3 is not installed");
    Path output = root.resolve("output");
    String parent = "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]); time.sleep(60)";
    Process negligent =
        CrashingProcess.start(
            List.of(PYTHON.toString(), "-c", parent), output, "hold", data().toString());
    try {
      TestStore.await(() -> CrashingProcess.lines(output).contains("held"));
      ProcessHandle holder = negligent.children().findFirst().orElseThrow();
      holder.destroyForcibly();
      take(false).close();
      assertThat(isZombie(holder.pid())).isTrue();
    } finally {
      negligent.destroyForcibly().waitFor();
    }
  }

  private static boolean isZombie(long pid) {
    return CrashingProcess.lines(Path.of("/proc/" + pid + "/stat")).getFirst().contains(") Z ");
  }

  @Test
  void aHolderThatTookTheFolderAfterThisProcessBeganHasWon() throws Exception {
    Process child = holder();
    try {
      assertThatThrownBy(() -> take(true).close())
          .isInstanceOfSatisfying(
              StartRefusedException.class, e -> assertThat(e.exitCode()).isEqualTo(73))
          .hasMessageContaining("at the same time");
      assertThat(child.isAlive()).isTrue();
    } finally {
      child.destroyForcibly().waitFor();
    }
  }

  @Test
  void theHolderOfTheFolderThatThisOneWasCopiedFromIsLeftAlone() throws Exception {
    Process child = holder();
    try {
      Path copy = Files.createDirectory(root.resolve("copy"));
      for (String name : List.of("holdfast.pid", "holdfast.lock")) {
        Files.copy(data().resolve(name), copy.resolve(name));
      }
      InstanceLock.takeOver(copy, Duration.ofSeconds(5), new SystemTime()).close();
      Files.copy(data().resolve("holdfast.pid"), copy.resolve("holdfast.pid"));
      Process next = start("take-over", copy);
      assertThat(next.isAlive()).isTrue();
      next.destroyForcibly().waitFor();
      assertThat(child.isAlive()).isTrue();
    } finally {
      child.destroyForcibly().waitFor();
    }
  }

  @Test
  void aSecondTakeInTheSameProcessIsRefusedAndFreesNothing() throws Exception {
    try (InstanceLock first = take(false)) {
      assertThat(first).isNotNull();
      refused("in use");
      Process child = holder();
      assertThat(child.waitFor()).isEqualTo(73);
    }
    take(false).close();
  }

  @Test
  void aPidThatWentToAnotherProcessDoesNotHoldTheFolder() throws Exception {
    Files.createDirectories(data());
    Files.writeString(data().resolve("holdfast.pid"), "1 2001-01-01T00:00:00Z\n");
    take(false).close();
    Files.writeString(data().resolve("holdfast.pid"), "nonsense");
    take(false).close();
    assertThat(data().resolve("holdfast.pid")).doesNotExist();
  }
}
