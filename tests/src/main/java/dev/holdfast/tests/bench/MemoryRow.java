package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.Locale;

/**
 * Memory idle, and what a chat thread costs that is only known, and one whose agent is in memory.
 */
final class MemoryRow implements Row {
  @Override
  public void run(Scale scale, Report report) throws Exception {
    int known = scale.count(100_000, 5_000);
    int active = scale.count(10_000, 1_000);
    try (BareProcess bare = new BareProcess();
        ServerRig rig = new ServerRig(false)) {
      rig.setup().set("threads.idle_secs", 2);
      rig.start();
      rig.converse("first", "first", "hello");
      long pid = rig.server().pid();
      awaitActive(rig, 0);
      Await.pause(scale.span(45)); // it gives back what the start took
      report.figure(
          "resident memory, idle after a first turn",
          Report.mebibytes(Probe.residentNow(pid)),
          Report.mebibytes(Probe.residentBytes(bare.pid())));
      // The class histogram sees each byte; resident memory moves by whole heap regions.
      converseWith(rig, 500);
      awaitActive(rig, 0);
      long idle = Probe.liveBytes(pid);
      converseWith(rig, known);
      awaitActive(rig, 0);
      perThread(report, "known, idle", known, Probe.liveBytes(pid) - idle);
      report.line("resident memory then: " + Report.mebibytes(Probe.residentNow(pid)));
      Await.pause(scale.span(60));
      report.figure(
          "resident memory a minute after a load",
          Report.mebibytes(Probe.residentNow(pid)),
          Report.mebibytes(Probe.residentBytes(bare.pid())));
    }
    try (ServerRig rig = new ServerRig(false)) {
      rig.setup().set("threads.idle_secs", 3600);
      rig.setup().set("threads.max_active", active + 1_000);
      rig.start();
      converseWith(rig, 500);
      long pid = rig.server().pid();
      long few = Probe.liveBytes(pid);
      converseWith(rig, active + 500);
      perThread(report, "active", active, Probe.liveBytes(pid) - few);
      report.line(
          "holdfast_threads_active: "
              + rig.metrics().sum("holdfast_threads_active")
              + ", resident memory: "
              + Report.mebibytes(Probe.residentBytes(pid)));
    }
  }

  private static void perThread(Report report, String kind, int count, long bytes) {
    report.figure(
        String.format(Locale.ROOT, "live heap per %s chat thread, of %,d", kind, count),
        String.format(Locale.ROOT, "%,d B", bytes / count),
        "1,170 B is an idle virtual-thread verticle (STACK)");
  }

  private static void converseWith(ServerRig rig, int chatThreads) {
    try (LoadClient client = new LoadClient(rig.setup().httpPort(), 64).overThreads(chatThreads)) {
      client.send(chatThreads);
    }
    rig.api().awaitQuiet(Duration.ofMinutes(10));
  }

  private static void awaitActive(ServerRig rig, int count) {
    Await.until(
        "only " + count + " agents are in memory",
        Duration.ofSeconds(90),
        () -> rig.metrics().sum("holdfast_threads_active") <= count);
  }
}
