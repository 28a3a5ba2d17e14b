package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.turn.Budgets;
import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.config.ConfigFile;
import dev.holdfast.models.BudgetConfig;
import dev.holdfast.store.ledgers.Usage.Whose;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BudgetTest {
  private static final String USER_SPENT = ChatSentences.overBudget(Budgets.Scope.USER);
  private static final String THREAD_SPENT = ChatSentences.overBudget(Budgets.Scope.THREAD);

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;

  private AgentRig world(String budget) throws Exception {
    options.budget =
        ConfigFile.text("test", "budget: {" + budget + "}", Map.of())
            .make(root -> root.section("budget").read(BudgetConfig::from));
    return rigs.open();
  }

  private static ModelAnswer costing(String text, long tokens) {
    return new ModelAnswer(
        new Message.Assistant(text, List.of(), "", "embedded/echo"),
        ModelAnswer.StopReason.END,
        new TokenUsage(tokens, 0, 0, 0));
  }

  @Test
  void whoeverHasUsedUpTheirMessagesIsToldOnceAndOthersAreServed() throws Exception {
    AgentRig world = world("per_user_daily_messages: 2");
    world.answerOf(world.sendAs("amy", "t", "1", "one"));
    world.answerOf(world.sendAs("amy", "t", "2", "two"));
    Event third = world.sendAs("amy", "t", "3", "three");
    assertThat(world.answerOf(third)).isEqualTo(USER_SPENT);
    assertThat(world.stateOf(third)).isEqualTo(EventState.ANSWERED);
    Event fourth = world.sendAs("amy", "t", "4", "four");
    assertThat(world.answerOf(fourth)).isEmpty();
    assertThat(world.stateOf(fourth)).isEqualTo(EventState.SILENT);
    assertThat(world.answerOf(world.sendAs("amy", "other", "5", "five"))).isEqualTo(USER_SPENT);
    assertThat(world.answerOf(world.sendAs("bob", "t", "6", "six"))).isEqualTo("heard: six");
    assertThat(model.requests()).hasSize(3);
    assertThat(world.meters.counter("holdfast.budget.refusals", "scope", "user").count())
        .isEqualTo(3);
  }

  @Test
  void theSumsAndWhoWasToldOutliveARestart() throws Exception {
    AgentRig world = world("per_user_daily_messages: 1");
    world.answerOf(world.send("t", "1", "one"));
    assertThat(world.answerOf(world.send("t", "2", "two"))).isEqualTo(USER_SPENT);
    world = world("per_user_daily_messages: 1");
    assertThat(world.answerOf(world.send("t", "3", "three"))).isEmpty();
    assertThat(model.requests()).hasSize(1);
  }

  @Test
  void aThreadHasABudgetWhoeverWritesInIt() throws Exception {
    AgentRig world = world("per_thread_daily_messages: 1");
    assertThat(world.orchestrator.isThreadSpent("web:main:t")).isFalse();
    world.answerOf(world.sendAs("amy", "t", "1", "one"));
    assertThat(world.answerOf(world.sendAs("bob", "t", "2", "two"))).isEqualTo(THREAD_SPENT);
    assertThat(world.orchestrator.isThreadSpent("web:main:t")).isTrue();
    assertThat(world.orchestrator.isThreadSpent("web:main:u")).isFalse();
    assertThat(world.answerOf(world.sendAs("bob", "u", "3", "three"))).isEqualTo("heard: three");
  }

  @Test
  void aMessageThatAloneIsTooDearCostsNothingAndBurdensNoLaterTurn() throws Exception {
    AgentRig world = world("per_user_daily_tokens: 100000");
    Event bomb = world.send("t", "1", "x".repeat(1_000_000));
    assertThat(world.answerOf(bomb)).isEqualTo(USER_SPENT);
    assertThat(model.requests()).isEmpty();
    assertThat(world.answerOf(world.send("t", "2", "small"))).isEqualTo("heard: small");
    assertThat(model.requests().getLast().messages()).hasSize(1);
  }

  @Test
  void aTurnThatKeepsCallingToolsEndsWhenItsTokensAreSpent() throws Exception {
    options.tools = List.of(new Looking());
    for (int i = 0; i < 20; i++) {
      ToolCall call = new ToolCall("c" + i, "look", "{\"n\":" + i + "}");
      model.then(
          (_, _) ->
              new ModelAnswer(
                  new Message.Assistant("", List.of(call), "", "embedded/echo"),
                  ModelAnswer.StopReason.TOOL_CALLS,
                  new TokenUsage(1000, 0, 0, 0)));
    }
    AgentRig world = world("per_user_daily_tokens: 5000");
    Event event = world.send("t", "1", "go");
    assertThat(world.answerOf(event)).isEqualTo(USER_SPENT);
    assertThat(model.requests()).hasSize(5);
  }

  @Test
  void manyMessagesOfOnePersonStayWithinTheBudget() throws Exception {
    AgentRig world = world("per_user_daily_messages: 10");
    for (int i = 0; i < 200; i++) {
      world.send("t", "k" + i, "m" + i);
    }
    world.await(
        () -> world.store.inbox().counts().getOrDefault("silent", 0L) == 189,
        () -> "ended so far: " + world.store.inbox().counts());
    assertThat(model.requests()).hasSize(10);
    assertThat(world.store.outbox().depth()).isZero();
    assertThat(world.store.inbox().counts()).containsEntry("answered", 11L);
  }

  @Test
  void anAnswerThatWasPaidForIsSentThoughTheBudgetIsSpent() throws Exception {
    AgentRig world = world("per_user_daily_tokens: 1000");
    model.then((_, _) -> costing("dear", 5000));
    Event event = world.send("t", "1", "one");
    assertThat(world.answerOf(event)).isEqualTo("dear");
    rigs.close();
    StoreSurgery.reopen(rigs.folder(), event);
    world = world("per_user_daily_tokens: 1000");
    assertThat(world.answerOf(event)).isEqualTo("dear");
    assertThat(model.requests()).hasSize(1);
  }

  @Test
  void whatCallsCameToIsAddedUpByPersonAndThread() throws Exception {
    AgentRig world = world("per_user_daily_tokens: 100000");
    model.then((_, _) -> costing("a", 7)).then((_, _) -> costing("b", 5));
    world.answerOf(world.sendAs("amy", "t", "1", "one"));
    world.answerOf(world.sendAs("bob", "t", "2", "two"));
    var usage = world.store.usage();
    assertThat(usage.spent(Whose.PERSON, "web:main:amy", Instant.EPOCH, "").tokens()).isEqualTo(7);
    assertThat(usage.spent(Whose.THREAD, "web:main:t", Instant.EPOCH, "").tokens()).isEqualTo(12);
    assertThat(usage.spent(Whose.THREAD, "web:main:t", Instant.EPOCH, "").messages()).isEqualTo(2);
    assertThat(usage.spent(Whose.ALL, "", Instant.EPOCH, "").tokens()).isEqualTo(12);
  }

  /** A tool that always has something to look at. */
  private static final class Looking implements Tool {
    @Override
    public ToolSpec spec() {
      return new ToolSpec("look", "Looks.", "{\"type\":\"object\"}");
    }

    @Override
    public ToolResult run(String argumentsJson, ToolContext context) {
      return ToolResult.ok("more");
    }
  }
}
