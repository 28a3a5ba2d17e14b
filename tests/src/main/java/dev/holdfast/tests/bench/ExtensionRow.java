package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CallScript;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.Metrics;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;

/**
 * What a call of an extension costs beside the same bytes through a bare pipe, and an action beside
 * a bare process; what an extension costs that does nothing.
 */
final class ExtensionRow implements Row {
  private static final int IDLE = 20;
  private static final int CALLS_AT_ONCE = 100;
  private int messages;

  @Override
  public void run(Scale scale, Report report) throws Exception {
    int calls = scale.count(2_000, 200);
    Histogram bare = barePipe(calls);
    try (ShellRig shell = new ShellRig()) {
      ServerRig rig = shell.rig();
      rig.setup()
          .set(
              "extensions",
              List.of(
                  BenchExtensions.mcp("echo"),
                  BenchExtensions.action("act", BenchExtensions.ACTION)));
      shell.start();
      BenchExtensions.awaitReady(rig, 1);
      call(shell, "echo_echo", calls / 2); // warms the JIT
      ServerTimer timer = call(shell, "echo_echo", calls);
      report.figure("call of an MCP tool, one after the other", timer.figures(), figures(bare));
      int processes = scale.count(200, 40);
      call(shell, "act_run", 20);
      report.figure(
          "call of an action: a process each",
          call(shell, "act_run", processes).figures(),
          "ProcessBuilder bash " + Report.millis(bareProcess(processes)));
    }
    atOnce(scale, report, bare);
    idle(scale, report);
  }

  /** Turns of 100 calls each: the model's two answers and the disk are part of it. */
  private static void atOnce(Scale scale, Report report, Histogram bare) throws Exception {
    int turns = scale.count(30, 4);
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().unrecorded().asOpenAi(rig.setup())) {
      rig.setup().set("extensions", List.of(BenchExtensions.mcp("echo")));
      rig.start();
      BenchExtensions.awaitReady(rig, 1);
      long begun = 0;
      for (int turn = -turns / 2; turn < turns; turn++) {
        if (turn == 0) {
          begun = System.nanoTime();
        }
        model.next(
            CallScript.calls(CALLS_AT_ONCE, "turn" + turn, "echo_echo"),
            ModelScript.answer(_ -> "done"));
        rig.converse("turn" + turn, "t" + turn, "hello");
      }
      double secs = (System.nanoTime() - begun) / 1e9;
      report.figure(
          "calls of an MCP tool in turns of " + CALLS_AT_ONCE + ", a second",
          String.format(Locale.ROOT, "%,.0f", turns * CALLS_AT_ONCE / secs),
          String.format(Locale.ROOT, "bare pipe, one after the other %,.0f", 1e9 / bare.getMean()));
    }
  }

  private static void idle(Scale scale, Report report) throws Exception {
    long[] live = new long[2];
    long[] resident = new long[2];
    for (int i = 0; i < 2; i++) {
      List<Map<String, Object>> servers = new ArrayList<>();
      for (int number = 0; number < i * IDLE; number++) {
        servers.add(BenchExtensions.mcp("idle" + number));
      }
      try (ServerRig rig = new ServerRig(false)) {
        rig.setup().set("extensions", servers);
        rig.start();
        BenchExtensions.awaitReady(rig, servers.size());
        rig.converse("first", "first", "hello");
        Await.pause(scale.span(20));
        long pid = rig.server().pid();
        live[i] = Probe.liveBytes(pid);
        resident[i] = Probe.residentNow(pid);
      }
    }
    report.figure(
        "per idle extension, of " + IDLE + ": live heap, resident",
        String.format(
            Locale.ROOT,
            "%,d kB, %,d kB",
            (live[1] - live[0]) / IDLE / 1000,
            (resident[1] - resident[0]) / IDLE / 1000),
        "its own process not counted");
  }

  /** The server's own times of so many calls. */
  private ServerTimer call(ShellRig shell, String tool, int count) throws IOException {
    Metrics metrics = shell.rig().metrics();
    ServerTimer before = ServerTimer.read(metrics, "holdfast_extension_seconds");
    for (int i = 0; i < count; i++) {
      shell.say("call-" + messages++, "t" + messages / 50, ShellRig.call(tool, Map.of()));
    }
    return ServerTimer.read(metrics, "holdfast_extension_seconds").since(before);
  }

  private static Histogram barePipe(int calls) throws IOException {
    Process process = new ProcessBuilder("python3", "-c", BenchExtensions.script()).start();
    try (OutputStream in = process.getOutputStream();
        BufferedReader out = process.inputReader()) {
      ask(in, out, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}");
      Histogram nanos = new Histogram(3);
      for (int i = 1; i <= calls; i++) {
        long start = System.nanoTime();
        ask(
            in,
            out,
            "{\"jsonrpc\":\"2.0\",\"id\":"
                + i
                + ",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{}}}");
        nanos.recordValue(System.nanoTime() - start);
      }
      return nanos;
    } finally {
      process.destroyForcibly();
    }
  }

  private static void ask(OutputStream in, BufferedReader out, String message) throws IOException {
    in.write((message + "\n").getBytes(StandardCharsets.UTF_8));
    in.flush();
    Objects.requireNonNull(out.readLine());
  }

  private static String figures(Histogram nanos) {
    return String.format(
        Locale.ROOT,
        "mean %.2f p50 %.2f p99 %.2f ms",
        nanos.getMean() / 1e6,
        nanos.getValueAtPercentile(50) / 1e6,
        nanos.getValueAtPercentile(99) / 1e6);
  }

  private static double bareProcess(int count) throws IOException, InterruptedException {
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      Process process = new ProcessBuilder("bash", "-c", BenchExtensions.ACTION).start();
      process.getOutputStream().write("{\"request_id\":\"1\"}\n".getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().close();
      process.getInputStream().readAllBytes();
      process.waitFor();
    }
    return (System.nanoTime() - start) / 1e6 / count;
  }
}
