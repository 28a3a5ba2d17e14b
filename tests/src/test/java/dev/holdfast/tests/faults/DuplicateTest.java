package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.RawClient;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.WebhookSender;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rows F27 (duplicates) and F28 (the client vanishes). */
@Timeout(60)
class DuplicateTest {
  private static final int COPIES = 64;

  @RegisterExtension static final Served SERVED = Served.alone(_ -> {});

  private final ServerRig rig = SERVED.rig();
  private final String id = SERVED.thread();

  private int accepted() throws IOException {
    return rig.api().status().path("counts").path("accepted").asInt();
  }

  /** Row F27: 64 copies at once, again after the answer, and again after a kill. */
  @Test
  void manyCopiesOfOneEventGetOneAnswer() throws Exception {
    int before = accepted();
    String body = WebhookSender.body(id, "only once, please");
    Map<String, String> headers = rig.sender().headers(id + "copy", body);
    assertThat(sendCopies(headers, body)).containsOnly(200);
    rig.platform().awaitPost(id + "copy", Duration.ofSeconds(15));
    assertThat(sendCopies(headers, body)).containsOnly(200);
    rig.restart();
    assertThat(sendCopies(headers, body)).containsOnly(200);
    rig.converse(id + "other", id, "and another one");
    rig.api().awaitQuiet(Duration.ofSeconds(15));
    assertThat(rig.platform().shownFor(id + "copy")).hasSize(1);
    assertThat(accepted()).isEqualTo(before + 2);
  }

  private List<Integer> sendCopies(Map<String, String> headers, String body)
      throws InterruptedException {
    ConcurrentLinkedQueue<Integer> statuses = new ConcurrentLinkedQueue<>();
    List<Thread> senders = new ArrayList<>();
    for (int i = 0; i < COPIES; i++) {
      senders.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      statuses.add(rig.sender().post(headers, body).status());
                    } catch (IOException e) {
                      statuses.add(0);
                    }
                  }));
    }
    for (Thread sender : senders) {
      sender.join();
    }
    return List.copyOf(statuses);
  }

  /**
   * Row F28: the client resets before it has read the 2xx; what was committed stays, what was not
   * leaves nothing.
   */
  @Test
  void aClientThatVanishesLeavesAWholeEventOrNone() throws Exception {
    for (int i = 0; i < 20; i++) {
      try (RawClient client = new RawClient(rig.setup().httpPort())) {
        client.say(request(id + "vanish-" + i, "I am gone " + i, 0));
        Await.pause(Duration.ofMillis(i * 2L));
        client.reset();
      }
    }
    rig.converse(id + "honest", id, "I stay");
    rig.api().awaitQuiet(Duration.ofSeconds(15));
    for (int i = 0; i < 20; i++) {
      boolean known = rig.api().get("/api/v1/events/" + id + "vanish-" + i).status() == 200;
      assertThat(rig.platform().shownFor(id + "vanish-" + i)).hasSize(known ? 1 : 0);
    }
  }

  /** Row F28: half a body, and a body that is announced and never comes. */
  @Test
  void halfABodyMakesNoEvent() throws Exception {
    int before = accepted();
    try (RawClient half = new RawClient(rig.setup().httpPort());
        RawClient expecting = new RawClient(rig.setup().httpPort())) {
      half.say(request(id + "half", "half of this is missing", 20));
      half.reset();
      String whole = request(id + "expecting", "never sent", 0);
      expecting.say(
          whole.substring(0, whole.indexOf("\r\n\r\n")) + "\r\nexpect: 100-continue\r\n\r\n");
      assertThat(expecting.hear(Duration.ofSeconds(5))).startsWith("HTTP/1.1 100");
      expecting.reset();
    }
    rig.converse(id + "honest", id, "I stay");
    assertThat(rig.api().get("/api/v1/events/" + id + "half").status()).isEqualTo(404);
    assertThat(rig.api().get("/api/v1/events/" + id + "expecting").status()).isEqualTo(404);
    assertThat(accepted()).isEqualTo(before + 1);
  }

  /** A signed request as bytes, its last {@code missing} bytes left out. */
  private String request(String event, String text, int missing) {
    String body = WebhookSender.body(event, text);
    StringBuilder all =
        new StringBuilder("POST /webhooks/webhook/ci HTTP/1.1\r\nhost: 127.0.0.1\r\n");
    rig.sender()
        .headers(event, body)
        .forEach((name, value) -> all.append(name).append(": ").append(value).append("\r\n"));
    all.append("content-length: ").append(body.getBytes(StandardCharsets.UTF_8).length);
    return all.append("\r\n\r\n").append(body, 0, body.length() - missing).toString();
  }
}
