package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Flood;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.RawClient;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Row S13, the other way: whoever may read asks for large answers by the dozen, and reads them or
 * not. The process lives, others are served.
 */
@Timeout(60)
class LargeAnswersTest {
  private static final String READER = "reader-token-0123456789";
  private static final String OTHER = "other-token-0123456789a";
  private static final int MESSAGES = 8;
  private static final int READERS = 60;
  private static final Duration ATTACK = Duration.ofSeconds(12);
  private static final Http HTTP = new Http();

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig ->
              rig.setup()
                  .heap("-Xmx160m")
                  .set(
                      "api.tokens",
                      List.of(
                          Map.of("name", "reader", "token", READER, "scopes", List.of("chat")),
                          Map.of("name", "other", "token", OTHER, "scopes", List.of("chat")))));

  private final ServerRig rig = SERVED.rig();
  private final Set<Integer> statuses = new ConcurrentSkipListSet<>();
  private final AtomicInteger asked = new AtomicInteger();

  @BeforeAll
  static void writeALongLog() throws IOException {
    String text = "\"Z\n".repeat(200_000);
    for (int i = 0; i < MESSAGES; i++) {
      say(READER, "large", i + text);
    }
    say(OTHER, "others", "hello");
    Await.until(
        "the log has all of it",
        Duration.ofSeconds(30),
        () -> SERVED.rig().api().status().path("counts").path("answered").asInt() > MESSAGES);
  }

  private static void say(String token, String thread, String text) throws IOException {
    Answer answer =
        HTTP.post(
            SERVED.rig().setup().url("/api/v1/threads/" + thread + "/messages"),
            Map.of("authorization", "Bearer " + token, "content-type", "application/json"),
            Json.write(Json.object().put("text", text)));
    assertThat(answer.status()).as(answer.body()).isEqualTo(202);
  }

  @Test
  void aLogThatManyReadAtOnceTakesNoMemoryOfOthers() throws Exception {
    othersAreServedWhile("/api/v1/threads/large/log?limit=1000");
  }

  @Test
  void aStoryThatManyReadAtOnceTakesNoMemoryOfOthers() throws Exception {
    String event =
        log(READER, "large", "").json().path("entries").path(0).path("event_id").asText();
    othersAreServedWhile("/api/v1/events/" + event);
  }

  @Test
  void aLargeLogIsReadPageByPage() {
    List<String> texts = new ArrayList<>();
    JsonNode page = page("");
    assertThat(page.path("entries").size()).isBetween(1, MESSAGES);
    while (page.path("entries").size() > 0) {
      List<String> older = new ArrayList<>();
      page.path("entries").forEach(entry -> older.add(entry.path("id").asText()));
      texts.addAll(0, older);
      JsonNode next = page.path("next");
      page = next.isNull() ? Json.object() : page("&before=" + next.asText());
    }
    assertThat(texts).hasSize(2 * MESSAGES).doesNotHaveDuplicates();
  }

  /** Answers that a flood left behind may still be on their way: then one more is refused. */
  private JsonNode page(String query) {
    return Await.value(
        "a page of the log is served",
        Duration.ofSeconds(30),
        () -> {
          Answer answer = log(READER, "large", query);
          assertThat(answer.status()).as(answer.body()).isIn(200, 429, 503);
          return answer.status() == 200 ? Optional.of(answer.json()) : Optional.empty();
        });
  }

  private void othersAreServedWhile(String path) throws Exception {
    String request =
        "GET "
            + path
            + " HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer "
            + READER
            + "\r\n\r\n";
    Flood.Attack ask =
        client -> {
          if (asked.incrementAndGet() % 2 == 0) {
            client.say(request);
            statuses.add(RawClient.status(client.hear(Duration.ofSeconds(8))));
          } else {
            client.receiveLittle().say(request);
            Await.pause(Duration.ofSeconds(3));
          }
          client.reset();
        };
    List<Duration> took = new ArrayList<>();
    try (Flood _ = Flood.of(rig.setup().httpPort(), READERS, ask)) {
      long end = System.nanoTime() + ATTACK.toNanos();
      while (System.nanoTime() < end) {
        long start = System.nanoTime();
        assertThat(log(OTHER, "others", "").status()).isEqualTo(200);
        took.add(Duration.ofNanos(System.nanoTime() - start));
        assertThat(rig.server().isAlive()).isTrue();
        Await.pause(Duration.ofMillis(100));
      }
    }
    assertThat(statuses).contains(200).isSubsetOf(200, 429, 503, 0);
    assertThat(took).allMatch(each -> each.compareTo(Duration.ofSeconds(3)) < 0);
  }

  private Answer log(String token, String thread, String query) throws IOException {
    return HTTP.get(
        rig.setup().url("/api/v1/threads/" + thread + "/log?limit=1000" + query),
        Map.of("authorization", "Bearer " + token));
  }
}
