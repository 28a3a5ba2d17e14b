package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.ToolResult;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.time.SystemTime;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ExtensionCallsTest extends ExtensionCase {
  private ToolResult failsWith(Failure failure) throws Exception {
    ExtensionConfig config = ExtensionRig.parsed(ExtensionRig.server("demo")).getFirst();
    ExtensionServices services = rig.services();
    ExtensionMetrics metrics = new ExtensionMetrics("demo", services.meters(), () -> true);
    return new ExtensionCalls(config, metrics, services)
        .run(
            ReplayClass.UNSAFE,
            () -> {
              throw new CallFailedException(failure);
            });
  }

  @Test
  void onlyOfWhatMayHaveBeenSentIsTheOutcomeUnknown() throws Exception {
    Failure broken = Failure.of(FailureCode.BACKEND_FAILURE, "it broke");
    assertThat(failsWith(broken).text()).contains("The outcome is unknown");
    assertThat(failsWith(broken.unsent()).text()).isEqualTo("it broke");
  }

  @Test
  void aRequestInASessionThatHasEndedIsNotSent() throws Exception {
    Vertx vertx = Vertx.vertx();
    SystemTime time = new SystemTime(); // connections are real
    try (HttpCaller http = HttpCaller.create(vertx, time)) {
      RemoteConfig remote =
          ExtensionRig.parsed("- {id: demo, url: http://127.0.0.1:9/mcp}\n")
              .getFirst()
              .remote()
              .orElseThrow();
      McpSession session =
          new McpSession(
              "demo",
              new HttpTransport(new McpEndpoint(http, remote), 1000, time),
              text -> text,
              () -> {});
      session.close();
      assertThatExceptionOfType(CallFailedException.class)
          .isThrownBy(
              () -> session.request("ping", new JsonObject(), Duration.ofSeconds(1), _ -> {}))
          .matches(failed -> failed.failure().isUnsent());
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get();
    }
  }
}
