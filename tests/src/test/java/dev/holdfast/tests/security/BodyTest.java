package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.WebhookSender;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Rows S12, S18, S19 and S21: bodies that are too big, too deep or of the wrong kind. */
class BodyTest extends SharedServer {
  private static final int LIMIT = 1_048_576;

  /** Row S12, with a length and chunked. */
  @Test
  void aBodyOverTheLimitIsRefused() throws IOException {
    String big = WebhookSender.body("t", "x".repeat(LIMIT));
    Map<String, String> headers = rig.sender().headers("s12", big);
    assertThat(statusOrCut(headers, big)).isIn(413, 0);
    Answer chunked = null;
    try {
      chunked =
          http.send(
              "POST",
              rig.sender().url(),
              headers,
              BodyPublishers.ofInputStream(
                  () -> new ByteArrayInputStream(big.getBytes(StandardCharsets.UTF_8))));
    } catch (IOException e) {
      // Closed in our face while we were still sending: allowed.
    }
    assertThat(chunked == null ? 413 : chunked.status()).isEqualTo(413);
    assertNoEvent("s12");
  }

  private int statusOrCut(Map<String, String> headers, String body) {
    try {
      return http.post(rig.sender().url(), headers, body).status();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Row S18, at the webhook: signed, and still no JSON that we take. */
  @Test
  void hostileJsonIsRefused() throws IOException {
    int i = 0;
    for (String body : hostile()) {
      String id = "s18-" + i++;
      long start = System.nanoTime();
      Answer answer = rig.sender().sendRaw(id, body);
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      String start40 = body.substring(0, Math.min(40, body.length()));
      assertThat(answer.status()).as("webhook: " + start40).isEqualTo(400);
      assertThat(took).as(start40).isLessThan(Duration.ofSeconds(2));
      assertNoEvent(id);
    }
  }

  private static List<String> hostile() {
    return List.of(
        "[".repeat(100_000) + "]".repeat(100_000),
        "{\"thread\":" + "{\"a\":".repeat(50_000) + "1" + "}".repeat(50_000) + "}",
        "{\"thread\":\"t\",\"sender\":\"a\",\"text\":" + "9".repeat(900_000) + "}",
        "{\"thread\":\"t\",\"sender\":\"a\",\"text\":1e999999999}",
        "{\"thread\":\"t\",\"sender\":\"a\",\"text\":NaN}",
        "{\"thread\":\"t\",\"sender\":\"a\",\"text\":\"x\",\"text\":\"y\"}",
        "{\"thread\":\"t\",\"sender\":\"a\",\"text\":[\"x\"]}",
        "{\"thread\":null,\"sender\":null,\"text\":null}",
        "{\"thread\":\"t\",\"sender\":\"a\",\"text\":\"x\"} trailing",
        "\"just a string\"",
        "null",
        "",
        "not json");
  }

  /** Row S19: a text that is hostile to patterns takes linear time. */
  @Test
  void aTextHostileToPatternsIsAnsweredSoon() {
    long start = System.nanoTime();
    rig.converse("s19", "s19", "a".repeat(100_000) + "!");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
  }

  /** Row S21: what a form on a foreign page could send. */
  @Test
  void otherContentTypesAreRefused() throws IOException {
    String body = WebhookSender.body("t", "from a form");
    for (String type :
        List.of(
            "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x")) {
      Map<String, String> headers = rig.sender().headers("s21", body);
      headers.put("content-type", type);
      assertThat(rig.sender().post(headers, body).status()).as(type).isEqualTo(415);
      Answer api =
          http.post(
              rig.setup().url("/api/v1/threads/forms/messages"),
              Map.of("authorization", "Bearer " + rig.api().token(), "content-type", type),
              "{\"text\":\"from a form\"}");
      assertThat(api.status()).as("api: " + type).isEqualTo(415);
    }
    assertNoEvent("s21");
  }
}
