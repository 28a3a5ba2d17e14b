package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.config.Secret;
import dev.holdfast.registry.Refusal;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.resilience.BreakerView;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.FlowKey;
import dev.holdfast.resilience.GuardConfig;
import dev.holdfast.resilience.GuardMemory;
import dev.holdfast.resilience.Guards;
import dev.holdfast.resilience.GuardsConfig;
import dev.holdfast.time.ManualTime;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ModelsTest {
  private static final ModelQuestion QUESTION =
      new ModelQuestion("", List.of(new Message.User("hi")), List.of());

  private static final Asker ASKER = new Asker("t", FlowKey.NONE, false);
  private static final Asker PROBE = new Asker("t", FlowKey.NONE, true);

  private final Vertx vertx = Vertx.vertx();
  private final ManualTime time = new ManualTime();
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Guards guards =
      Guards.create(GuardsConfig.defaults(), GuardMemory.none(), time, registry, vertx, () -> 0.5);
  private final Fake anthropic = new Fake("anthropic", 200_000);
  private final Fake openai = new Fake("openai", 100_000);
  private final Fake ollama = new Fake("ollama", 100_000);
  private final Heard heard = new Heard();

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private Models models(Map<String, List<String>> levels) {
    Map<String, ProviderConfig> providers = new LinkedHashMap<>();
    for (String name : List.of("anthropic", "openai")) {
      providers.put(name, new ProviderConfig(new Secret("k"), "", false, 4));
    }
    ModelsConfig config =
        new ModelsConfig(
            new Levels(levels, "operational"),
            Set.of(),
            Duration.ofSeconds(15),
            GuardConfig.DEFAULT,
            new ModelTimeouts(
                Duration.ofSeconds(5),
                Duration.ofMinutes(1),
                Duration.ofSeconds(30),
                Duration.ofMinutes(10)),
            BudgetConfig.NONE,
            providers,
            Set.of("acme"));
    return Models.create(config, List.of(anthropic, openai), guards, time, registry);
  }

  /** A remote model, and a local one of a level that the default one does not fall back to. */
  private Models remoteAndLocal() {
    ModelsConfig config =
        new ModelsConfig(
            new Levels(
                Map.of(
                    "operational",
                    List.of("anthropic/claude-sonnet-5"),
                    "tactical",
                    List.of("ollama/llama3.2")),
                "operational"),
            Set.of("tactical"),
            Duration.ofSeconds(15),
            GuardConfig.DEFAULT,
            new ModelTimeouts(
                Duration.ofSeconds(5),
                Duration.ofMinutes(1),
                Duration.ofSeconds(30),
                Duration.ofMinutes(10)),
            BudgetConfig.NONE,
            Map.of(
                "anthropic",
                new ProviderConfig(new Secret("k"), "", false, 4),
                "ollama",
                new ProviderConfig(new Secret(""), "http://127.0.0.1:1", true, 4)),
            Set.of());
    return Models.create(config, List.of(anthropic, ollama), guards, time, registry);
  }

  @Test
  void whereRemoteModelsAreSparedALocalOneTakesOverAfterOneTry() throws Exception {
    anthropic.fails(FailureCode.OVERLOADED);
    ollama.says("hello");
    Models models = remoteAndLocal();
    Asker sparing = new Asker("t", FlowKey.NONE, false, RemoteUse.SPARING);
    assertThat(models.ask("operational", QUESTION, sparing, heard).model())
        .isEqualTo("ollama/llama3.2");
    assertThat(anthropic.asked).hasSize(1);
    assertThat(time.sleeps()).isEmpty();
  }

  @Test
  void whereRemoteModelsAreNotUsedOnlyLocalOnesAreAsked() throws Exception {
    ollama.says("hello").fails(FailureCode.INVALID_REQUEST);
    Models models = remoteAndLocal();
    Asker none = new Asker("t", FlowKey.NONE, false, RemoteUse.NONE);
    assertThat(models.ask("operational", QUESTION, none, heard).model())
        .isEqualTo("ollama/llama3.2");
    assertThat(anthropic.asked).isEmpty();
    assertThat(models.hasLocal()).isTrue();
    assertThat(models.remoteGuards()).containsExactly("llm:anthropic");
  }

  @Test
  void withoutALocalModelRemoteOnesAreNotSpared() throws Exception {
    anthropic.fails(FailureCode.OVERLOADED).says("hello");
    Models models = both();
    Asker sparing = new Asker("t", FlowKey.NONE, false, RemoteUse.SPARING);
    assertThat(models.ask("operational", QUESTION, sparing, heard).model())
        .isEqualTo("anthropic/claude-sonnet-5");
    assertThat(anthropic.asked).hasSize(2);
    assertThat(models.hasLocal()).isFalse();
    assertThat(models.remoteGuards()).containsExactlyInAnyOrder("llm:anthropic", "llm:openai");
  }

  private Models both() {
    return models(
        Map.of(
            "strategic",
            List.of("anthropic/claude-opus-5"),
            "operational",
            List.of("anthropic/claude-sonnet-5", "openai/gpt-5.4")));
  }

  @Test
  void theFirstModelOfTheLevelAnswers() throws Exception {
    anthropic.says("hello");
    Models.Answered answered = both().ask("operational", QUESTION, ASKER, heard);
    assertThat(answered.answer().message().text()).isEqualTo("hello");
    assertThat(answered.model()).isEqualTo("anthropic/claude-sonnet-5");
    assertThat(heard.events).containsExactly("text hello", "call anthropic/claude-sonnet-5 ok");
    assertThat(heard.calls.getFirst().costUsd()).isEqualTo((10 * 2 + 5 * 10) / 1e6);
  }

  @Test
  void aPassingFailureIsTriedAgainAndTextThatCameToNothingIsTakenBack() throws Exception {
    anthropic.breaksAfter("hel", FailureCode.NETWORK).says("hello");
    both().ask("operational", QUESTION, ASKER, heard);
    assertThat(heard.events)
        .containsExactly(
            "text hel",
            "call anthropic/claude-sonnet-5 network",
            "restart",
            "text hello",
            "call anthropic/claude-sonnet-5 ok");
    assertThat(time.sleeps()).hasSize(1);
  }

  @Test
  void aProviderThatNeedsAnOperatorIsKnownUntilItAnswers() throws Exception {
    Models models = both();
    anthropic.fails(FailureCode.AUTH).says("here I am");
    openai.fails(FailureCode.INVALID_REQUEST).says("hello");
    assertThat(models.refusingProviders()).isEmpty();
    assertThatThrownBy(() -> models.ask("operational", QUESTION, ASKER, heard))
        .isInstanceOf(CallFailedException.class);
    assertThat(models.refusingProviders())
        .containsExactly(Map.entry("anthropic", FailureCode.AUTH));
    assertThat(registry.scrape())
        .contains("holdfast_models_refused{provider=\"anthropic\"} 1.0")
        .contains("holdfast_models_refused{provider=\"openai\"} 0.0");
    models.ask("operational", QUESTION, ASKER, heard);
    assertThat(models.refusingProviders()).isEmpty();
    assertThat(registry.scrape()).contains("holdfast_models_refused{provider=\"anthropic\"} 0.0");
  }

  @Test
  void oneThatMayComeBackByItselfCountsForMoreThanOneThatRefuses() {
    anthropic.fails(FailureCode.NETWORK).fails(FailureCode.NETWORK).fails(FailureCode.NETWORK);
    openai.fails(FailureCode.AUTH);
    ModelsAwayException away =
        catchThrowableOfType(
            ModelsAwayException.class, () -> both().ask("operational", QUESTION, ASKER, heard));
    assertThat(away.failure().code()).isEqualTo(FailureCode.NETWORK);
  }

  @Test
  void theNextModelAnswersWhenTheFirstIsAway() throws Exception {
    anthropic.fails(FailureCode.AUTH);
    openai.says("hello");
    Models.Answered answered = both().ask("operational", QUESTION, ASKER, heard);
    assertThat(answered.model()).isEqualTo("openai/gpt-5.4");
    assertThat(heard.events)
        .containsExactly(
            "call anthropic/claude-sonnet-5 auth", "text hello", "call openai/gpt-5.4 ok");
  }

  @Test
  void aHigherLevelFallsBackToTheLowerOnes() throws Exception {
    anthropic.fails(FailureCode.QUOTA).fails(FailureCode.QUOTA);
    openai.says("hello");
    assertThat(both().ask("strategic", QUESTION, ASKER, heard).model()).isEqualTo("openai/gpt-5.4");
    assertThat(anthropic.asked).containsExactly("claude-opus-5", "claude-sonnet-5");
  }

  @Test
  void allAreAwayWhenEveryOneFailedForNow() {
    for (int i = 0; i < 3; i++) {
      anthropic.fails(FailureCode.OVERLOADED);
      openai.fails(FailureCode.NETWORK);
    }
    ModelsAwayException away =
        catchThrowableOfType(
            ModelsAwayException.class, () -> both().ask("operational", QUESTION, ASKER, heard));
    assertThat(away.guards()).containsExactly("llm:anthropic", "llm:openai");
    assertThat(away.failure().code()).isEqualTo(FailureCode.NETWORK);
    assertThat(heard.calls).hasSize(6);
  }

  @Test
  void anOpenBreakerMeansAwayWithoutARequest() {
    Models models = both();
    guards.guard("llm:anthropic").breaker().trip();
    guards.guard("llm:openai").breaker().trip();
    assertThat(models.opensIn("operational")).isPositive();
    assertThat(catchThrowable(() -> models.ask("operational", QUESTION, ASKER, heard)))
        .isInstanceOf(ModelsAwayException.class);
    assertThat(heard.events).isEmpty();
  }

  private Models withPlugin() {
    return models(Map.of("operational", List.of("acme/one", "openai/gpt-5.4")));
  }

  @Test
  void aProviderIsAskedFromItsAdditionToItsRemoval() throws Exception {
    Models models = withPlugin();
    Fake acme = new Fake("acme", 1000).says("of acme");
    openai.says("before").says("after");
    assertThat(models.ask("operational", QUESTION, ASKER, heard).model()).startsWith("openai");
    assertThat(models.windowTokens("operational")).isEqualTo(100_000);
    Registration added = models.add(acme);
    assertThat(models.windowTokens("operational")).isEqualTo(1000);
    assertThat(models.ask("operational", QUESTION, ASKER, heard).model()).isEqualTo("acme/one");
    added.remove();
    assertThat(added.awaitEnd(Duration.ZERO)).isTrue();
    assertThat(models.ask("operational", QUESTION, ASKER, heard).model()).startsWith("openai");
  }

  @Test
  void withoutAnyProviderTheModelsAreAway() {
    Models models = models(Map.of("operational", List.of("acme/one")));
    assertThat(catchThrowable(() -> models.ask("operational", QUESTION, ASKER, heard)))
        .isInstanceOf(ModelsAwayException.class);
    assertThat(models.opensIn("operational")).isZero();
    assertThat(models.isLocal("operational")).isFalse();
    assertThat(models.windowTokens("operational")).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void theGuardOfARemovedProviderGoesWhenItsLastCallHasEnded() throws Exception {
    Models models = withPlugin();
    Registration[] added = new Registration[1];
    added[0] =
        models.add(
            new Fake("acme", 1000)
                .then(
                    () -> {
                      added[0].remove();
                      assertThat(added[0].awaitEnd(Duration.ZERO)).isFalse();
                      assertThat(guards.breakers()).hasSize(3);
                    })
                .says("to its end"));
    assertThat(models.ask("operational", QUESTION, ASKER, heard).model()).isEqualTo("acme/one");
    assertThat(added[0].awaitEnd(Duration.ZERO)).isTrue();
    assertThat(guards.breakers())
        .extracting(BreakerView::name)
        .containsExactly("llm:anthropic", "llm:openai");
    assertThat(registry.scrape()).doesNotContain("name=\"llm:acme\"");
  }

  /** Its first try fails; before the second one the provider is gone. */
  @Test
  void aTurnThatWaitsForAProviderThatGoesFallsToTheNextModel() throws Exception {
    Models models = withPlugin();
    Registration[] added = new Registration[1];
    Fake acme = new Fake("acme", 1000).then(() -> added[0].remove()).fails(FailureCode.OVERLOADED);
    added[0] = models.add(acme);
    openai.says("instead");
    assertThat(models.ask("operational", QUESTION, ASKER, heard).model()).startsWith("openai");
    assertThat(acme.asked).hasSize(1);
  }

  @Test
  void aProviderWithABuiltInOnesNameOrWithoutAWindowIsRefused() {
    Models models = withPlugin();
    for (String name : List.of("anthropic", "ollama", "embedded")) {
      assertThat(refusalOf(models, new Fake(name, 1000))).isInstanceOf(Refusal.NameReserved.class);
    }
    for (String name : List.of("", "Acme", "a/b", "a b", "x".repeat(100))) {
      assertThat(refusalOf(models, new Fake(name, 1000))).isInstanceOf(Refusal.Malformed.class);
    }
    assertThat(refusalOf(models, new Fake("acme", 0))).isInstanceOf(Refusal.Malformed.class);
    assertThat(guards.breakers()).hasSize(2);
  }

  private static Refusal refusalOf(Models models, ModelProvider provider) {
    return catchThrowableOfType(RegistrationRefusedException.class, () -> models.add(provider))
        .refusal();
  }

  @Test
  void aProbeTriesOnce() {
    anthropic.fails(FailureCode.OVERLOADED);
    openai.fails(FailureCode.OVERLOADED);
    assertThat(catchThrowable(() -> both().ask("operational", QUESTION, PROBE, heard)))
        .isInstanceOf(ModelsAwayException.class);
    assertThat(heard.calls).hasSize(2);
    assertThat(time.sleeps()).isEmpty();
  }

  @Test
  void oneChatThreadOnWhoseRequestsAProviderBreaksOpensNoBreaker() {
    Models models = onlyAnthropic();
    failTimes(
        models,
        new Asker("bad", FlowKey.NONE, true),
        Failure.of(FailureCode.NETWORK, "cut off"),
        20);
    failTimes(
        models,
        new Asker("bad too", FlowKey.NONE, true),
        Failure.of(FailureCode.TIMEOUT, "late"),
        20);
    assertThat(models.opensIn("operational")).isZero();
  }

  @Test
  void threeChatThreadsThatFailWithNoSuccessBetweenOpenIt() throws Exception {
    Models models = onlyAnthropic();
    Failure cut = Failure.of(FailureCode.NETWORK, "cut off");
    failTimes(models, new Asker("a", FlowKey.NONE, true), cut, 1);
    failTimes(models, new Asker("b", FlowKey.NONE, true), cut, 1);
    anthropic.says("hello");
    models.ask("operational", QUESTION, ASKER, heard);
    failTimes(models, new Asker("a", FlowKey.NONE, true), cut, 1);
    failTimes(models, new Asker("b", FlowKey.NONE, true), cut, 1);
    assertThat(models.opensIn("operational")).isZero();
    failTimes(models, new Asker("c", FlowKey.NONE, true), cut, 1);
    assertThat(models.opensIn("operational")).isPositive();
  }

  @Test
  void aProviderThatCannotBeReachedOpensItWhoeverAsks() {
    Models models = onlyAnthropic();
    Failure unsent = Failure.of(FailureCode.NETWORK, "refused").unsent();
    failTimes(models, PROBE, unsent, 4);
    assertThat(models.opensIn("operational")).isZero();
    failTimes(models, PROBE, unsent, 1);
    assertThat(models.opensIn("operational")).isPositive();
  }

  private Models onlyAnthropic() {
    return models(Map.of("operational", List.of("anthropic/claude-sonnet-5")));
  }

  private void failTimes(Models models, Asker asker, Failure failure, int times) {
    for (int i = 0; i < times; i++) {
      anthropic.fails(failure);
      assertThat(catchThrowable(() -> models.ask("operational", QUESTION, asker, heard)))
          .isInstanceOf(ModelsAwayException.class);
    }
  }

  @Test
  void whatMayBeTheCauseIsTold() {
    openai.fails(FailureCode.AUTH);
    anthropic.fails(FailureCode.TIMEOUT);
    ModelsAwayException mixed =
        catchThrowableOfType(
            ModelsAwayException.class, () -> both().ask("operational", QUESTION, PROBE, heard));
    assertThat(mixed.suspect()).isEqualTo(Suspect.REQUEST);
    guards.guard("llm:openai").breaker().trip();
    anthropic.fails(FailureCode.OVERLOADED);
    ModelsAwayException ofProvider =
        catchThrowableOfType(
            ModelsAwayException.class, () -> both().ask("operational", QUESTION, PROBE, heard));
    assertThat(ofProvider.suspect()).isEqualTo(Suspect.PROVIDER);
    guards.guard("llm:anthropic").breaker().trip();
    ModelsAwayException unasked =
        catchThrowableOfType(
            ModelsAwayException.class, () -> both().ask("operational", QUESTION, PROBE, heard));
    assertThat(unasked.suspect()).isEqualTo(Suspect.NONE);
  }

  @Test
  void aRequestThatIsWrongGoesStraightOut() {
    anthropic.fails(FailureCode.CONTEXT_OVERFLOW);
    CallFailedException failed =
        catchThrowableOfType(
            CallFailedException.class, () -> both().ask("operational", QUESTION, ASKER, heard));
    assertThat(failed).isNotInstanceOf(ModelsAwayException.class);
    assertThat(failed.failure().code()).isEqualTo(FailureCode.CONTEXT_OVERFLOW);
    assertThat(openai.asked).isEmpty();
  }

  @Test
  void aStandInThatIsTooSmallDoesNotMakeTheRequestWrong() {
    anthropic.fails(FailureCode.QUOTA);
    openai.fails(FailureCode.CONTEXT_OVERFLOW);
    Models models =
        models(Map.of("strategic", List.of("anthropic/x"), "operational", List.of("openai/y")));
    assertThat(catchThrowable(() -> models.ask("strategic", QUESTION, ASKER, heard)))
        .isInstanceOf(ModelsAwayException.class);
  }

  @Test
  void aCancelledCallIsReportedToo() {
    anthropic.interrupted();
    assertThat(catchThrowable(() -> both().ask("operational", QUESTION, ASKER, heard)))
        .isInstanceOf(InterruptedException.class);
    assertThat(heard.events).containsExactly("call anthropic/claude-sonnet-5 cancelled");
  }

  @Test
  void slownessIsToldOnceAndOnlyBeforeTheFirstToken() throws Exception {
    anthropic.takes(Duration.ofSeconds(20)).says("late");
    both().ask("operational", QUESTION, ASKER, heard);
    assertThat(heard.events)
        .containsExactly("slow", "text late", "call anthropic/claude-sonnet-5 ok");
    time.advance(Duration.ofMinutes(1));
    assertThat(heard.events).hasSize(3);

    heard.events.clear();
    anthropic.takes(Duration.ZERO).says("quick");
    both().ask("operational", QUESTION, ASKER, heard);
    time.advance(Duration.ofMinutes(1));
    assertThat(heard.events).doesNotContain("slow");
  }

  @Test
  void aModelThatThinksForLongIsNotSlow() throws Exception {
    anthropic.thinks(Duration.ofSeconds(10), Duration.ofSeconds(20)).says("thought through");
    both().ask("operational", QUESTION, ASKER, heard);
    assertThat(heard.events)
        .containsExactly("text thought through", "call anthropic/claude-sonnet-5 ok");
  }

  @Test
  void aModelThatOnlyPingsIsSlow() throws Exception {
    anthropic.pings(Duration.ofSeconds(10), Duration.ofSeconds(20)).says("at last");
    both().ask("operational", QUESTION, ASKER, heard);
    assertThat(heard.events).startsWith("slow");
  }

  /** All places of the first provider are taken; it answers those who have them. */
  @Test
  void whoeverStoodInLineHearsOfNoSlownessFromTheNextModel() throws Exception {
    Models models = both();
    CountDownLatch go = takeAllPlaces("llm:anthropic");
    openai.says("instead");
    FutureTask<Models.Answered> asked =
        new FutureTask<>(() -> models.ask("operational", QUESTION, ASKER, heard));
    Thread asker = Thread.startVirtualThread(asked);
    while (!asked.isDone()) {
      if (asker.getState() == Thread.State.WAITING) { // in line: time stands while it asks
        time.advance(Duration.ofSeconds(1));
      }
      Thread.onSpinWait();
    }
    go.countDown();
    assertThat(asked.get().model()).isEqualTo("openai/gpt-5.4");
    assertThat(heard.events).containsExactly("text instead", "call openai/gpt-5.4 ok");
  }

  @Test
  void aProviderThatHasTooMuchToDoIsNotAwayThoughTheNextOneIs() throws Exception {
    Models models = both();
    CountDownLatch go = takeAllPlaces("llm:anthropic");
    guards.guard("llm:openai").breaker().trip();
    FutureTask<Models.Answered> asked =
        new FutureTask<>(() -> models.ask("operational", QUESTION, PROBE, heard));
    Thread asker = Thread.startVirtualThread(asked);
    while (!asked.isDone()) {
      if (asker.getState() == Thread.State.WAITING) { // in line: time stands while it asks
        time.advance(Duration.ofMillis(500)); // the breaker is open for 10 s
        guards.guard("llm:openai").breaker().trip();
      }
      Thread.onSpinWait();
    }
    go.countDown();
    assertThat(asked.exceptionNow())
        .isInstanceOfSatisfying(
            ModelsAwayException.class,
            away -> {
              assertThat(away.failure().code()).isEqualTo(FailureCode.BULKHEAD_FULL);
              assertThat(away.suspect()).isEqualTo(Suspect.NONE);
            });
    assertThat(heard.events).isEmpty();
  }

  private CountDownLatch takeAllPlaces(String guard) throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(4);
    for (int i = 0; i < 4; i++) {
      Thread.startVirtualThread(
          () -> {
            try {
              guards
                  .guard(guard, GuardConfig.DEFAULT)
                  .run(
                      Deadline.in(time, Duration.ofDays(1)),
                      () -> {
                        begun.countDown();
                        go.await();
                        return "";
                      });
            } catch (CallFailedException | InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
    }
    begun.await();
    return go;
  }

  @Test
  void windowsAndNamesAreThoseOfTheLevelItself() {
    assertThat(both().windowTokens("operational")).isEqualTo(100_000);
    assertThat(both().windowTokens("strategic")).isEqualTo(200_000);
    assertThat(both().modelsOf("tactical"))
        .containsExactly("anthropic/claude-sonnet-5", "openai/gpt-5.4");
    assertThat(both().isLocal("operational")).isFalse();
  }

  @Test
  void theMetricsCarryTheDocumentedNames() throws Exception {
    anthropic.says("hello");
    both().ask("operational", QUESTION, ASKER, heard);
    assertThat(registry.scrape())
        .contains(
            "holdfast_model_calls_total{model=\"claude-sonnet-5\",outcome=\"ok\",provider=\"anthropic\"}"
                + " 1.0")
        .contains("holdfast_model_seconds_count 1")
        .contains("holdfast_model_first_token_seconds_count 1")
        .contains("holdfast_model_tokens_total{kind=\"input\"} 10.0")
        .contains("holdfast_model_cost_usd_total");
  }

  /** Answers what it was told to, one thing after the other. */
  private final class Fake implements ModelProvider {
    private interface Step {
      ModelAnswer play(ModelRequest request, ModelListener listener)
          throws CallFailedException, InterruptedException;
    }

    /** What happens before a step. */
    private interface Before {
      void run() throws InterruptedException;
    }

    private final String name;
    private final int window;
    private final Deque<Step> steps = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();
    private Duration delay = Duration.ZERO;
    private Before first = () -> {};
    private Consumer<ModelListener> early = _ -> {};

    Fake(String name, int window) {
      this.name = name;
      this.window = window;
    }

    Fake says(String text) {
      steps.add(
          (request, listener) -> {
            time.advance(delay);
            early.accept(listener);
            listener.onText(text);
            return new ModelAnswer(
                new Message.Assistant(text, List.of(), "", name + "/" + request.model()),
                StopReason.END,
                new TokenUsage(10, 5, 0, 0));
          });
      return this;
    }

    Fake takes(Duration wait) {
      delay = wait;
      return this;
    }

    Fake thinks(Duration first, Duration then) {
      return works(first, ModelListener::onWork, then);
    }

    Fake pings(Duration first, Duration then) {
      return works(first, ModelListener::onSign, then);
    }

    private Fake works(Duration first, Consumer<ModelListener> sign, Duration then) {
      early =
          listener -> {
            time.advance(first);
            sign.accept(listener);
            time.advance(then);
          };
      return this;
    }

    /** Before the next step. */
    Fake then(Before before) {
      first = before;
      return this;
    }

    Fake fails(Failure failure) {
      steps.add(
          (_, _) -> {
            throw new CallFailedException(failure);
          });
      return this;
    }

    Fake fails(FailureCode code) {
      steps.add(
          (_, _) -> {
            throw new CallFailedException(Failure.of(code, "no"));
          });
      return this;
    }

    Fake breaksAfter(String text, FailureCode code) {
      steps.add(
          (_, listener) -> {
            listener.onText(text);
            throw new CallFailedException(Failure.of(code, "no").as(FailureKind.TRANSIENT));
          });
      return this;
    }

    Fake interrupted() {
      steps.add(
          (_, _) -> {
            throw new InterruptedException();
          });
      return this;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public boolean isLocal() {
      return name.equals("ollama");
    }

    @Override
    public int windowTokens(String model) {
      return window;
    }

    @Override
    public ModelAnswer ask(ModelRequest request, ModelListener listener)
        throws CallFailedException, InterruptedException {
      asked.add(request.model());
      first.run();
      first = () -> {};
      return steps.remove().play(request, listener);
    }
  }

  private static final class Heard implements AnswerListener {
    private final List<String> events = new ArrayList<>();
    private final List<ModelCall> calls = new ArrayList<>();

    @Override
    public void onText(String delta) {
      events.add("text " + delta);
    }

    @Override
    public void onWait(Duration silentAtMost) {}

    @Override
    public void onRestart() {
      events.add("restart");
    }

    @Override
    public void onCall(ModelCall call) {
      calls.add(call);
      events.add("call " + call.provider() + "/" + call.model() + " " + call.outcome());
    }

    @Override
    public void onSlow() {
      events.add("slow");
    }
  }
}
