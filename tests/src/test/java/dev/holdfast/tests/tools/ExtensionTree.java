package dev.holdfast.tests.tools;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The processes of one extension: its server, a child beside it, and one that left its session. */
public final class ExtensionTree {
  private static final String WRAPPER =
      "python3 -c 'import time; time.sleep(900)' $1 & "
          + "setsid python3 -c 'import time; time.sleep(900)' $1 & "
          + "exec python3 -c \"$0\" \"$@\"";

  /**
   * A second on a quiet machine, and until the next start for what was only being made; how long it
   * was stands in the ledger of a campaign.
   */
  private static final Duration GONE_WITHIN =
      Duration.ofSeconds(Integer.getInteger("holdfast.gone_secs", 15));

  private final String mark = "tree-" + System.nanoTime() + "-end";

  /** Starts all of them. */
  public List<String> command() throws IOException {
    String script = Files.readString(ExtensionTest.SERVER).replace("${", "$${");
    return new ArrayList<>(List.of("bash", "-c", WRAPPER, script, mark));
  }

  public boolean isWhole() {
    return pythons(mark).size() >= 3;
  }

  /** Those of them that run. */
  public List<Long> processes() {
    return ShellRig.processes(mark);
  }

  /** Of those whose command lines hold a mark. */
  static List<Long> pythons(String mark) {
    return ShellRig.processes(mark).stream()
        .filter(pid -> commandLine(pid).split("\0", 2)[0].endsWith("python3"))
        .toList();
  }

  /** Returns how long it took, in milliseconds. */
  public static long awaitGone(String ending, List<Long> processes) {
    long from = System.nanoTime();
    Await.until(
        "nothing of " + processes + " is left after " + ending,
        GONE_WITHIN,
        () -> processes.stream().allMatch(pid -> commandLine(pid).isEmpty()));
    return (System.nanoTime() - from) / 1_000_000;
  }

  private static String commandLine(long pid) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
    } catch (IOException e) {
      return ""; // it is gone
    }
  }
}
