package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Flood;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.RawClient;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Row S13: strangers who keep connections, bodies and answers half done take neither the memory nor
 * the places of honest senders, who come from the same address here.
 */
@Timeout(60)
class FloodTest {
  private static final String HOOK = "/webhooks/webhook/ci";

  /** With a megabyte each they fill the heap twice over. */
  private static final int STRANGERS = Integer.getInteger("holdfast.slow_clients", 400);

  private static final int MESSAGES = 30;
  private static final Duration ANSWER_MAX = Duration.ofSeconds(20);

  @RegisterExtension
  static final Served SERVED =
      Served.alone(rig -> rig.setup().heap("-Xmx256m").flag("-XX:MaxDirectMemorySize=128m"));

  private final ServerRig rig = SERVED.rig();
  private final Http http = new Http();

  @Test
  void loginsThatAreNeverFinishedTakeNoMemory() {
    honestAreServedDuring(Flood.unfinished("/login"));
  }

  @Test
  void chunkedBodiesThatAreNeverFinishedTakeNoMemory() {
    honestAreServedDuring(Flood.unfinishedChunks(HOOK));
  }

  @Test
  void bodiesThatAreNeverFinishedTakeNoMemory() {
    honestAreServedDuring(Flood.unfinished(HOOK));
  }

  @Test
  void announcedBodiesTakeNoPlaces() {
    honestAreServedDuring(Flood.announced(HOOK));
  }

  @Test
  void announcedBodiesForNobodyTakeNoPlaces() {
    honestAreServedDuring(Flood.announced("/webhooks/webhook/nobody"));
  }

  @Test
  void answersThatNobodyReadsTakeNoMemory() {
    honestAreServedDuring(Flood.unread("/openapi.yaml"));
  }

  @Test
  void slowUploadsDoNotKeepOthersFromTheirs() throws IOException {
    String head =
        "POST /api/v1/threads/up/attachments HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer "
            + rig.api().token()
            + "\r\ncontent-type: application/octet-stream\r\ncontent-length: 1000000\r\n\r\nx";
    AtomicInteger uploads = new AtomicInteger();
    Flood.Attack upload =
        client -> {
          client.say(head);
          uploads.incrementAndGet();
        };
    try (Flood _ = Flood.of(rig.setup().httpPort(), 8, upload)) {
      Await.until("all upload", Duration.ofSeconds(10), () -> uploads.get() >= 8);
      Answer answer =
          http.post(
              rig.setup().url("/api/v1/threads/up/attachments?name=a.txt"),
              Map.of(
                  "authorization",
                  "Bearer " + rig.api().token(),
                  "content-type",
                  "application/octet-stream"),
              "a small file");
      assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    }
  }

  /** An account that does not exist is refused before its body, and in the words of a known one. */
  @Test
  void anUnknownAccountIsToldAsAWrongSignature() throws IOException {
    String unknown = RawClient.ask(rig.setup().httpPort(), announced("nobody", "{"));
    assertThat(RawClient.status(unknown)).as(unknown).isEqualTo(401);
    assertThat(
            RawClient.status(
                RawClient.ask(rig.setup().httpPort(), announced("ci", "{" + "x".repeat(99)))))
        .isEqualTo(401);
    String line = "\r\n.*";
    assertThat(unknown.replaceAll(line, "")).isEqualTo("HTTP/1.1 401 Unauthorized");
  }

  private static String announced(String account, String body) {
    return "POST /webhooks/webhook/"
        + account
        + " HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        + "webhook-id: x\r\nwebhook-timestamp: 1\r\nwebhook-signature: v1,AAAA\r\n"
        + "content-length: 100\r\n\r\n"
        + body;
  }

  private void honestAreServedDuring(Flood.Attack attack) {
    try (Flood flood = Flood.of(rig.setup().httpPort(), STRANGERS, attack)) {
      Await.until("all attack", Duration.ofSeconds(20), () -> flood.attacks() >= STRANGERS);
      for (int i = 0; i < MESSAGES; i++) {
        long start = System.nanoTime();
        rig.accept(SERVED.thread() + "-" + i, "honest", "hello");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ANSWER_MAX);
        Await.pause(Duration.ofMillis(30));
      }
    }
  }
}
