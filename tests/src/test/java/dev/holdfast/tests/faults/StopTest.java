package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.LoadDriver;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.PlatformMode;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.WireExchange;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows F5 (SIGTERM) and F6 (SIGSTOP). */
@Timeout(120)
class StopTest {
  /** Row F5, idle. */
  @Test
  void anIdleServerStopsWithinFiveSeconds() {
    try (ServerRig rig = new ServerRig().start()) {
      rig.converse("e1", "t", "hello");
      rig.server().terminate();
      assertThat(rig.server().exitCode(Duration.ofSeconds(5))).isZero();
      assertThat(rig.setup().dataDir().resolve("clean_shutdown")).exists();
    }
  }

  /** Row F5, under load: nothing that was accepted is lost over the stop. */
  @Test
  void aStopUnderLoadLosesNothing() throws Exception {
    try (ServerRig rig = new ServerRig().start();
        LoadDriver load = new LoadDriver(rig, "load").start(100, 20)) {
      Await.until("some events", Duration.ofSeconds(10), () -> load.acked() > 100);
      assertThat(rig.server().stop()).isZero();
      rig.start();
      load.stop(Duration.ofSeconds(20));
      Oracle oracle = new Oracle(rig, load.events(), List.of());
      assertThat(oracle.judge(Duration.ofSeconds(30))).isEmpty();
    }
  }

  /**
   * Row F5: while a turn keeps it from stopping, the server refuses new work and says that it is
   * not ready.
   */
  @Test
  void aStoppingServerIsNotReady() {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      model.always(ModelScript.after(Duration.ofSeconds(3), ModelScript.echo()));
      rig.start();
      rig.accept("slow", "t", "take your time");
      Await.until("the model is asked", Duration.ofSeconds(5), () -> !model.requests().isEmpty());
      rig.server().terminate();
      Await.until(
          "not ready, or gone", Duration.ofSeconds(2), () -> rig.server().probe("/ready") != 200);
      assertThat(rig.server().exitCode(Duration.ofSeconds(30))).isZero();
      rig.start();
      rig.platform().awaitPost("slow", Duration.ofSeconds(15));
    }
  }

  /** Row F5, twice: the second SIGTERM does not wait for the turn that hangs. */
  @Test
  void aSecondTermHurries() {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      model.always(ModelScript.hang());
      rig.start();
      rig.accept("stuck", "t", "this will hang");
      Await.until("the model is asked", Duration.ofSeconds(5), () -> !model.requests().isEmpty());
      rig.server().terminate();
      Await.until(
          "it has heard the first",
          Duration.ofSeconds(5),
          () -> rig.server().probe("/ready") != 200);
      rig.server().terminate();
      assertThat(rig.server().exitCode(Duration.ofSeconds(7))).isZero();
      model.always(ModelScript.echo());
      rig.start();
      rig.platform().awaitText("stuck", "this will hang", Duration.ofSeconds(15));
    }
  }

  /** Row F5, with a tool, a post and a model call that all hang: one budget holds for all of it. */
  @Test
  void aStopWithEverythingStuckKeepsItsBudget() {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      rig.setup().set("server.shutdown_secs", 4);
      rig.setup().set("tools.shell.enabled", true);
      rig.platform().plan(_ -> PlatformMode.HANG);
      model.always(
          (request, exchange) -> {
            switch (request.lastText()) {
              case "use a tool" -> shellCall(exchange, "trap '' TERM; echo; sleep 600");
              case "hang" -> ModelScript.hang().run(request, exchange);
              default -> ModelScript.echo().run(request, exchange);
            }
          });
      rig.start();
      rig.accept("posted", "t1", "hello");
      rig.accept("tooled", "t2", "use a tool");
      rig.accept("asked", "t3", "hang");
      Await.until("a post hangs", Duration.ofSeconds(10), () -> !rig.platform().posts().isEmpty());
      Await.until(
          "a tool runs",
          Duration.ofSeconds(10),
          () -> rig.api().event("tooled").toString().contains("tool.started"));
      Await.until("asked all", Duration.ofSeconds(10), () -> model.requests().size() >= 3);
      rig.server().terminate();
      assertThat(rig.server().exitCode(Duration.ofSeconds(9))).isZero();
      assertThat(rig.setup().dataDir().resolve("clean_shutdown")).exists();
    }
  }

  private static void shellCall(WireExchange exchange, String command) throws IOException {
    String arguments = Json.write(Map.of("command", command));
    String call =
        Json.write(
            Map.of(
                "choices",
                List.of(
                    Map.of(
                        "index",
                        0,
                        "delta",
                        Map.of(
                            "tool_calls",
                            List.of(
                                Map.of(
                                    "index",
                                    0,
                                    "id",
                                    "call-1",
                                    "type",
                                    "function",
                                    "function",
                                    Map.of("name", "shell", "arguments", arguments))))))));
    exchange.startStream("text/event-stream");
    exchange.chunk("data: " + call + "\n\n");
    exchange.chunk(
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n");
    exchange.chunk("data: [DONE]\n\n");
    exchange.endStream();
  }

  /** Row F5, during boot: whatever moment it hits, the process ends and the next start serves. */
  @Test
  void aTermDuringBootEndsTheProcess() {
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
    }
  }

  /** Row F6: seconds without a breath, under load, with posts on their way. */
  @Test
  void aStoppedProcessGoesOnWhereItWas() throws Exception {
    try (ServerRig rig = new ServerRig().start();
        LoadDriver load = new LoadDriver(rig, "load").start(100, 20)) {
      Await.until("some events", Duration.ofSeconds(10), () -> load.acked() > 50);
      for (int millis : List.of(5000, 1500, 5500)) {
        rig.server().suspend();
        Await.pause(Duration.ofMillis(millis));
        rig.server().resume();
        int before = load.acked();
        Await.until("more events", Duration.ofSeconds(10), () -> load.acked() > before + 50);
      }
      load.stop(Duration.ofSeconds(20));
      Oracle oracle = new Oracle(rig, load.events(), List.of());
      assertThat(oracle.judge(Duration.ofSeconds(30))).isEmpty();
    }
  }
}
