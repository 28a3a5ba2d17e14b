package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.ToolResult;
import dev.holdfast.time.TimedWait;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that are reached by HTTP, the hostile among them. */
@Timeout(60)
class RemoteExtensionTest extends ExtensionCase {
  @ParameterizedTest
  @ValueSource(strings = {"first", "modern", "no-stream"})
  void whatARemoteServerListsIsOfferedAndCanBeCalled(String flag) throws Exception {
    try (RemoteServer far = new RemoteServer(flag)) {
      rig.serve(far.entry("demo", ""));
      assertThat(rig.offered()).contains("demo_echo", "demo_stream");
      assertThat(rig.call("demo_echo").text()).isEqualTo("far echo");
      assertThat(rig.call("demo_stream").text()).isEqualTo("far stream");
      assertThat(rig.labels).containsExactly("demo: half (1)");
      assertThat(rig.view("demo").lastError()).isEmpty();
      assertThat(rig.view("demo").restarts()).isZero();
    }
  }

  @Test
  void aServerOfTheFirstEraKeepsASessionThatIsEndedPolitely() throws Exception {
    try (RemoteServer far = new RemoteServer("no-stream")) {
      rig.serve(far.entry("demo", ""));
      assertThat(rig.call("demo_echo").isError()).isFalse();
      assertThat(far.lastHeaders)
          .containsEntry("mcp-session-id", "session-1")
          .containsEntry("mcp-protocol-version", "2025-06-18")
          .containsEntry("accept", "application/json, text/event-stream");
      rig.extensions().close();
      assertThat(far.seen).contains("DELETE");
      assertThat(far.hasSessions()).isFalse();
    }
  }

  @Test
  void aServerOfTheSecondEraIsToldOutsideWhatStandsInside() throws Exception {
    try (RemoteServer far = new RemoteServer("modern")) {
      rig.again(Pace.USUAL);
      rig.serve(far.entry("demo", ""));
      assertThat(rig.call("demo_echo").isError()).isFalse();
      assertThat(far.lastHeaders)
          .containsEntry("mcp-method", "tools/call")
          .containsEntry("mcp-name", "echo")
          .doesNotContainKey("mcp-session-id");
      rig.extensions().close();
      assertThat(far.seen).doesNotContain("DELETE", "GET");
    }
  }

  @ParameterizedTest
  @CsvSource({"eu-west, eu-west", "Köln, =?base64?S8O2bG4=?="})
  void anArgumentThatTheServerMarksIsToldOutsideToo(String region, String header) throws Exception {
    try (RemoteServer far = new RemoteServer("modern")) {
      rig.again(Pace.USUAL);
      rig.serve(far.entry("demo", ""));
      String arguments = new JsonObject().put("region", region).put("other", "x").encode();
      assertThat(rig.call("demo_mirrored", arguments).isError()).isFalse();
      assertThat(far.lastHeaders)
          .containsEntry("mcp-param-region", header)
          .doesNotContainKey("mcp-param-other");
    }
  }

  @Test
  void aToolWhoseMarksAreNotValidIsLeftOutWhereMarksMeanSomething() throws Exception {
    try (RemoteServer newer = new RemoteServer("modern");
        RemoteServer older = new RemoteServer()) {
      List<String> _ = rig.declare(newer.entry("newer", ""), older.entry("older", ""));
      rig.await("newer", ExtensionState.READY);
      rig.await("older", ExtensionState.READY);
      assertThat(rig.offered())
          .contains("newer_mirrored", "older_mismarked")
          .doesNotContain("newer_mismarked");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"first", "modern"})
  void aChangedListIsHeardOfAndReadSoon(String flag) throws Exception {
    try (RemoteServer far = new RemoteServer(flag)) {
      rig.serve(far.entry("demo", ""));
      assertThat(rig.call("demo_change").isError()).isFalse();
      TimedWait.until("read", () -> !rig.view("demo").held().isEmpty());
    }
  }

  @Test
  void aSessionThatTheServerHasForgottenIsMadeAnew() throws Exception {
    try (RemoteServer far = new RemoteServer()) {
      rig.serve(far.entry("demo", ""));
      far.forgetSessions();
      TimedWait.until("a new session", () -> far.sessionsMade() == 2);
      rig.await("demo", ExtensionState.READY);
      assertThat(rig.call("demo_echo").text()).isEqualTo("far echo");
      assertThat(rig.view("demo").restarts()).isOne();
    }
  }

  @Test
  void aRefusedTokenParksItAndNobodyReadsTheToken() throws Exception {
    try (RemoteServer far = new RemoteServer()) {
      List<String> _ = rig.declare(far.entry("demo", "/mcp", "another-t0ken", ""));
      rig.await("demo", ExtensionState.PARKED);
      assertThat(rig.view("demo").lastError()).contains("status 401").contains("headers");
      assertThat(rig.extensions().reports().getFirst().message()).contains("401");
      assertThat(rig.view("demo").toString() + rig.extensions().logs("demo"))
          .doesNotContain("another-t0ken");
      assertThat(ExtensionRig.parsed(far.entry("demo", "")).toString())
          .doesNotContain(RemoteServer.TOKEN);
    }
  }

  @Test
  void oneThatIsDownIsParkedAndServesWhenItIsUp() throws Exception {
    int port;
    try (RemoteServer far = new RemoteServer()) {
      port = far.port();
      rig.serve(far.entry("demo", ""));
    }
    assertThat(rig.call("demo_echo").isError()).isTrue();
    rig.await("demo", ExtensionState.PARKED);
    try (RemoteServer _ = new RemoteServer(port)) {
      rig.await("demo", ExtensionState.READY);
      assertThat(rig.call("demo_echo").text()).isEqualTo("far echo");
    }
  }

  @Test
  void oneThatAnswersNoPingIsConnectedAnew() throws Exception {
    try (RemoteServer far = new RemoteServer("no-ping")) {
      List<String> _ = rig.declare(far.entry("demo", ""));
      TimedWait.until("again", () -> far.sessionsMade() > 1);
      assertThat(rig.view("demo").restarts()).isPositive();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "broken, BACKEND_FAILURE, TRANSIENT, status 500",
    "limited, RATE_LIMITED, TRANSIENT, status 429",
    "denied, AUTH, PERMANENT, status 403",
    "moved, INVALID_REQUEST, PERMANENT, redirects to another host",
    "unreadable, BACKEND_FAILURE, INVALID, its answer is not readable: it has a number",
    "empty, BACKEND_FAILURE, TRANSIENT, did not answer",
    "lost, BACKEND_FAILURE, TRANSIENT, ended the stream",
    "aborted, BACKEND_FAILURE, TRANSIENT, ended the stream",
    "long, BACKEND_FAILURE, INVALID, more than 10000000 bytes",
    "huge, BACKEND_FAILURE, INVALID, more than 10000000 bytes"
  })
  void aBadAnswerFailsItsCallAlone(String tool, FailureCode code, FailureKind kind, String words)
      throws Exception {
    try (RemoteServer far = new RemoteServer()) {
      rig.serve(far.entry("demo", "  limits: {output_bytes: 10000000}\n"));
      ToolResult bad = rig.call("demo_" + tool);
      assertThat(failure(bad).code()).isEqualTo(code);
      assertThat(failure(bad).kind()).isEqualTo(kind);
      assertThat(bad.text()).contains(words);
      if (code != FailureCode.RATE_LIMITED) {
        assertThat(rig.call("demo_echo").text()).isEqualTo("far echo");
      } else {
        assertThat(failure(bad).retryAfter()).isGreaterThan(Duration.ofMinutes(9));
      }
      assertThat(far.sessionsMade()).isOne();
    }
  }

  @Test
  void untilAPauseThatTheServerAskedForIsOverCallsFailAtOnce() throws Exception {
    try (RemoteServer far = new RemoteServer()) {
      rig.serve(far.entry("demo", ""));
      assertThat(failure(rig.call("demo_paused")).code()).isEqualTo(FailureCode.RATE_LIMITED);
      Failure next = failure(rig.call("demo_echo"));
      assertThat(next.code()).isEqualTo(FailureCode.RATE_LIMITED);
      assertThat(next.retryAfter()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(20));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"endless", "garbage", "wrong"})
  void theAnswerIsFoundAmongWhateverElseComes(String tool) throws Exception {
    try (RemoteServer far = new RemoteServer()) {
      rig.serve(far.entry("demo", ""));
      assertThat(rig.call("demo_" + tool).text()).isEqualTo("far " + tool);
      assertThat(rig.call("demo_echo").text()).isEqualTo("far echo");
      assertThat(far.sessionsMade()).isOne();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"streamed\":true}"})
  void largeAnswersComeOneAfterTheOtherAndAllOfThem(String arguments) throws Exception {
    try (RemoteServer far = new RemoteServer()) {
      rig.serve(far.entry("demo", ""));
      List<Future<ToolResult>> calls = new ArrayList<>();
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < 5; i++) {
          calls.add(threads.submit(() -> rig.call("demo_big", arguments)));
        }
      }
      for (Future<ToolResult> call : calls) {
        assertThat(call.get().text()).contains("[cut: 80000");
      }
    }
  }

  @Test
  void aFloodOfWhatIsNoMessageEndsTheConnection() throws Exception {
    try (RemoteServer far = new RemoteServer()) {
      rig.serve(far.entry("demo", ""));
      assertThat(rig.call("demo_flood").text()).contains("no messages");
      TimedWait.until("again", () -> far.sessionsMade() == 2);
      assertThat(rig.call("demo_echo").text()).isEqualTo("far echo");
    }
  }

  @Test
  void aStreamThatBreaksOffIsTakenUpAgainWhereItEnded() throws Exception {
    try (RemoteServer far = new RemoteServer()) {
      rig.serve(far.entry("demo", ""));
      assertThat(rig.call("demo_cut").text()).isEqualTo("far cut");
      assertThat(far.seen).contains("GET from point-1");
    }
  }

  @Test
  void aCallWithoutAnAnswerIsCancelledAndItsStreamClosed() throws Exception {
    try (RemoteServer far = new RemoteServer()) {
      rig.serve(far.entry("demo", "  timeouts: {call_secs: 1}\n"));
      assertThat(failure(rig.call("demo_silent")).code()).isEqualTo(FailureCode.TIMEOUT);
      assertThat(far.silentCallGone.await(10, TimeUnit.SECONDS)).isTrue();
      TimedWait.until("told", () -> far.seen.contains("notifications/cancelled"));
      assertThat(rig.call("demo_echo").text()).isEqualTo("far echo");
    }
  }

  @Test
  void inTheSecondEraClosingTheStreamIsTheCancellation() throws Exception {
    try (RemoteServer far = new RemoteServer("modern")) {
      rig.serve(far.entry("demo", "  timeouts: {call_secs: 1}\n"));
      assertThat(failure(rig.call("demo_silent")).code()).isEqualTo(FailureCode.TIMEOUT);
      assertThat(far.silentCallGone.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(far.seen).doesNotContain("notifications/cancelled");
    }
  }

  @Test
  void aRequestOfTheServerIsRefused() throws Exception {
    try (RemoteServer far = new RemoteServer()) {
      rig.serve(far.entry("demo", ""));
      assertThat(rig.call("demo_ask").isError()).isFalse();
      TimedWait.until("answered", () -> !far.answersFromClient.isEmpty());
      assertThat(far.answersFromClient.peek().getString("id")).isEqualTo("mine");
      assertThat(far.answersFromClient.peek().getJsonObject("error").getInteger("code"))
          .isEqualTo(-32601);
    }
  }

  @Test
  void aRedirectIsFollowedOnTheSameHostOnly() throws Exception {
    try (RemoteServer far = new RemoteServer()) {
      rig.serve(far.entry("demo", "/moved", RemoteServer.TOKEN, ""));
      assertThat(rig.call("demo_echo").text()).isEqualTo("far echo");
      List<String> _ = rig.declare(far.entry("other", "/elsewhere", RemoteServer.TOKEN, ""));
      rig.await("other", ExtensionState.PARKED);
      assertThat(rig.view("other").lastError()).contains("redirects to another host");
    }
  }

  @Test
  void whatWasListedBeforeIsOfferedWithoutAConnectionAndTheFirstCallMakesIt() throws Exception {
    try (RemoteServer far = new RemoteServer()) {
      rig.serve(far.entry("demo", ""));
      rig.again(Pace.USUAL);
      List<String> _ = rig.declare(far.entry("demo", ""));
      TimedWait.until("offered", () -> rig.offered().contains("demo_echo"));
      assertThat(far.sessionsMade()).isOne();
      assertThat(rig.call("demo_echo").text()).isEqualTo("far echo");
      assertThat(far.sessionsMade()).isEqualTo(2);
    }
  }
}
