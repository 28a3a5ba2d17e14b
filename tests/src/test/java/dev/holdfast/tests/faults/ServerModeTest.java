package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each mode by its real cause: what runs, what people are told, and the way back. */
@Timeout(300)
class ServerModeTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String KEPT = "I have your message. An operator has paused me";
  private static final int THREADS = 8;

  @Test
  void safeModeKeepsAllRunsNothingAndOutlivesAKill() throws Exception {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      model.always(ModelScript.after(Duration.ofMillis(300), ModelScript.echo()));
      rig.setup().set("threads.max_concurrent_turns", 4);
      rig.start();
      IntStream.range(0, 60).forEach(number -> send(rig, number));
      JsonNode set = new ModeView(rig).set("safe", "wrong answers");
      assertThat(set.path("mode").asText()).isEqualTo("safe");
      assertThat(set.path("allows").path("turns").asBoolean()).isFalse();
      IntStream.range(60, 80).forEach(number -> send(rig, number));
      Await.until("each thread is told", LIMIT, () -> told(rig).size() == THREADS);
      Await.until("nothing runs", LIMIT, () -> count(rig, "running") == 0);
      int asked = model.requests().size();
      long pending = count(rig, "pending");
      assertThat(pending).isGreaterThanOrEqualTo(20);

      rig.restart();
      JsonNode mode = new ModeView(rig).now();
      assertThat(mode.path("mode").asText()).isEqualTo("safe");
      assertThat(mode.path("rule").asText()).isEqualTo("stopped_by_hand");
      assertThat(mode.path("reason").asText()).isEqualTo("wrong answers");
      assertThat(mode.path("by_hand").asBoolean()).isTrue();
      assertThat(new Http().get(rig.setup().url("/ready"), Map.of()).body())
          .contains("An operator has stopped the server.")
          .doesNotContain("wrong answers");
      IntStream.range(80, 90).forEach(number -> send(rig, number));
      Await.throughout(
          "nothing runs",
          Duration.ofSeconds(3),
          () -> model.requests().size() == asked && count(rig, "pending") == pending + 10);
      assertThat(told(rig)).as("nobody is told twice").hasSize(THREADS);
      new ModeView(rig).assertShown("safe");
      assertThat(new Http().get(rig.setup().url("/ready"), Map.of()).status()).isEqualTo(200);
      JsonNode shown = HoldfastCommand.run(rig.setup(), "mode", "--json").json();
      assertThat(shown.path("mode").asText()).isEqualTo("safe");
      assertThat(HoldfastCommand.run(rig.setup(), "mode", "nonsense").exitCode()).isEqualTo(64);

      HoldfastCommand.Result on = HoldfastCommand.run(rig.setup(), "mode", "auto");
      assertThat(on.exitCode()).as(on.err()).isZero();
      rig.api().awaitQuiet(LIMIT);
      assertThat(count(rig, "answered")).isEqualTo(90);
      for (int thread = 0; thread < THREADS; thread++) {
        assertThat(answers(rig, "t" + thread)).isEqualTo(expected(thread));
      }
      assertThat(told(rig)).hasSize(THREADS);
      assertThat(actors(rig)).containsExactly("token:operator", "token:operator");
    }
  }

  private static void send(ServerRig rig, int number) {
    rig.accept("m" + number, "t" + number % THREADS, "message " + number);
  }

  private static List<String> expected(int thread) {
    return IntStream.range(0, 90)
        .filter(number -> number % THREADS == thread)
        .mapToObj(number -> "answer to message " + number)
        .toList();
  }

  /** By reply: a kill may have one of them sent again under its id. */
  private static List<String> answers(ServerRig rig, String thread) {
    Set<String> seen = new HashSet<>();
    return rig.platform().posts().stream()
        .filter(post -> post.thread().endsWith(thread) && !post.text().startsWith(KEPT))
        .filter(post -> seen.add(post.replyId()))
        .map(Post::text)
        .toList();
  }

  private static List<String> told(ServerRig rig) {
    return rig.platform().posts().stream()
        .filter(post -> post.text().startsWith(KEPT))
        .map(Post::replyId)
        .distinct()
        .toList();
  }

  private static List<String> actors(ServerRig rig) throws IOException {
    List<String> actors = new ArrayList<>();
    rig.api()
        .get("/api/v1/audit")
        .json()
        .path("entries")
        .forEach(
            entry -> {
              if (entry.path("what").asText().equals("operator.mode")) {
                actors.add(entry.path("actor").asText());
              }
            });
    return actors;
  }

  @Test
  void withoutAModelTheServerIsMinimalAndComesBack() throws Exception {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      shorten(rig);
      rig.start();
      rig.converse("m0", "t", "hello");
      model.refuse();
      rig.accept("m1", "t", "are you there?");
      new ModeView(rig).await("minimal", "models_unavailable");
      new ModeView(rig).assertShown("minimal");
      rig.api().awaitState("m1", Set.of("parked"), LIMIT);
      assertThat(rig.platform().shownFor("m1")).hasSize(1);
      model.accept();
      rig.platform().awaitText("m1", "answer to are you there?", LIMIT);
      new ModeView(rig).await("full", "all_well");
      assertThat(rig.platform().shownFor("m1")).hasSize(2);
    }
  }

  @Test
  void aSpentBudgetLeavesTheLocalModel() throws Exception {
    try (ServerRig rig = new ServerRig();
        FakeModel remote = new FakeModel();
        FakeModel local = new FakeModel()) {
      withLocal(rig, remote, local);
      rig.setup().set("models.budget.daily_usd", new BigDecimal("0.000001"));
      rig.start();
      rig.accept("m0", "t", "hello");
      rig.platform().awaitText("m0", "remote: hello", LIMIT);
      rig.accept("m1", "t", "and now?");
      rig.platform().awaitText("m1", "local: and now?", LIMIT);
      new ModeView(rig).await("limited_api", "budget_spent");
      new ModeView(rig).assertShown("limited_api");
      rig.accept("m2", "u", "still?");
      rig.platform().awaitText("m2", "local: still?", LIMIT);
      assertThat(remote.requests()).hasSize(1);
      new ModeView(rig).awaitIncident("limited_api", "warning");
      rig.restart();
      new ModeView(rig).await("limited_api", "budget_spent");
      assertThat(rig.server().stop()).isZero();
      rig.setup().set("models.budget.daily_usd", new BigDecimal("999.5"));
      rig.start();
      new ModeView(rig).await("full", "all_well");
      rig.accept("m3", "t", "and with more?");
      rig.platform().awaitText("m3", "remote: and with more?", LIMIT);
      new ModeView(rig).awaitIncidentsOver();
    }
  }

  @Test
  void openBreakersLeaveTheLocalModelUntilOneCloses() throws Exception {
    try (ServerRig rig = new ServerRig();
        FakeModel remote = new FakeModel();
        FakeModel local = new FakeModel()) {
      withLocal(rig, remote, local);
      shorten(rig);
      rig.start();
      remote.refuse();
      rig.accept("m0", "t", "hello");
      rig.platform().awaitText("m0", "local: hello", LIMIT);
      int[] number = {0};
      Await.until("limited", LIMIT, () -> isLimited(rig, ++number[0]));
      new ModeView(rig).assertShown("limited_api");
      remote.accept();
      Await.until("remote again", LIMIT, () -> answer(rig, ++number[0]).startsWith("remote"));
      new ModeView(rig).await("full", "all_well");
    }
  }

  private static boolean isLimited(ServerRig rig, int number) throws IOException {
    assertThat(answer(rig, number)).startsWith("local: ");
    return new ModeView(rig).now().path("rule").asText().equals("providers_open");
  }

  private static String answer(ServerRig rig, int number) {
    return rig.converse("n" + number, "t" + number, "number " + number).text();
  }

  @Test
  void afterAKillTheServerRecoversWhatItWasDoing() throws Exception {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      model.next(ModelScript.hang());
      rig.start();
      assertThat(new ModeView(rig).now().path("mode").asText()).isEqualTo("full");
      rig.accept("m0", "t", "hello");
      Await.until("it runs", LIMIT, () -> !model.requests().isEmpty());
      rig.restart();
      JsonNode mode = new ModeView(rig).now();
      assertThat(mode.path("mode").asText()).isEqualTo("recovery");
      assertThat(mode.path("rule").asText()).isEqualTo("interrupted_work");
      new ModeView(rig).assertShown("recovery");
      rig.platform().awaitText("m0", "answer to hello", LIMIT);
      new ModeView(rig).await("full", "all_well");
      assertThat(new ModeView(rig).now().path("changes"))
          .map(change -> change.path("to").asText())
          .containsExactly("full", "recovery");
      assertThat(rig.server().stop()).isZero();
      rig.start();
      assertThat(new ModeView(rig).now().path("changes")).hasSize(2);
    }
  }

  @Test
  void afterAKillThatInterruptedNothingTheServerIsInFullModeAtOnce() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.start();
      rig.converse("m0", "t", "hello");
      for (int kills = 0; kills < 3; kills++) {
        rig.restart();
        JsonNode mode = new ModeView(rig).now();
        assertThat(mode.path("mode").asText()).isEqualTo("full");
        assertThat(mode.path("changes")).hasSize(0);
      }
    }
  }

  private static void withLocal(ServerRig rig, FakeModel remote, FakeModel local) {
    remote.asOpenAi(rig.setup()).always(ModelScript.answer(text -> "remote: " + text));
    local.asAnthropic(rig.setup()).always(ModelScript.answer(text -> "local: " + text));
    rig.setup().set("models.providers.anthropic.local", true);
    rig.setup()
        .set("models.levels.operational", List.of("openai/gpt-5.4", "anthropic/claude-test"));
  }

  private static void shorten(ServerRig rig) {
    rig.setup()
        .set("breakers.default.initial_backoff_ms", 1_000)
        .set("breakers.default.max_backoff_ms", 2_000)
        .set("models.retry.server_error.initial_backoff_ms", 200);
  }

  private static long count(ServerRig rig, String state) throws IOException {
    return rig.api().status().path("counts").path(state).asLong();
  }
}
