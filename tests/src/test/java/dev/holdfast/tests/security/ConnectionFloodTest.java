package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Flood;
import dev.holdfast.tests.harness.RawClient;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.WebhookSender;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Row S13, connections alone: one address takes all that are allowed and more. Senders of another
 * address are served, the probes answer, and the operator reads what is wrong.
 */
@Timeout(60)
class ConnectionFloodTest {
  private static final int CONNECTIONS_MAX = 300;
  private static final int STRANGERS = 400;
  private static final int MESSAGES = 20;
  private static final String HONEST = "127.0.0.9";
  private static final String LIVE = "GET /live HTTP/1.1\r\nhost: 127.0.0.1\r\n";

  @RegisterExtension
  static final Served SERVED =
      Served.alone(rig -> rig.setup().set("http.max_connections", CONNECTIONS_MAX));

  private final ServerRig rig = SERVED.rig();

  @Test
  void connectionsThatAreKeptAliveTakeNoPlaces() throws IOException {
    othersAreServedDuring(client -> client.say(LIVE + "\r\n"));
  }

  @Test
  void connectionsThatNeverSayAnythingTakeNoPlaces() throws IOException {
    othersAreServedDuring(client -> {});
  }

  @Test
  void headsThatAreNeverFinishedTakeNoPlaces() throws IOException {
    othersAreServedDuring(client -> client.say(LIVE));
  }

  private void othersAreServedDuring(Flood.Attack attack) throws IOException {
    Flood.Attack patient =
        client -> {
          attack.on(client);
          Await.pause(Duration.ofMillis(500)); // whoever is thrown out does not notice at once
        };
    try (Flood flood = Flood.of(rig.setup().httpPort(), STRANGERS, patient)) {
      Await.until("all attack", Duration.ofSeconds(20), () -> flood.attacks() >= STRANGERS);
      for (int i = 0; i < MESSAGES; i++) {
        assertThat(status(webhook(SERVED.thread() + "-" + i))).isEqualTo(200);
        assertThat(status(LIVE + "connection: close\r\n\r\n")).isEqualTo(200);
        Await.pause(Duration.ofMillis(30));
      }
      Await.until(
          "the condition is told",
          Duration.ofSeconds(10),
          () -> rig.api().get("/api/v1/conditions").body().contains("limit_reached"));
    }
    assertThat(rig.server().output()).contains("connections that max_connections allows");
  }

  private int status(String request) throws IOException {
    try (RawClient client = new RawClient(rig.setup().httpPort(), HONEST)) {
      return RawClient.status(client.say(request).hear(Duration.ofSeconds(5)));
    }
  }

  private String webhook(String id) {
    String body = WebhookSender.body("honest", "hello");
    StringBuilder request =
        new StringBuilder("POST /webhooks/webhook/ci HTTP/1.1\r\nhost: h\r\nconnection: close\r\n");
    rig.sender()
        .headers(id, body)
        .forEach((name, value) -> request.append(name + ": " + value + "\r\n"));
    return request + "content-length: " + body.length() + "\r\n\r\n" + body;
  }
}
