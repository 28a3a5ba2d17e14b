package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
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
import org.junit.jupiter.api.extension.RegisterExtension;

/** Each mode by its real cause: what runs, what people are told, and the way back. */
@Timeout(300)
class ServerModeTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String KEPT = "I have your message. An operator has paused me";
  private static final int THREADS = 8;
  private static final int KILLS = RunLength.isFull() ? 3 : 1;

  /** Half a minute lies between two modes. */
  private static final int TIME_SCALE = 5;

  @RegisterExtension
  static final Served SERVED =
      Served.aloneWithModel(rig -> rig.setup().set("threads.max_concurrent_turns", 4));

  @RegisterExtension
  static final Served QUICK =
      Served.aloneWithModel(
          rig -> {
            shorten(rig);
            Setup _ = rig.setup().timeScale(TIME_SCALE);
          });

  private final ServerRig rig = SERVED.rig();
  private final FakeModel model = SERVED.model();
  private final ModeView mode = new ModeView(rig);

  @Test
  void safeModeKeepsAllRunsNothingAndOutlivesAKill() throws Exception {
    model.always(ModelScript.after(Duration.ofMillis(300), ModelScript.echo()));
    long before = count("answered");
    IntStream.range(0, 60).forEach(number -> send(number));
    JsonNode set = mode.set("safe", "wrong answers");
    assertThat(set.path("mode").asText()).isEqualTo("safe");
    assertThat(set.path("allows").path("turns").asBoolean()).isFalse();
    IntStream.range(60, 80).forEach(number -> send(number));
    Await.until("each thread is told", LIMIT, () -> told().size() == THREADS);
    Await.until("nothing runs", LIMIT, () -> count("running") == 0);
    int asked = model.requests().size();
    long pending = count("pending");
    assertThat(pending).isGreaterThanOrEqualTo(20);

    rig.restart();
    JsonNode now = mode.now();
    assertThat(now.path("mode").asText()).isEqualTo("safe");
    assertThat(now.path("rule").asText()).isEqualTo("stopped_by_hand");
    assertThat(now.path("reason").asText()).isEqualTo("wrong answers");
    assertThat(now.path("by_hand").asBoolean()).isTrue();
    assertThat(new Http().get(rig.setup().url("/ready"), Map.of()).body())
        .contains("An operator has stopped the server.")
        .doesNotContain("wrong answers");
    IntStream.range(80, 90).forEach(number -> send(number));
    Await.throughout(
        "nothing runs",
        Duration.ofSeconds(3),
        () -> model.requests().size() == asked && count("pending") == pending + 10);
    assertThat(told()).as("nobody is told twice").hasSize(THREADS);
    mode.assertShown("safe");
    assertThat(new Http().get(rig.setup().url("/ready"), Map.of()).status()).isEqualTo(200);
    JsonNode shown = HoldfastCommand.run(rig.setup(), "mode", "--json").json();
    assertThat(shown.path("mode").asText()).isEqualTo("safe");
    assertThat(HoldfastCommand.run(rig.setup(), "mode", "nonsense").exitCode()).isEqualTo(64);

    HoldfastCommand.Result on = HoldfastCommand.run(rig.setup(), "mode", "auto");
    assertThat(on.exitCode()).as(on.err()).isZero();
    rig.api().awaitQuiet(LIMIT);
    assertThat(count("answered") - before).isEqualTo(90);
    for (int thread = 0; thread < THREADS; thread++) {
      assertThat(answers(thread)).isEqualTo(expected(thread));
    }
    assertThat(told()).hasSize(THREADS);
    assertThat(actors()).containsExactly("token:operator", "token:operator");
  }

  private void send(int number) {
    rig.accept(id("m" + number), id("t" + number % THREADS), "message " + number);
  }

  private static String id(String name) {
    return SERVED.thread() + "-" + name;
  }

  private static List<String> expected(int thread) {
    return IntStream.range(0, 90)
        .filter(number -> number % THREADS == thread)
        .mapToObj(number -> "answer to message " + number)
        .toList();
  }

  /** By reply: a kill may have one of them sent again under its id. */
  private List<String> answers(int thread) {
    Set<String> seen = new HashSet<>();
    return rig.platform().posts().stream()
        .filter(post -> post.thread().endsWith(id("t" + thread)) && !post.text().startsWith(KEPT))
        .filter(post -> seen.add(post.replyId()))
        .map(Post::text)
        .toList();
  }

  private List<String> told() {
    return rig.platform().posts().stream()
        .filter(post -> post.text().startsWith(KEPT))
        .map(Post::replyId)
        .distinct()
        .toList();
  }

  private List<String> actors() throws IOException {
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
    ServerRig rig = QUICK.rig();
    FakeModel model = QUICK.model();
    ModeView mode = new ModeView(rig);
    rig.converse(id("m0"), id("t"), "hello");
    model.refuse();
    rig.accept(id("m1"), id("t"), "are you there?");
    mode.await("minimal", "models_unavailable");
    mode.assertShown("minimal");
    rig.api().awaitState(id("m1"), Set.of("parked"), LIMIT);
    assertThat(rig.platform().shownFor(id("m1"))).hasSize(1);
    model.accept();
    rig.platform().awaitText(id("m1"), "answer to are you there?", LIMIT);
    mode.await("full", "all_well");
    assertThat(rig.platform().shownFor(id("m1"))).hasSize(2);
  }

  /** Without money, and then with breakers that are open, until one of them closes. */
  @Test
  void theLocalModelIsLeftWhereNoOtherMayOrCanBeAsked() throws Exception {
    try (ServerRig rig = new ServerRig();
        FakeModel remote = new FakeModel();
        FakeModel local = new FakeModel()) {
      ModeView mode = new ModeView(rig);
      withLocal(rig, remote, local);
      shorten(rig);
      rig.setup().set("models.budget.daily_usd", new BigDecimal("0.000001")).timeScale(TIME_SCALE);
      rig.start();
      rig.accept("m0", "t", "hello");
      rig.platform().awaitText("m0", "remote: hello", LIMIT);
      rig.accept("m1", "t", "and now?");
      rig.platform().awaitText("m1", "local: and now?", LIMIT);
      mode.await("limited_api", "budget_spent");
      mode.assertShown("limited_api");
      rig.accept("m2", "u", "still?");
      rig.platform().awaitText("m2", "local: still?", LIMIT);
      assertThat(remote.requests()).hasSize(1);
      mode.awaitIncident("limited_api", "warning");
      rig.restart();
      mode.await("limited_api", "budget_spent");
      assertThat(rig.server().stop()).isZero();
      rig.setup().set("models.budget.daily_usd", new BigDecimal("999.5"));
      rig.start();
      mode.await("full", "all_well");
      rig.accept("m3", "t", "and with more?");
      rig.platform().awaitText("m3", "remote: and with more?", LIMIT);
      mode.awaitIncidentsOver();

      remote.refuse();
      rig.accept("m4", "t", "and alone?");
      rig.platform().awaitText("m4", "local: and alone?", LIMIT);
      int[] number = {0};
      Await.until("limited", LIMIT, () -> isLimited(rig, ++number[0]));
      mode.assertShown("limited_api");
      remote.accept();
      Await.until("remote again", LIMIT, () -> answer(rig, ++number[0]).startsWith("remote"));
      mode.await("full", "all_well");
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
    ServerRig rig = QUICK.rig();
    FakeModel model = QUICK.model();
    ModeView mode = new ModeView(rig);
    model.next(ModelScript.hang());
    mode.await("full", "all_well");
    int changes = mode.now().path("changes").size();
    rig.accept(id("m0"), id("t"), "hello");
    Await.until("it runs", LIMIT, () -> !model.requests().isEmpty());
    rig.restart();
    assertThat(mode.is("recovery", "interrupted_work")).isTrue();
    mode.assertShown("recovery");
    rig.platform().awaitText(id("m0"), "answer to hello", LIMIT);
    mode.await("full", "all_well");
    assertThat(mode.now().path("changes"))
        .hasSize(changes + 2)
        .map(change -> change.path("to").asText())
        .startsWith("full", "recovery");
    assertThat(rig.server().stop()).isZero();
    rig.start();
    assertThat(mode.now().path("changes")).hasSize(changes + 2);
  }

  @Test
  void afterAKillThatInterruptedNothingTheServerIsInFullModeAtOnce() throws Exception {
    rig.converse(id("m0"), id("t"), "hello");
    mode.await("full", "all_well");
    int changes = mode.now().path("changes").size();
    for (int kills = 0; kills < KILLS; kills++) {
      rig.restart();
      assertThat(mode.now().path("mode").asText()).isEqualTo("full");
      assertThat(mode.now().path("changes")).hasSize(changes);
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

  private long count(String state) throws IOException {
    return rig.api().status().path("counts").path(state).asLong();
  }
}
