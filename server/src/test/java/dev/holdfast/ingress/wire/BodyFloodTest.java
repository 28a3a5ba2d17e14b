package dev.holdfast.ingress.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ingress.IngressRig;
import dev.holdfast.ingress.Raw;
import dev.holdfast.time.SystemTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What strangers may occupy together before they have proved who they are is bounded. */
@Timeout(60)
class BodyFloodTest {
  private static final String HOOK = "/webhooks/webhook/ci";
  private static final String JSON = "Host: localhost\r\nContent-Type: application/json\r\n";
  private static final int PIECE = 400_000;

  @Test
  void unfinishedBodiesMakeRoomForOthersAndTheirSendersHearWhy() throws Exception {
    BodyBudget bodies = new BodyBudget(4 * 2 * PIECE);
    try (IngressRig rig = new IngressRig(UnaryOperator.identity(), new SystemTime(), bodies)) {
      List<Raw> strangers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Raw stranger = rig.raw();
        strangers.add(stranger);
        stranger.send(announced(HOOK, 1_000_000) + "x".repeat(PIECE));
      }
      IngressRig.until(() -> refused(rig) >= 6);
      int heard = 0;
      for (Raw stranger : strangers) {
        stranger.socket().setSoTimeout(100);
        heard += statusIfAny(stranger) > 0 ? 1 : 0;
      }
      assertThat(heard).isPositive();
      assertThat(bodies.bytes()).isLessThanOrEqualTo(4 * 2 * PIECE);
      String body = "t|" + "x".repeat(PIECE - 10) + "|k1";
      assertThat(rig.post(HOOK, body, "X-Sign: ok").status()).isEqualTo(200);
      for (Raw stranger : strangers) {
        stranger.close();
      }
      IngressRig.until(() -> bodies.bytes() == 0 && bodies.holders() == 0);
      assertThat(rig.inbox.events).hasSize(1);
    }
  }

  @Test
  void aBodyThatHardlyMovesIsCutLongBeforeItsTimeIsOver() throws Exception {
    UnaryOperator<HttpConfig> threeSeconds =
        free ->
            new HttpConfig(
                free.host(),
                0,
                "",
                List.of(),
                free.maxBodyBytes(),
                free.headerTimeout(),
                Duration.ofSeconds(3),
                free.idleTimeout(),
                100);
    try (IngressRig rig = new IngressRig(threeSeconds, new SystemTime());
        Raw slow = rig.raw()) {
      long start = System.nanoTime();
      slow.send(announced(HOOK, 1_000_000) + "x");
      assertThat(slow.answer().status()).isEqualTo(408);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(2500));
    }
  }

  /** Nothing is known of who logs in: four kilobytes are enough. */
  @Test
  void aLoginBringsNoMoreThanACodeOrAToken() throws Exception {
    try (IngressRig rig = new IngressRig()) {
      assertThat(rig.send(announced("/login", 4097)).status()).isEqualTo(413);
      assertThat(rig.post("/login", "{\"token\":\"" + "x".repeat(4000) + "\"}").status())
          .isEqualTo(401);
    }
  }

  /** A body in pieces of one byte takes no more than others. */
  @Test
  void bodiesInManyPiecesAreReadAsTheyAre() throws Exception {
    try (IngressRig rig = new IngressRig();
        Raw raw = rig.raw()) {
      String body = "t|" + "abc".repeat(3000) + "|k1";
      StringBuilder chunks = new StringBuilder();
      body.chars().forEach(c -> chunks.append("1\r\n").append((char) c).append("\r\n"));
      raw.send(
          "POST "
              + HOOK
              + " HTTP/1.1\r\n"
              + JSON
              + "x-sign: ok\r\nTransfer-Encoding: chunked\r\n\r\n");
      raw.send(chunks + "0\r\n\r\n");
      assertThat(raw.answer().status()).isEqualTo(200);
      assertThat(rig.inbox.events.getFirst().payload()).contains("abc".repeat(3000));
    }
  }

  private static double refused(IngressRig rig) {
    return rig.count("holdfast.http.refused", "status", "503")
        + rig.count("holdfast.http.refused", "status", "429");
  }

  /** Whoever is still sending may see the end of the connection before the answer. */
  private static int statusIfAny(Raw stranger) {
    try {
      int status = stranger.answer().status();
      assertThat(status).isIn(429, 503, 0);
      return status;
    } catch (IOException _) {
      return 0;
    }
  }

  private static String announced(String path, int bytes) {
    return "POST " + path + " HTTP/1.1\r\n" + JSON + "Content-Length: " + bytes + "\r\n\r\n";
  }
}
