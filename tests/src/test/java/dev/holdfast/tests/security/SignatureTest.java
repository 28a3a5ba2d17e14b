package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
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

/** Rows S1 to S6 and S9: forged, stale, changed and replayed webhooks. */
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
}
