package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.RawClient;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Rows F29 and S14: clients that say their request byte by byte are cut while honest ones are
 * served.
 */
@Timeout(90)
class SlowClientTest {
  private static final int SLOW = Integer.getInteger("holdfast.slow_clients", 400);
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final Duration SLACK = Duration.ofSeconds(4);

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
    try (ServerRig rig = rig().start();
        RawClient silent = new RawClient(rig.setup().httpPort())) {
      assertThat(silent.isEndedWithin(Duration.ofSeconds(3).plus(SLACK))).isTrue();
    }
  }

  /** Many connections say the start and then drip; each must be cut although it is never idle. */
  private static void dripping(String start, String drip) throws Exception {
    try (ServerRig rig = rig().start()) {
      rig.converse("before", "t", "hello");
      long from = System.nanoTime();
      List<RawClient> slow = new ArrayList<>();
      for (int i = 0; i < SLOW; i++) {
        slow.add(new RawClient(rig.setup().httpPort()).say(start));
      }
      Thread dripper = Thread.ofVirtual().start(() -> dripOn(slow, drip, from));
      long asked = System.nanoTime();
      rig.converse("during", "t", "am I served?");
      assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(3));
      dripper.join();
      for (RawClient client : slow) {
        assertThat(client.isEndedWithin(Duration.ofSeconds(1))).as("cut").isTrue();
        client.close();
      }
      assertThat(rig.api().status().path("counts").path("accepted").asInt()).isEqualTo(2);
    }
  }

  private static void dripOn(List<RawClient> slow, String drip, long from) {
    while (System.nanoTime() - from < LIMIT.plus(SLACK).toNanos()) {
      for (RawClient client : slow) {
        try {
          client.say(drip);
        } catch (IOException e) {
          // Cut already, as it should be.
        }
      }
      Await.pause(Duration.ofMillis(400));
    }
  }

  private static ServerRig rig() {
    ServerRig rig = new ServerRig();
    rig.setup().set("http.header_timeout_secs", (int) LIMIT.toSeconds());
    rig.setup().set("http.body_timeout_secs", (int) LIMIT.toSeconds());
    rig.setup().set("http.idle_timeout_secs", 3);
    return rig;
  }
}
