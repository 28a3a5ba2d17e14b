package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * What tasks cost: how many a second, each of their stored transitions, turns of chat threads
 * beside 1,000 plans, and a start with 100,000 tasks that are open.
 */
final class PlanRow implements Row {
  private static final String PLANS = "/api/v1/plans";
  private static final int CLIENTS = 8;
  private static final int STEPS = 10;
  private static final int TURNS_PER_SECOND = 50;
  private static final String SLOW = "sleep 1\n" + BenchExtensions.ACTION;

  @Override
  public void run(Scale scale, Report report) throws Exception {
    String fsync = "fsync " + Report.percentiles(FsyncRow.measure(Duration.ofSeconds(2)));
    Histogram _ = TransitionCost.measure(Duration.ofSeconds(2)); // warms the JIT
    report.figure(
        "a stored transition of a task",
        Report.percentiles(TransitionCost.measure(scale.span(8))),
        fsync);
    rates(scale, report, fsync);
    turns(scale, report);
    start(scale, report);
  }

  private static ServerRig rig(int running) throws IOException {
    ServerRig rig = new ServerRig(false);
    rig.setup()
        .set(
            "extensions",
            List.of(
                BenchExtensions.mcp("echo"),
                BenchExtensions.action("act", BenchExtensions.ACTION),
                BenchExtensions.action("slow", SLOW)))
        .set("tasks", Map.of("max_running", running, "max_open", 200_000))
        .set("agents", Map.of("default", Map.of("max_concurrent", 16)));
    return rig;
  }

  private static void rates(Scale scale, Report report, String fsync) throws Exception {
    try (ServerRig rig = rig(16)) {
      rig.start();
      BenchExtensions.awaitReady(rig, 1);
      Map<String, Integer> counts =
          Map.of("echo", scale.count(5_000, 500), "act", scale.count(1_000, 100));
      for (Map.Entry<String, Integer> kind : counts.entrySet()) {
        String agent = kind.getKey();
        make(rig, agent, kind.getValue() / 10, 1); // warms the JIT
        awaitNone(rig);
        long begun = System.nanoTime();
        make(rig, agent, kind.getValue() / STEPS, STEPS);
        awaitNone(rig);
        double secs = (System.nanoTime() - begun) / 1e9;
        report.figure(
            agent.equals("echo") ? "tasks of an MCP server" : "tasks of an action: a process each",
            Report.perSecond(kind.getValue() / secs),
            fsync);
      }
    }
  }

  private static void turns(Scale scale, Report report) throws Exception {
    int plans = scale.count(1_000, 200);
    try (ServerRig rig = rig(16)) {
      rig.start();
      BenchExtensions.awaitReady(rig, 1);
      Histogram _ = TurnRow.atRate(rig, TURNS_PER_SECOND, List.of(scale.span(20))).getFirst();
      String alone =
          Report.percentiles(
              TurnRow.atRate(rig, TURNS_PER_SECOND, List.of(scale.span(20))).getFirst());
      make(rig, "slow", plans, 2);
      String beside =
          Report.percentiles(
              TurnRow.atRate(rig, TURNS_PER_SECOND, List.of(scale.span(20))).getFirst());
      long open = (long) rig.metrics().sum("holdfast_tasks_open");
      report.figure(
          String.format(
              Locale.ROOT,
              "turns at %d/s beside %,d plans (%,d tasks open at the end)",
              TURNS_PER_SECOND,
              plans,
              open),
          beside,
          "no plans: " + alone);
      report.line(
          "resident memory then: " + Report.mebibytes(Probe.residentBytes(rig.server().pid())));
    }
  }

  private static void start(Scale scale, Report report) throws Exception {
    int tasks = scale.count(100_000, 10_000);
    try (ServerRig rig = rig(1)) {
      rig.start();
      rig.converse("warm", "warm", "hello");
      long killed = System.nanoTime();
      rig.server().kill9();
      rig.launch().awaitReady(Duration.ofMinutes(2));
      double none = (System.nanoTime() - killed) / 1e6;
      make(rig, "slow", tasks / STEPS, STEPS);
      killed = System.nanoTime();
      rig.server().kill9();
      rig.launch().awaitReady(Duration.ofMinutes(2));
      double full = (System.nanoTime() - killed) / 1e6;
      Await.until(
          "a task is given out",
          Duration.ofMinutes(2),
          () -> rig.metrics().sum("holdfast_tasks_running") > 0);
      double given = (System.nanoTime() - killed) / 1e6;
      report.figure(
          String.format(Locale.ROOT, "kill -9 to ready with %,d open tasks", tasks),
          Report.millis(full),
          "none open: " + Report.millis(none));
      report.figure("kill -9 to the first task given out", Report.millis(given), "");
    }
  }

  /** So many plans of so many steps that do not need each other, from several clients. */
  private static void make(ServerRig rig, String agent, int plans, int steps) throws Exception {
    List<Map<String, Object>> all = new ArrayList<>();
    for (int i = 0; i < steps; i++) {
      Map<String, Object> step = new HashMap<>();
      step.put("name", "s" + i);
      step.put("agent", agent);
      step.put("action", agent.equals("echo") ? "echo" : "run");
      all.add(step);
    }
    try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      List<Future<Answer>> made = new ArrayList<>();
      for (int i = 0; i < plans; i++) {
        made.add(clients.submit(() -> rig.api().post(PLANS, Map.of("steps", all))));
      }
      for (Future<Answer> one : made) {
        if (one.get().status() != 202) {
          throw new IllegalStateException("no plan: " + one.get().body());
        }
      }
    }
  }

  private static void awaitNone(ServerRig rig) {
    Await.until(
        "all tasks have ended",
        Duration.ofMinutes(10),
        () -> rig.metrics().sum("holdfast_tasks_open") == 0);
  }
}
