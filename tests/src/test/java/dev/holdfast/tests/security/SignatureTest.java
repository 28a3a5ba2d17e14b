package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Signer;
import dev.holdfast.tests.harness.WebhookSender;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows S1 to S7 and S9: forged, stale, changed and replayed webhooks. */
class SignatureTest extends SharedServer {
  private static final String BODY = WebhookSender.body("t", "let me in");

  /** Row S1. */
  @Test
  void aMissingSignatureIsRefused() throws IOException {
    for (String signature : List.of("", "v1,", "v0=", "v1", ",", "v1a,AAAA", "v2,AAAA")) {
      Map<String, String> headers = rig.sender().headers("s1", BODY);
      headers.put("webhook-signature", signature);
      refuse(headers, BODY, "s1");
    }
    for (String name : List.of("webhook-signature", "webhook-id", "webhook-timestamp")) {
      Map<String, String> headers = rig.sender().headers("s1", BODY);
      headers.remove(name);
      refuse(headers, BODY, "s1");
    }
  }

  /** Row S2. */
  @Test
  void aChangedBodyIsRefused() throws IOException {
    Map<String, String> headers = rig.sender().headers("s2", BODY);
    refuse(headers, BODY.replace("let", "Let"), "s2");
    refuse(headers, BODY + " ", "s2");
    refuse(headers, BODY.replace(",", ", "), "s2");
    String lines = BODY.replace(",", ",\n");
    Map<String, String> signedLines = rig.sender().headers("s2", lines);
    refuse(signedLines, lines.replace("\n", "\r\n"), "s2");
  }

  /** Row S2: the id and the time are signed too. */
  @Test
  void aChangedIdOrTimeIsRefused() throws IOException {
    Map<String, String> headers = rig.sender().headers("s2b", BODY);
    headers.put("webhook-id", "s2c");
    refuse(headers, BODY, "s2c");
    Map<String, String> later = rig.sender().headers("s2d", BODY);
    later.put("webhook-timestamp", Long.toString(Instant.now().getEpochSecond() + 1_000));
    refuse(later, BODY, "s2d");
  }

  /** Rows S3 and S9: another account's secret opens only that account. */
  @Test
  void anotherAccountsSecretIsRefused() throws IOException {
    WebhookSender other = new WebhookSender(rig.sender().url(), OTHER_SECRET);
    assertThat(other.send("s3", "t", "let me in").status()).isEqualTo(401);
    assertNoEvent("s3");
    WebhookSender nobody =
        new WebhookSender(rig.setup().url("/webhooks/webhook/nobody"), OTHER_SECRET);
    assertThat(nobody.send("s3", "t", "let me in").status()).isIn(401, 404);
  }

  /** Row S4. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-1",
        "0",
        "1e9",
        "9223372036854775808",
        "9223372036854775807",
        "NaN",
        "0x10",
        "1,000"
      })
  void aStrangeTimeIsRefused(String timestamp) throws IOException {
    refuse(rig.sender().headers("s4", timestamp, BODY), BODY, "s4");
  }

  /** Row S4. */
  @Test
  void aStaleTimeIsRefused() throws IOException {
    long now = Instant.now().getEpochSecond();
    for (long shift : List.of(-302L, 302L, -100_000L, 100_000L)) {
      refuse(rig.sender().headers("s4b", Long.toString(now + shift), BODY), BODY, "s4b");
    }
    Map<String, String> inside = rig.sender().headers("s4c", Long.toString(now - 290), BODY);
    assertThat(rig.sender().post(inside, BODY).isAccepted()).isTrue();
  }

  /** Row S5. */
  @Test
  void aReplayedRequestIsOneEvent() throws Exception {
    int before = accepted();
    Map<String, String> headers = rig.sender().headers("s5", BODY);
    ConcurrentLinkedQueue<Integer> statuses = new ConcurrentLinkedQueue<>();
    List<Thread> replays = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      replays.add(Thread.ofVirtual().start(() -> statuses.add(status(headers))));
    }
    for (Thread replay : replays) {
      replay.join();
    }
    assertThat(statuses).hasSize(100).containsOnly(200);
    assertThat(accepted()).isEqualTo(before + 1);
  }

  /** Row S6: the signature written another way, or among others, makes no second event. */
  @Test
  void aReencodedSignatureMakesNoSecondEvent() throws IOException {
    Map<String, String> headers = rig.sender().headers("s6", BODY);
    assertThat(rig.sender().post(headers, BODY).isAccepted()).isTrue();
    int before = accepted();
    String right = headers.getOrDefault("webhook-signature", "");
    for (String written :
        List.of(
            right + " " + right,
            "v1,AAAA " + right,
            right.replace("=", ""),
            right.replace('+', '-').replace('/', '_'),
            right + " v1a,AAAA",
            right.toLowerCase(Locale.ROOT))) {
      Map<String, String> changed = new HashMap<>(headers);
      changed.put("webhook-signature", written);
      Answer answer = rig.sender().post(changed, BODY);
      assertThat(answer.status()).as(written).isIn(200, 202, 401);
    }
    assertThat(accepted()).isEqualTo(before);
  }

  /** A right one among several, as during the rotation of a secret. */
  @Test
  void oneRightSignatureOfSeveralIsEnough() throws IOException {
    Map<String, String> headers = rig.sender().headers("rotated", BODY);
    String wrong =
        new Signer(OTHER_SECRET)
            .sign("rotated", headers.getOrDefault("webhook-timestamp", ""), BODY);
    headers.put("webhook-signature", wrong + " " + headers.get("webhook-signature"));
    assertThat(rig.sender().post(headers, BODY).isAccepted()).isTrue();
  }

  /** Row S7. */
  @Test
  void repeatedHeadersAreRefused() throws IOException {
    Map<String, String> headers = rig.sender().headers("s7", BODY);
    for (String name : List.of("webhook-signature", "webhook-timestamp", "webhook-id")) {
      String request =
          raw(headers, BODY).replaceFirst("\r\n\r\n", "\r\n" + name + ": 12345\r\n\r\n");
      assertThat(rawStatus(request)).as("twice " + name).isIn(400, 401);
    }
    assertNoEvent("s7");
  }

  private int status(Map<String, String> headers) {
    try {
      return rig.sender().post(headers, BODY).status();
    } catch (IOException e) {
      return 0;
    }
  }

  private void refuse(Map<String, String> headers, String body, String id) throws IOException {
    Answer answer = rig.sender().post(headers, body);
    assertThat(answer.status()).as("%s", headers).isEqualTo(401);
    // The refusal gives no reason to learn from.
    assertThat(answer.body().toLowerCase(Locale.ROOT))
        .doesNotContain("timestamp", "stale", "missing", "mismatch", "expected");
    assertNoEvent(id);
  }

  private static String raw(Map<String, String> headers, String body) {
    StringBuilder all =
        new StringBuilder("POST /webhooks/webhook/ci HTTP/1.1\r\nhost: 127.0.0.1\r\n");
    headers.forEach((name, value) -> all.append(name).append(": ").append(value).append("\r\n"));
    return all.append("content-length: ").append(body.length()).append("\r\n\r\n") + body;
  }
}
