package dev.holdfast.ingress.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.Secret;
import dev.holdfast.ingress.IngressCase;
import dev.holdfast.ingress.IngressRig;
import dev.holdfast.ingress.Raw;
import dev.holdfast.ingress.login.TokenConfig;
import dev.holdfast.ingress.wire.Scope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StreamsTest extends IngressCase {
  private Raw open(String query, String... headers) throws Exception {
    return openAs(IngressRig.ADMIN, query, headers);
  }

  private Raw openAs(String token, String query, String... headers) throws Exception {
    Raw raw = rig.raw();
    List<String> all = new ArrayList<>(List.of(headers));
    all.add(IngressRig.bearer(token));
    raw.send(Raw.request("GET", "/api/v1/stream" + query, "", all.toArray(String[]::new)));
    assertThat(raw.line()).isEqualTo("HTTP/1.1 200 OK");
    until(raw, ": hello");
    return raw;
  }

  /** Reads on to the line that begins so. */
  private static String until(Raw raw, String start) throws Exception {
    Instant end = Instant.now().plusSeconds(10); // signs of life come for ever
    while (Instant.now().isBefore(end)) {
      String line = raw.line();
      if (line.startsWith(start)) {
        return line;
      }
    }
    throw new AssertionError("no line begins with " + start);
  }

  @Test
  void tellsWhatHappensAsItHappens() throws Exception {
    try (Raw raw = open("")) {
      rig.news.publish("turn.text", "web:main:t1", "e1", "{\"delta\":\"he\\nllo\"}");
      assertThat(until(raw, "id:")).matches("id: [0-9a-f]{8}-1");
      assertThat(raw.line()).isEqualTo("event: turn.text");
      assertThat(raw.line())
          .isEqualTo(
              "data: {\"thread_id\":\"web:main:t1\",\"event_id\":\"e1\",\"delta\":\"he\\nllo\"}");
      rig.news.publish("turn.restart", "web:main:t1", "e1", "{}");
      assertThat(until(raw, "data:"))
          .isEqualTo("data: {\"thread_id\":\"web:main:t1\",\"event_id\":\"e1\"}");
    }
  }

  @Test
  void tellsOfOneThreadWhenAskedSo() throws Exception {
    try (Raw raw = open("?thread=t1")) {
      rig.news.publish("turn.text", "web:main:other", "e1", "{}");
      rig.news.publish("condition.changed", "", "", "{}");
      rig.news.publish("turn.text", "web:main:t1", "e2", "{}");
      assertThat(until(raw, "event:")).isEqualTo("event: condition.changed");
      assertThat(until(raw, "data:")).contains("\"event_id\":\"\"");
      assertThat(until(raw, "data:")).contains("\"event_id\":\"e2\"");
    }
  }

  @Test
  void tellsOfPlansWithoutAThreadToOperatorsOnly() throws Exception {
    try (Raw operator = open("");
        Raw talker = openAs(IngressRig.CHAT, "")) {
      rig.news.publish("plan.moved", "", "", "{\"plan_id\":\"p1\"}");
      rig.news.publish("task.moved", "", "", "{\"plan_id\":\"p1\"}");
      rig.news.publish("condition.changed", "", "", "{}");
      assertThat(until(operator, "event:")).isEqualTo("event: plan.moved");
      assertThat(until(operator, "event:")).isEqualTo("event: task.moved");
      assertThat(until(talker, "event:")).isEqualTo("event: condition.changed");
    }
  }

  @Test
  void aClientThatComesBackMissesNothing() throws Exception {
    String id;
    try (Raw raw = open("")) {
      rig.news.publish("turn.text", "t", "e1", "{}");
      id = until(raw, "id:").substring(4);
    }
    rig.news.publish("turn.text", "t", "e2", "{}");
    try (Raw raw = open("", "Last-Event-ID: " + id)) {
      rig.news.publish("turn.text", "t", "e3", "{}");
      assertThat(until(raw, "data:")).contains("e2");
      assertThat(until(raw, "data:")).contains("e3");
    }
    try (Raw raw = open("?last_event_id=" + id)) {
      assertThat(until(raw, "data:")).contains("e2");
    }
  }

  @Test
  void aClientOfAnotherRunIsToldOfTheGap() throws Exception {
    try (Raw raw = open("", "Last-Event-ID: deadbeef-7")) {
      rig.news.publish("turn.text", "t", "e1", "{}");
      assertThat(until(raw, "event:")).isEqualTo("event: gap");
      assertThat(until(raw, "event:")).isEqualTo("event: turn.text");
    }
    try (Raw raw = open("", "Last-Event-ID: junk")) {
      assertThat(until(raw, "event:")).isEqualTo("event: gap");
    }
  }

  @Test
  void whatIsForgottenIsAGap() throws Exception {
    String id;
    try (Raw raw = open("")) {
      rig.news.publish("turn.text", "t", "e1", "{}");
      id = until(raw, "id:").substring(4);
    }
    for (int i = 0; i < 1100; i++) {
      rig.news.publish("turn.text", "t", "e", "{}");
    }
    try (Raw raw = open("", "Last-Event-ID: " + id)) {
      assertThat(until(raw, "event:")).isEqualTo("event: gap");
    }
  }

  /**
   * A reader that does not read holds nobody up, costs a bounded number of items and hears of the
   * gap.
   */
  @Test
  void aSlowReaderLosesNewsAndIsTold() throws Exception {
    try (Raw slow = open("")) {
      String text = "{\"delta\":\"" + "x".repeat(100_000) + "\"}";
      for (int i = 0; i < 400; i++) {
        rig.news.publish("turn.text", "t", "e" + i, text);
      }
      rig.news.publish("turn.text", "t", "last", "{}");
      assertThat(until(slow, "event: gap")).isEqualTo("event: gap");
      assertThat(until(slow, "data: {\"thread_id\":\"t\",\"event_id\":\"last\"")).isNotEmpty();
    }
  }

  @Test
  void longMessagesDoNotPileUpForAReaderThatDoesNotRead() throws Exception {
    try (Raw slow = open("")) {
      String text = "{\"delta\":\"" + "x".repeat(1_000_000) + "\"}";
      for (int i = 0; i < 40; i++) {
        rig.news.publish("turn.text", "t", "e" + i, text);
      }
      rig.news.publish("turn.text", "t", "last", "{}");
      assertThat(until(slow, "event: gap")).isEqualTo("event: gap");
      assertThat(until(slow, "data: {\"thread_id\":\"t\",\"event_id\":\"last\"")).isNotEmpty();
    }
  }

  /** S25: whoever's token was rotated hears no more. */
  @Test
  void aRotatedTokenEndsItsStreams() throws Exception {
    try (Raw raw = open("")) {
      rig.tokens.replace(
          List.of(new TokenConfig("main", new Secret("another-token-0123456789"), Scope.ADMIN)));
      assertThat(until(raw, "0")).as("the last chunk").isEqualTo("0");
    }
  }

  @Test
  void aQuietStreamGivesSignsOfLife() throws Exception {
    try (Raw raw = open("")) {
      assertThat(until(raw, ": still")).isEqualTo(": still here");
    }
  }

  @Test
  void streamsAreBounded() throws Exception {
    List<Raw> open = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      open.add(open(""));
    }
    Raw.Answer answer = rig.get("/api/v1/stream", IngressRig.bearer(IngressRig.READ));
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.header("retry-after")).isNotEmpty();
    for (Raw raw : open) {
      raw.close();
    }
    IngressRig.until(
        () -> {
          try {
            open("").close();
            return true;
          } catch (Exception | AssertionError _) {
            return false;
          }
        });
  }

  /** S22, S24: a stream is let in like everything else. */
  @Test
  void aStreamNeedsAToken() throws Exception {
    assertThat(rig.get("/api/v1/stream").status()).isEqualTo(401);
    assertThat(rig.get("/api/v1/stream?token=" + IngressRig.ADMIN).status()).isEqualTo(401);
  }
}
