package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ServerApi;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A request that is repeated under its key does nothing a second time, whatever lies between. */
class IdempotencyKeyTest extends SharedServer {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private Answer post(String route, String key, String type, String body) throws IOException {
    Map<String, String> headers =
        new HashMap<>(Map.of("authorization", "Bearer " + ANN, "content-type", type));
    if (!key.isEmpty()) {
      headers.put("idempotency-key", key);
    }
    return http.post(rig.setup().url("/api/v1/threads/" + route), headers, body);
  }

  private Answer stop(String key) throws IOException {
    return post("stopped/stop", key, "application/json", "{}");
  }

  /** A turn that goes on until it is stopped: nobody approves its command. */
  private String sayEndless() throws IOException {
    String text = "{\"text\":\"!tool shell {\\\"command\\\": \\\"true\\\"}\"}";
    String event =
        post("stopped/messages", "", "application/json", text).json().path("event_id").asText();
    Await.until("it waits", LIMIT, () -> rig.api().get("/api/v1/approvals").body().contains(event));
    return event;
  }

  @Test
  void aRepeatedStopEndsNoOtherTurnAfterARestart() throws Exception {
    String first = sayEndless();
    Answer stopped = stop("stop-1");
    assertThat(stopped.json().path("stopped").asInt()).isEqualTo(1);
    rig.api().awaitState(first, ServerApi.FINAL, LIMIT);
    rig.server().stop();
    rig.start();
    String second = sayEndless();
    assertThat(stop("stop-1").body()).isEqualTo(stopped.body());
    rig.restart();
    assertThat(stop("stop-1").body()).isEqualTo(stopped.body());
    assertThat(rig.api().state(second)).isNotIn(ServerApi.FINAL);
    assertThat(stop("stop-2").json().path("stopped").asInt()).isEqualTo(1);
    rig.api().awaitState(second, ServerApi.FINAL, LIMIT);
  }

  @Test
  void aRepeatedUploadAndMessageGetTheSameResponseAfterAKill() throws Exception {
    Answer file = post("files/attachments", "up-1", "application/octet-stream", "content");
    Answer said = post("files/messages", "say-1", "application/json", "{\"text\":\"hi\"}");
    assertThat(file.status()).isEqualTo(201);
    assertThat(said.status()).isEqualTo(202);
    rig.restart();
    Answer again = post("files/attachments", "up-1", "application/octet-stream", "content");
    assertThat(again.status()).isEqualTo(201);
    assertThat(again.body()).isEqualTo(file.body());
    assertThat(post("files/messages", "say-1", "application/json", "{\"text\":\"hi\"}").body())
        .isEqualTo(said.body());
    assertThat(post("files/attachments", "up-1", "application/octet-stream", "other").status())
        .isEqualTo(409);
  }
}
