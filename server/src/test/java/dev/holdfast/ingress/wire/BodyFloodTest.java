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
    try (IngressRig rig = new IngressRig(threeSeconds, new SystemTime()); // sockets are real
        Raw slow = rig.raw()) {
      long start = System.nanoTime(); // how soon a connection ends
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

  private static String inChunks(String body, int bytes) {
    StringBuilder chunks = new StringBuilder();
    for (int at = 0; at < body.length(); at += bytes) {
      String chunk = body.substring(at, Math.min(body.length(), at + bytes));
      chunks
          .append(Integer.toHexString(chunk.length()))
          .append("\r\n")
          .append(chunk)
          .append("\r\n");
    }
    return chunks + "0\r\n\r\n";
  }

  private static Raw.Answer answerToChunks(IngressRig rig, String body, int bytes)
      throws Exception {
    try (Raw raw = rig.raw()) {
      raw.send("POST " + HOOK + " HTTP/1.1\r\n" + JSON);
      raw.send("x-sign: ok\r\nTransfer-Encoding: chunked\r\n\r\n");
      return raw.send(inChunks(body, bytes)).answer();
    }
  }

  /** A body in pieces of one byte takes no more than others. */
  @Test
  void bodiesInManyPiecesAreReadAsTheyAre() throws Exception {
    String text = "abc".repeat(300);
    try (IngressRig rig = new IngressRig()) {
      assertThat(answerToChunks(rig, "t|" + text + "|k1", 1).status()).isEqualTo(200);
      assertThat(rig.inbox.events.getFirst().payload()).contains(text);
    }
  }

  /** Each piece is work for the event loop that all share. */
  @Test
  void bodiesInThousandsOfTinyPiecesAreRefused() throws Exception {
    String body = "t|" + "abc".repeat(20_000) + "|k1";
    try (IngressRig rig = new IngressRig()) {
      assertThat(answerToChunks(rig, body, 1).status()).isEqualTo(400);
      assertThat(answerToChunks(rig, body, 64).status()).isEqualTo(200);
      assertThat(rig.inbox.events).hasSize(1);
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
