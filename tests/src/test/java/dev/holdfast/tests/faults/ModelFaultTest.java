package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.RecordedModelRequest;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows F30 to F33: what a model provider may do to a request. */
@Timeout(90)
class ModelFaultTest {
  private static final Duration SOON = Duration.ofSeconds(45);

  @RegisterExtension static final Served SERVED = Served.aloneWithModel(ModelFaultTest::hurryAll);

  private final ServerRig rig = SERVED.rig();
  private final FakeModel model = SERVED.model();
  private final String id = SERVED.thread();

  @Test
  void retryAfterOfA429IsObeyed() {
    obeysRetryAfter(rig, model, id);
  }

  /** Row F30: 429 with Retry-After; nobody asks again before its time. */
  private static void obeysRetryAfter(ServerRig rig, FakeModel model, String id) {
    int before = model.requests().size();
    model.next(
        ModelScript.status(
            429, Map.of("retry-after", "2"), "rate_limit_error", "slow down, please"));
    assertThat(rig.converse(id, id, "hello").text()).contains("answer to hello");
    List<RecordedModelRequest> asked = model.requests().stream().skip(before).toList();
    assertThat(asked).hasSize(2);
    assertThat(Duration.ofNanos(asked.get(1).atNanos() - asked.get(0).atNanos()))
        .isBetween(Duration.ofMillis(1_950), Duration.ofSeconds(8));
  }

  static Stream<Arguments> passingFaults() {
    Map<String, String> none = Map.of();
    return Stream.of(
        Arguments.of("500", ModelScript.status(500, none, "server_error", "boom")),
        Arguments.of("503", ModelScript.unavailable()),
        Arguments.of("429 without a wait", ModelScript.status(429, none, "rate_limit_error", "x")),
        Arguments.of(
            "429 with junk",
            ModelScript.status(429, Map.of("retry-after", "soon"), "rate_limit_error", "x")),
        Arguments.of("reset", ModelScript.reset()),
        Arguments.of("cut stream", ModelScript.cutStream()),
        Arguments.of("stalled stream", ModelScript.stallStream()),
        Arguments.of("error in the stream", ModelScript.errorInStream()),
        Arguments.of("silence", ModelScript.hang()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("passingFaults")
  void aPassingFaultIsTriedAgain(String name, ModelScript fault) {
    triesAgain(rig, model, id, fault);
  }

  /**
   * Rows F30, F31, F32: a fault that passes is tried again; partial text is never posted as an
   * answer.
   */
  private static void triesAgain(ServerRig rig, FakeModel model, String id, ModelScript fault) {
    int before = model.requests().size();
    model.next(fault);
    rig.accept(id, id, "hello");
    rig.platform().awaitText(id, "answer to hello", SOON);
    assertThat(rig.platform().posts()).noneMatch(post -> post.text().contains("PARTIAL-TEXT"));
    assertThat(model.requests()).hasSize(before + 2);
  }

  static Stream<Arguments> garbage() {
    return Stream.of(
        Arguments.of("a login page", "text/html", "<html><body>please log in</body></html>"),
        Arguments.of("half JSON", "application/json", "{\"id\":\"c1\",\"choices\":[{"),
        Arguments.of("an empty body", "application/json", ""),
        Arguments.of("half an event", "text/event-stream", "data: {\"id\":\"c1\",\"choi"),
        Arguments.of("NUL bytes", "text/event-stream", "data: \u0000\u0000\n\n"),
        Arguments.of("deep JSON", "text/event-stream", "data: " + "[".repeat(100_000) + "\n\n"));
  }

  /**
   * Row F33: nonsense from the provider ends in one short honest sentence, and the server lives.
   */
  @ParameterizedTest(name = "{0}")
  @MethodSource("garbage")
  void garbageIsSpokenOfAndNotPosted(String name, String type, String body) {
    model.always(ModelScript.garbage(type, body));
    rig.accept(id, id, "hello");
    Post told = rig.platform().awaitPost(id, SOON);
    assertThat(told.text()).as(name).doesNotContain("html", "choices", "Exception", "\u0000");
    assertThat(told.text().length()).isBetween(5, 500);
    assertThat(model.requests().size()).isLessThan(12);
    model.always(ModelScript.echo());
    rig.accept(id + "-2", id + "-2", "and now?");
    rig.platform().awaitText(id + "-2", "answer to and now?", SOON);
  }

  /** Row F30: 400 is not tried again and is spoken of. */
  @Test
  void aRejectedRequestIsNotTriedAgain() {
    model.always(ModelScript.status(400, Map.of(), "invalid_request_error", "no such field"));
    Post told = rig.converse(id, id, "hello");
    assertThat(told.text()).doesNotContain("Exception");
    rig.api().awaitState(id, Set.of("dead_lettered"), SOON);
    assertThat(model.requests()).hasSize(1);
  }

  /** Row F30: a refused key parks the event, alarms, and is not hammered. */
  @Test
  void aRefusedKeyParksTheEvent() throws Exception {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      hurry(rig);
      rig.setup().set("models.providers.openai.api_key", "sk-wrong-key-000");
      rig.start();
      rig.accept("e1", "t", "hello");
      rig.platform().awaitPost("e1", SOON);
      rig.api().awaitState("e1", Set.of("parked"), SOON);
      Await.throughout("few requests", Duration.ofSeconds(3), () -> model.requests().size() <= 3);
      assertThat(rig.platform().posts()).hasSize(1);
      assertThat(rig.server().isReady()).as("degraded, not down").isTrue();
      assertThat(rig.server().output()).doesNotContain("sk-wrong-key-000");
    }
  }

  @Test
  void anHonestProviderIsUnderstood() throws Exception {
    understands(rig, model, id);
  }

  /** The wire shape itself, without a fault. */
  private static void understands(ServerRig rig, FakeModel model, String id) throws IOException {
    int before = model.requests().size();
    assertThat(rig.converse(id, id, "hello").text()).isEqualTo("answer to hello");
    assertThat(rig.converse(id + "-2", id, "again").text()).isEqualTo("answer to again");
    assertThat(model.requests()).hasSize(before + 2);
    assertThat(rig.api().event(id).path("model_calls").path(0).path("input_tokens").asInt())
        .isEqualTo(11);
  }

  @Test
  void theSameInTheShapeOfAnthropic() throws Exception {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asAnthropic(rig.setup())) {
      hurry(rig);
      rig.start();
      understands(rig, model, "honest");
      obeysRetryAfter(rig, model, "429");
      triesAgain(
          rig, model, "529", ModelScript.status(529, Map.of(), "overloaded_error", "Overloaded"));
    }
  }

  /** Where the machine is busy an honest answer may come after its limit, and opens the breaker. */
  private static void hurryAll(ServerRig rig) {
    hurry(rig);
    rig.setup().set("breakers.default.initial_backoff_ms", 200);
  }

  private static void hurry(ServerRig rig) {
    rig.setup().set("models.timeouts.first_token_secs", 2);
    rig.setup().set("models.timeouts.idle_secs", 2);
    rig.setup().set("models.retry.server_error.initial_backoff_ms", 200);
    rig.setup().set("models.retry.rate_limit.initial_backoff_ms", 200);
    rig.setup().set("models.retry.budget_percent", 1000); // so many faults a minute are no outage
  }
}
