package dev.holdfast.ingress.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ingress.IngressRig;
import dev.holdfast.ingress.Raw;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** S13: what strangers may occupy together before they have proved who they are is bounded. */
@Timeout(60)
class FloodTest {
  private static final String ANNOUNCED_MEGABYTE =
      "POST /webhooks/webhook/ci HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          + "Content-Length: 1000000\r\n\r\n{";
  private static final int FLOOD = 2000;

  private IngressRig rig;

  @BeforeEach
  void start() throws Exception {
    rig = new IngressRig();
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void aFloodOfForgedBodiesIsHeldOffAndLeavesRoomAfterwards() throws Exception {
    List<Raw> strangers = new ArrayList<>();
    int heldOff = 0;
    try {
      while (heldOff == 0 && strangers.size() < FLOOD) {
        Raw stranger = rig.raw();
        strangers.add(stranger);
        stranger.send(ANNOUNCED_MEGABYTE);
        stranger.socket().setSoTimeout(50);
        heldOff = statusIfAny(stranger);
      }
      assertThat(heldOff).isEqualTo(429);
      assertThat(strangers).hasSizeLessThan(FLOOD);
    } finally {
      for (Raw stranger : strangers) {
        stranger.close();
      }
    }
    IngressRig.until(() -> honestIsServed());
    assertThat(rig.inbox.events).hasSize(1);
  }

  private static int statusIfAny(Raw stranger) throws Exception {
    try {
      return stranger.answer().status();
    } catch (java.net.SocketTimeoutException _) {
      return 0;
    }
  }

  private boolean honestIsServed() {
    try {
      return rig.post("/webhooks/webhook/ci", "t|hello|k1", "X-Sign: ok").status() == 200;
    } catch (Exception e) {
      return false;
    }
  }
}
