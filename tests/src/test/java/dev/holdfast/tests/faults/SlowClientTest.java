package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.RawClient;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Rows F29 and S14: clients that say their request byte by byte are cut while honest ones are
 * served.
 */
@Timeout(90)
class SlowClientTest {
  private static final int SLOW = RunLength.of("holdfast.slow_clients", 100, 400);
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final Duration SLACK = Duration.ofSeconds(4);

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig ->
              rig.setup()
                  .set("http.header_timeout_secs", (int) LIMIT.toSeconds())
                  .set("http.body_timeout_secs", (int) LIMIT.toSeconds())
                  .set("http.idle_timeout_secs", 3));

  private final ServerRig rig = SERVED.rig();
  private final String id = SERVED.thread();

  @Test
  void slowHeadsAreCut() throws Exception {
    dripping("POST /webhooks/webhook/ci HTTP/1.1\r\nhost: 127.0.0.1\r\n", "x-slow: 1\r\n");
  }

  @Test
  void slowBodiesAreCut() throws Exception {
    dripping(
        "POST /webhooks/webhook/ci HTTP/1.1\r\nhost: 127.0.0.1\r\nwebhook-id: s\r\n"
            + "content-type: application/json\r\ncontent-length: 5000\r\n\r\n{",
        "x");
  }

  @Test
  void silentConnectionsAreCut() throws Exception {
    try (RawClient silent = new RawClient(rig.setup().httpPort())) {
      assertThat(silent.isEndedWithin(Duration.ofSeconds(3).plus(SLACK))).isTrue();
    }
  }

  /** Many connections say the start and then drip; each must be cut although it is never idle. */
  private void dripping(String start, String drip) throws Exception {
    int before = accepted();
    rig.converse(id + "before", id, "hello");
    long from = System.nanoTime();
    List<RawClient> slow = new ArrayList<>();
    for (int i = 0; i < SLOW; i++) {
      slow.add(new RawClient(rig.setup().httpPort()).say(start));
    }
    Thread dripper = Thread.ofVirtual().start(() -> dripOn(slow, drip, from));
    long asked = System.nanoTime();
    rig.converse(id + "during", id, "am I served?");
    assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(3));
    dripper.join();
    for (RawClient client : slow) {
      assertThat(client.isEndedWithin(Duration.ofSeconds(1))).as("cut").isTrue();
      client.close();
    }
    assertThat(accepted()).isEqualTo(before + 2);
  }

  private int accepted() throws IOException {
    return rig.api().status().path("counts").path("accepted").asInt();
  }

  /** Until each was cut, or was to be. */
  private static void dripOn(List<RawClient> slow, String drip, long from) {
    List<RawClient> open = new ArrayList<>(slow);
    while (!open.isEmpty() && System.nanoTime() - from < LIMIT.plus(SLACK).toNanos()) {
      open.removeIf(client -> isCut(client, drip));
      Await.pause(Duration.ofMillis(400));
    }
  }

  private static boolean isCut(RawClient client, String drip) {
    try {
      client.say(drip);
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
