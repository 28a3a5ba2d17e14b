package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.testing.WireServer;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CallScript;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.LoadDriver;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.PlatformMode;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.RawClient;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows F5 (SIGTERM) and F6 (SIGSTOP). */
@Timeout(120)
class StopTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Milliseconds each; the last one is longer than what ends by itself after five seconds. */
  private static final List<Integer> SUSPENSIONS =
      RunLength.isFull() ? List.of(5000, 1500, 5500) : List.of(1500, 5500);

  /**
   * Rows F5 and F6 under load: seconds without a breath, with posts on their way, and then a stop;
   * nothing that was accepted is lost.
   */
  @Test
  void neitherASuspensionNorAStopUnderLoadLosesAnything() throws Exception {
    try (ServerRig rig = new ServerRig().start();
        LoadDriver load = new LoadDriver(rig, "load").start(100, 20)) {
      for (int millis : SUSPENSIONS) {
        awaitMore(load, 50);
        rig.server().suspend();
        Await.pause(Duration.ofMillis(millis));
        rig.server().resume();
      }
      awaitMore(load, 100);
      assertThat(rig.server().stop()).isZero();
      rig.start();
      load.stop(Duration.ofSeconds(20));
      Oracle oracle = new Oracle(rig, load.events(), List.of());
      assertThat(oracle.judge(LIMIT)).isEmpty();
    }
  }

  private static void awaitMore(LoadDriver load, int events) {
    int before = load.acked();
    Await.until("more events", Duration.ofSeconds(10), () -> load.acked() > before + events);
  }

  /**
   * Row F5, twice: the second SIGTERM does not wait for the turn that hangs. A closing terminal
   * sends SIGHUP, sometimes twice: the turn still has its time, while new work is refused.
   */
  @Test
  void aSecondTermHurriesAndASecondHangUpDoesNot() {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      model.always(ModelScript.hang());
      rig.start();
      rig.accept("stuck", "t", "this will hang");
      Await.until("the model is asked", LIMIT, () -> !model.requests().isEmpty());
      rig.server().terminate();
      awaitNotReady(rig);
      rig.server().terminate();
      assertThat(rig.server().exitCode(Duration.ofSeconds(7))).isZero();

      model.always(ModelScript.after(Duration.ofSeconds(3), ModelScript.echo()));
      rig.start();
      Await.until("the model is asked", LIMIT, () -> model.requests().size() > 1);
      rig.server().hangUp();
      awaitNotReady(rig);
      Await.until(
          "new plans are refused",
          LIMIT,
          () -> {
            Answer refused =
                rig.api().post("/api/v1/plans", Map.of("agent", "nobody", "action", "none"));
            return refused.status() == 503 && refused.body().contains("the server is stopping");
          });
      rig.server().hangUp();
      Post _ = rig.platform().awaitText("stuck", "this will hang", LIMIT);
      assertThat(rig.server().exitCode(LIMIT)).isZero();
      assertThat(rig.setup().dataDir().resolve("clean_shutdown")).exists();
    }
  }

  private static void awaitNotReady(ServerRig rig) {
    Await.until("not ready, or gone", LIMIT, () -> rig.server().probe("/ready") != 200);
  }

  /**
   * Row F5, with a tool, a model call, a post, two extensions and a reader that all hang: one
   * budget holds for all of it, nothing is left running, and nothing that was accepted is lost.
   */
  @Test
  void aStopWithEverythingStuckKeepsItsBudget() throws Exception {
    String mark = "stuck-" + System.nanoTime() + "-end";
    try (WireServer mute = new WireServer((_, exchange) -> exchange.hang(Duration.ofMinutes(10)));
        ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      rig.setup().set("server.shutdown_secs", 6);
      rig.setup().set("tools.shell.enabled", true);
      rig.setup().set("extensions", List.of(stubborn(mark), remote(mute)));
      rig.platform().plan(_ -> PlatformMode.HANG);
      model.always(
          (request, exchange) -> {
            switch (request.lastText()) {
              case "use a tool" ->
                  CallScript.call("call-1", "shell", Map.of("command", ignoresTerm(mark)))
                      .run(request, exchange);
              case "hang" -> ModelScript.hang().run(request, exchange);
              default -> ModelScript.echo().run(request, exchange);
            }
          });
      rig.start();
      Await.until(
          "the extension has begun", LIMIT, () -> !ShellRig.processes(mark + "-mcp").isEmpty());
      rig.accept("posted", "t1", "hello");
      rig.accept("tooled", "t2", "use a tool");
      rig.accept("asked", "t3", "hang");
      Await.until("a post hangs", LIMIT, () -> !rig.platform().posts().isEmpty());
      Await.until("a tool runs", LIMIT, () -> !ShellRig.processes(mark + "-tool").isEmpty());
      Await.until("asked all", LIMIT, () -> model.requests().size() >= 3);
      try (RawClient reader = new RawClient(rig.setup().httpPort())) {
        reader.say(
            "GET /api/v1/stream HTTP/1.1\r\nhost: 127.0.0.1\r\n"
                + "authorization: Bearer %s\r\n\r\n".formatted(rig.api().token()));
        rig.server().terminate();
        assertThat(rig.server().exitCode(Duration.ofSeconds(18))).isZero();
      }
      assertThat(rig.setup().dataDir().resolve("clean_shutdown")).exists();
      assertThat(ShellRig.processes(mark)).as("children").isEmpty();
      assertThat(rig.server().output())
          .contains("stop: running turns: cut off", "stop: clean marker: done");

      rig.setup().set("extensions", List.of()).write();
      rig.platform().plan(_ -> PlatformMode.ACCEPT);
      model.always(ModelScript.echo());
      rig.start();
      Await.until(
          "the post is sent again", LIMIT, () -> rig.platform().shownFor("posted").size() == 2);
      Post _ = rig.platform().awaitPost("tooled", LIMIT);
      Post _ = rig.platform().awaitText("asked", "hang", LIMIT);
    }
  }

  private static String ignoresTerm(String mark) {
    return "trap '' TERM; : %s-tool; while :; do sleep 1; done".formatted(mark);
  }

  /** An MCP server that begins, and then hears nothing: not its calls, its end of input, TERM. */
  private static Map<String, Object> stubborn(String mark) {
    String script = "trap '' TERM; read -r _; : %s-mcp; while :; do sleep 1; done".formatted(mark);
    return Map.of("id", "stubborn", "command", List.of("bash", "-c", script));
  }

  private static Map<String, Object> remote(WireServer mute) {
    return Map.of("id", "mute", "url", mute.url("/mcp"));
  }

  /**
   * Row F5, during boot: whatever moment it hits, the process ends and the next start serves. And
   * idle: it ends within five seconds.
   */
  @Test
  void aTermDuringBootAndOneWhenIdleEndTheProcess() {
    try (ServerRig rig = new ServerRig()) {
      for (int millis : List.of(50, 250, 500, 900)) {
        rig.launch();
        Await.pause(Duration.ofMillis(millis));
        rig.server().terminate();
        int code = rig.server().exitCode(Duration.ofSeconds(10));
        boolean isOfJava = rig.server().output().contains("during initialization of VM");
        // Before the server has its hook, the JVM itself ends with 128 + 15, and in its first
        // milliseconds, when it cannot even do that, with 1.
        assertThat(code == 1 && isOfJava ? 143 : code).isIn(0, 143);
      }
      rig.start();
      rig.converse("e1", "t", "hello");
      rig.server().terminate();
      assertThat(rig.server().exitCode(Duration.ofSeconds(5))).isZero();
      assertThat(rig.setup().dataDir().resolve("clean_shutdown")).exists();
    }
  }
}
