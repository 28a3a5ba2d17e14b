package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Wake-ups and memory through the real jar, killed around the moments that matter. */
@Timeout(240)
class WakeupTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int KILLS = RunLength.isFull() ? 6 : 3;

  @RegisterExtension
  static final Served SERVED =
      Served.alone(rig -> rig.setup().set("tools.schedule.min_period_secs", 1));

  private final ServerRig rig = SERVED.rig();
  private final String thread = SERVED.thread();

  @Test
  void eachDueTimeIsOneEventHoweverOftenTheServerIsKilledAroundIt() throws Exception {
    JsonNode first = counts();
    String id = set("a", Map.of("every", "1s", "text", "again"));
    Random random = new Random(7);
    for (int round = 0; round < KILLS; round++) {
      int before = wakeups().size();
      Await.until("it goes on after a kill", LIMIT, () -> wakeups().size() > before);
      Await.pause(Duration.ofMillis(random.nextInt(1200)));
      rig.restart();
    }
    assertThat(rig.api().delete("/api/v1/schedules/" + id).status()).isEqualTo(200);
    rig.api().awaitQuiet(LIMIT);
    List<String> firings = firings();
    assertThat(firings).doesNotHaveDuplicates().hasSizeGreaterThan(KILLS);
    for (String count : List.of("accepted", "answered")) {
      assertThat(counts().path(count).asInt() - first.path(count).asInt())
          .as(count)
          .isEqualTo(firings.size() + 1);
    }
    assertThat(wakeups()).allSatisfy(post -> assertThat(post.inReplyTo()).isEmpty());
  }

  @Test
  void oneThatWasMissedIsMadeUpForOnceAndAnOperatorCanCancelIt() throws Exception {
    String id = set("a", Map.of("every", "1s", "text", "again"));
    Await.until("its first answer", LIMIT, () -> !wakeups().isEmpty());
    rig.server().kill9();
    Await.pause(Duration.ofSeconds(4)); // three of its times
    int before = wakeups().size();
    rig.start();
    Await.until("it goes on", LIMIT, () -> wakeups().size() > before);
    JsonNode listed = rig.api().get("/api/v1/schedules?thread=webhook:ci:" + thread).json();
    assertThat(listed.path("schedules").path(0).path("id").asText()).isEqualTo(id);
    Answer cancelled = rig.api().delete("/api/v1/schedules/" + id);
    assertThat(cancelled.json().path("cancelled").asBoolean()).isTrue();
    assertThat(rig.api().get("/api/v1/schedules").json().path("schedules")).isEmpty();
    rig.api().awaitQuiet(LIMIT);
    assertThat(firings()).doesNotHaveDuplicates();
    int now = wakeups().size();
    String other = set("b", Map.of("every", "1s", "text", "another"));
    Await.until("another one", LIMIT, () -> wakeups().size() > now);
    assertThat(wakeups().stream().skip(now))
        .allSatisfy(post -> assertThat(post.text()).endsWith("another"));
    assertThat(rig.api().delete("/api/v1/schedules/" + other).status()).isEqualTo(200);
  }

  @Test
  void whatIsRememberedOutlivesAKillAndIsAudited() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.setup()
          .set("models.budget.per_user_daily_messages", 3)
          .set("models.budget.per_thread_daily_messages", 100);
      rig.start();
      call(rig, "m1", "remember", Map.of("text", "Amy drinks tea"));
      rig.restart();
      assertThat(call(rig, "m2", "recall", Map.of())).contains("Amy drinks tea");
      assertThat(call(rig, "m3", "history", Map.of("query", "remember")))
          .contains("!tool remember");
      Post refused = rig.converse("m4", thread, "one more");
      assertThat(refused.text()).contains("reached your limit for today");
      JsonNode budget = rig.api().get("/api/v1/usage").json().path("budget");
      assertThat(budget.path("per_user_daily_messages").asInt()).isEqualTo(3);
      assertThat(budget.path("today_usd").isNumber()).isTrue();
      try (Stream<Path> files = Files.walk(rig.setup().dataDir().resolve("threads"))) {
        Path memory = files.filter(file -> file.endsWith("MEMORY.md")).findFirst().orElseThrow();
        assertThat(Files.readString(memory)).contains(": Amy drinks tea <!-- by ");
      }
    }
  }

  @Test
  void noSenderCanMakeAnEventThatPassesForAWakeup() throws Exception {
    String id = set("a", Map.of("every", "60s", "text", "again"));
    String key = "holdfast:wakeup:" + id + ":2026-01-01T00:00:00Z";
    assertThat(rig.sender().send(key, thread, "hi").status()).isEqualTo(400);
    Answer posted =
        rig.api()
            .post(
                "/api/v1/threads/" + thread + "/messages",
                Json.of(Map.of("text", "hi", "dedupe_key", key)));
    assertThat(posted.status()).isEqualTo(400);
    assertThat(posted.body()).contains("must not begin with holdfast:");
    assertThat(rig.api().delete("/api/v1/schedules/" + id).status()).isEqualTo(200);
  }

  private JsonNode counts() throws IOException {
    return rig.api().status().path("counts");
  }

  private String set(String id, Map<String, String> what) throws IOException {
    Map<String, String> arguments = new HashMap<>(what);
    arguments.put("action", "add");
    String answer = call(rig, thread + id, "schedule", arguments);
    assertThat(answer).startsWith("echo: Wake-up ");
    return answer.substring("echo: Wake-up ".length()).split(",", 2)[0];
  }

  private String call(ServerRig rig, String id, String tool, Map<String, String> arguments) {
    return rig.converse(id, thread, "!tool " + tool + " " + Json.write(Json.of(arguments))).text();
  }

  /** The answers to wake-ups, one post each. */
  private List<Post> wakeups() {
    return rig.platform().posts().stream()
        .filter(post -> post.thread().endsWith(thread))
        .filter(post -> post.text().startsWith("echo: [wake-up"))
        .toList();
  }

  /** The wake-ups that the thread's log has; each text names its due time. */
  private List<String> firings() throws IOException {
    String log = "/api/v1/threads/webhook:ci:" + thread + "/log?limit=1000";
    return rig.api()
        .get(log)
        .json()
        .path("entries")
        .valueStream()
        .filter(entry -> entry.path("sender").asText().startsWith("schedule:"))
        .map(entry -> entry.path("text").asText().replace(", late", ""))
        .toList();
  }
}
