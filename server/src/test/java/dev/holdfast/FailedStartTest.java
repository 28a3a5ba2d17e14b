package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.store.InstanceLock;
import dev.holdfast.store.engine.StartRefusedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A start that fails leaves nothing open and nothing that looks like a crash. */
@Timeout(120)
class FailedStartTest {
  private static final String USUAL =
      """
      http: {port: 0}
      metrics: {port: 0}
      tools: {shell: {enabled: true}}
      """;

  private static final List<String> KEPT =
      List.of(
          "process reaper",
          "ForkJoinPool",
          "VirtualThread-unparker",
          "globalEventExecutor",
          "HttpClient",
          "junit");

  private static Set<Thread> before = Set.of();

  @TempDir Path folder;

  @BeforeAll
  static void rememberThreads(@TempDir Path first) throws Exception {
    ServerRunner runner = new ServerRunner(first, USUAL);
    stop(runner.start(new Opened(_ -> {}))); // what a JVM keeps for ever is there now
    before = threads();
  }

  private static Set<Thread> threads() {
    return new HashSet<>(Thread.getAllStackTraces().keySet());
  }

  private static void stop(Server server) throws Exception {
    server.stop(() -> true);
  }

  @Test
  void eachStepThatFailsLeavesNothingOpen() throws Exception {
    List<String> steps = new ArrayList<>();
    ServerRunner whole = new ServerRunner(folder.resolve("whole"), USUAL);
    stop(whole.start(new Opened(steps::add)));
    assertThat(steps).contains("vertx", "store", "children", "supervisor", "listener", "watchdog");
    for (String step : steps) {
      ServerRunner runner = new ServerRunner(folder.resolve(step.replace(' ', '-')), USUAL);
      assertThatThrownBy(
              () ->
                  startLocked(
                      runner,
                      new Opened(
                          opened -> {
                            if (opened.equals(step)) {
                              throw new IOException("as the test wants it");
                            }
                          })))
          .as(step)
          .hasMessage("as the test wants it");
      assertNothingIsOpen(step);
      boolean hasStore = steps.indexOf(step) >= steps.indexOf("store");
      assertCleanAndServing(step, runner, hasStore);
    }
  }

  @Test
  void aBusyPortLeavesNothingOpen() throws Exception {
    try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      for (String listener : List.of("http", "metrics")) {
        String yaml =
            USUAL.replace(
                listener + ": {port: 0}", listener + ": {port: " + busy.getLocalPort() + "}");
        ServerRunner runner = new ServerRunner(folder.resolve(listener), yaml);
        assertThatThrownBy(() -> startLocked(runner, new Opened(_ -> {})))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("cannot listen on 127.0.0.1:" + busy.getLocalPort())
            .hasMessageContaining("stop what listens there, or change ");
        assertNothingIsOpen(listener);
        assertCleanAndServing(listener, new ServerRunner(folder.resolve(listener), USUAL), true);
      }
    }
  }

  @Test
  void aToolThatTheOperatorAskedForInVainLeavesNothingOpen() throws Exception {
    Path data = Files.createDirectories(folder.resolve("tools/data"));
    String yaml = "tools: {files: {enabled: true, roots: [" + data.toRealPath() + "]}}\n";
    ServerRunner runner = new ServerRunner(folder.resolve("tools"), yaml);
    assertThatThrownBy(() -> startLocked(runner, new Opened(_ -> {})))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("tools.files");
    assertNothingIsOpen("tools.files");
    assertCleanAndServing("tools.files", new ServerRunner(folder.resolve("tools"), USUAL), true);
  }

  /** As a process does: under the lock of its data folder. */
  private static Server startLocked(ServerRunner runner, Opened opened) throws Exception {
    try (InstanceLock _ = InstanceLock.take(runner.data(), ServerRunner.TIME)) {
      return runner.start(opened);
    }
  }

  private void assertNothingIsOpen(String step) throws InterruptedException {
    long end = ServerRunner.TIME.nanos() + Duration.ofSeconds(10).toNanos();
    Map<String, String> left = left();
    while (!left.isEmpty() && ServerRunner.TIME.nanos() < end) {
      ServerRunner.TIME.sleep(Duration.ofMillis(10));
      left = left();
    }
    // Not looked at once more: Vert.x makes a thread for a moment when its loops have ended.
    assertThat(left).as("threads after " + step).isEmpty();
  }

  /** And what they do, without those that the JVM and the test runner keep for a while. */
  private Map<String, String> left() {
    return threads().stream()
        .filter(thread -> !before.contains(thread) && thread.isAlive())
        .filter(thread -> KEPT.stream().noneMatch(kept -> thread.getName().startsWith(kept)))
        .collect(
            Collectors.toMap(
                Thread::getName,
                thread -> Arrays.toString(thread.getStackTrace()),
                String::concat));
  }

  private void assertCleanAndServing(String step, ServerRunner runner, boolean hasStore)
      throws Exception {
    assertThat(Files.exists(runner.data().resolve("clean_shutdown"))).as(step).isEqualTo(hasStore);
    try (InstanceLock _ = InstanceLock.take(runner.data(), ServerRunner.TIME)) {
      Server server = runner.start(new Opened(_ -> {}));
      assertThat(ServerRunner.get(server, "/live").statusCode()).as(step).isEqualTo(200);
      stop(server);
      assertNothingIsOpen("the second start after " + step);
    }
  }
}
