package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.turn.ApprovalPrompts;
import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.agents.turn.ThreadsConfig.WhileBusy;
import dev.holdfast.api.Message;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Risk;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.bus.News;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tools.ToolsConfig.Autonomy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ToolTurnTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;
  private final List<String> runs = Collections.synchronizedList(new ArrayList<>());
  private Body body = (name, _) -> ToolResult.ok(name + " done");

  /** What a tool does. */
  private interface Body {
    ToolResult run(String name, ToolContext context) throws InterruptedException;
  }

  @Test
  void aToolsResultReachesTheModelAndTheTurnGoesOn() throws Exception {
    model.calls(call("c1", "read")).says("it said so");
    AgentRig world = world();
    assertThat(world.answerOf(world.send("t", "k1", "look"))).isEqualTo("it said so");
    assertThat(lastResults())
        .containsExactly(new Message.ToolResult("c1", "read", "read done", false));
  }

  @Test
  void callsThatOnlyReadRunTogetherAndTheirResultsKeepTheOrder() throws Exception {
    CountDownLatch both = new CountDownLatch(2);
    body =
        (name, context) -> {
          both.countDown();
          both.await(); // neither ends before the other has begun
          return ToolResult.ok(context.callId());
        };
    model.calls(call("c1", "read"), call("c2", "read")).says("done");
    AgentRig world = world();
    world.answerOf(world.send("t", "k1", "look"));
    assertThat(lastResults()).extracting(Message.ToolResult::text).containsExactly("c1", "c2");
  }

  @Test
  void whatAToolTellsWhileItRunsShowsNoSecret() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    body =
        (_, context) -> {
          context.progress().doing("logs in with s3cret-of-mine");
          told.countDown();
          go.await();
          return ToolResult.ok("done");
        };
    model.calls(call("c1", "read")).says("done");
    AgentRig world = world();
    world.secrets.add("s3cret-of-mine");
    List<String> news = Collections.synchronizedList(new ArrayList<>());
    try (News.Watch _ = world.news.watch(item -> news.add(item.json()), () -> {})) {
      Event event = world.send("t", "k1", "look");
      told.await();
      assertThat(world.orchestrator.find("web:main:t").orElseThrow().doing())
          .isEqualTo("logs in with ***");
      go.countDown();
      world.answerOf(event);
      world.await(() -> news.toString().contains("logs in with"), news::toString);
      assertThat(news.toString()).contains("logs in with ***").doesNotContain("s3cret-of-mine");
    }
  }

  @Test
  void anUnknownToolIsAResultThatTheModelSees() throws Exception {
    model.calls(call("c1", "nope")).says("sorry");
    AgentRig world = world();
    assertThat(world.answerOf(world.send("t", "k1", "x"))).isEqualTo("sorry");
    assertThat(lastResults().getFirst().isError()).isTrue();
  }

  @Test
  void theSameCallAgainAndAgainEndsTheTurnHonestly() throws Exception {
    for (int i = 0; i < 9; i++) {
      model.calls(call("c" + i, "read"));
    }
    AgentRig world = world();
    Event event = world.send("t", "k1", "x");
    assertThat(world.answerOf(event)).isEqualTo(ChatSentences.IN_CIRCLES);
    assertThat(runs).hasSize(4);
    assertThat(lastResults().getLast().text()).contains("4 times in a row");
  }

  @Test
  void tooManyRoundsEndTheTurnHonestly() throws Exception {
    for (int i = 0; i < 40; i++) {
      model.calls(new ToolCall("c" + i, "read", "{\"n\":" + i + "}"));
    }
    AgentRig world = world();
    assertThat(world.answerOf(world.send("t", "k1", "x"))).isEqualTo(ChatSentences.ROUNDS_SPENT);
    assertThat(model.requests()).hasSize(25);
  }

  @Test
  void stopFreesATurnInItsTool() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    body =
        (_, _) -> {
          begun.countDown();
          new CountDownLatch(1).await();
          return ToolResult.ok("never");
        };
    model.calls(call("c1", "unsafe"));
    AgentRig world = world();
    Event event = world.send("t", "k1", "x");
    begun.await();
    world.answerOf(world.send("t", "k2", "/stop"));
    world.awaitState(event, EventState.CANCELLED);
    assertThat(world.answerOf(world.send("t", "k3", "next"))).isEqualTo("heard: next");
    assertThat(runs).containsExactly("unsafe"); // the fenced-off call was not taken up again
  }

  @Test
  void afterACrashAnUnsafeCallIsNotRunAgainAndARepeatableOneIs() throws Exception {
    for (String tool : List.of("unsafe", "keyed", "read")) {
      cutOffInTool(tool);
      model.says("after the crash");
      body = (name, context) -> ToolResult.ok(name + " with " + context.key());
      AgentRig world = world();
      Event event = world.store.inbox().findByDedupeKey(tool).getFirst();
      assertThat(world.answerOf(event)).isEqualTo("after the crash");
      Message.ToolResult result = lastResults().getFirst();
      if (tool.equals("unsafe")) {
        assertThat(runs).containsExactly("unsafe");
        assertThat(result.text()).contains("outcome unknown");
      } else {
        assertThat(runs).containsExactly(tool, tool);
        assertThat(result.text()).isEqualTo(tool + " with " + event.id() + ".1.1");
      }
      rigs.close();
      runs.clear();
    }
  }

  @Test
  void afterACrashACallOfAToolThatIsGoneIsAResultThatTheModelSees() throws Exception {
    for (String tool : List.of("read", "keyed")) {
      cutOffInTool(tool);
      model.says("then without it");
      AgentRig world = rigs.open(model, new AgentRig.Options());
      Event event = world.store.inbox().findByDedupeKey(tool).getFirst();
      assertThat(world.answerOf(event)).isEqualTo("then without it");
      assertThat(lastResults().getFirst().isError()).isTrue();
      assertThat(lastResults().getFirst().text())
          .contains(tool.equals("read") ? "no longer available" : "outcome unknown");
      rigs.close();
    }
  }

  @Test
  void steeringJoinsAfterTheCurrentTool() throws Exception {
    options.whileBusy = WhileBusy.STEER;
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    body =
        (_, _) -> {
          begun.countDown();
          go.await();
          return ToolResult.ok("done");
        };
    model.calls(call("c1", "unsafe")).says("both");
    AgentRig world = world();
    Event first = world.send("t", "k1", "one");
    begun.await();
    Event second = world.send("t", "k2", "and also two");
    world.await(
        () -> world.orchestrator.find("web:main:t").orElseThrow().waiting() == 1,
        () -> "not waiting");
    go.countDown();
    assertThat(world.answerOf(second)).isEqualTo("both");
    assertThat(world.answerOf(first)).isEmpty();
    assertThat(model.heard()).contains(new Message.User("and also two"));
  }

  /** What has joined is open too, and begins no turn of its own. */
  @Test
  void afterACrashATurnThatOthersHaveJoinedGoesOn() throws Exception {
    options.whileBusy = WhileBusy.STEER;
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(2);
    body =
        (_, _) -> {
          begun.countDown();
          second.countDown();
          (second.getCount() == 0 ? new CountDownLatch(1) : go).await();
          return ToolResult.ok("done");
        };
    model.calls(call("c1", "unsafe")).calls(call("c2", "unsafe"));
    AgentRig world = world();
    Event first = world.send("t", "k1", "one");
    begun.await();
    Event joined = world.send("t", "k2", "and also two");
    world.await(
        () -> world.orchestrator.find("web:main:t").orElseThrow().waiting() == 1,
        () -> "not waiting");
    go.countDown();
    second.await();
    rigs.close();
    model.says("both");
    AgentRig restarted = world();
    restarted.awaitState(joined, EventState.ANSWERED);
    restarted.awaitState(first, EventState.ANSWERED);
    assertThat(runs).containsExactly("unsafe", "unsafe");
    assertThat(model.requests().get(2).messages().getLast())
        .isInstanceOfSatisfying(
            Message.ToolResult.class,
            result -> assertThat(result.text()).contains("outcome unknown"));
  }

  @Test
  void aSupervisedCallWaitsForTheYesOfItsPersonAcrossARestart() throws Exception {
    options.autonomy = Autonomy.SUPERVISED;
    model.calls(call("c1", "unsafe")).says("finished");
    AgentRig world = world();
    Event event = world.send("t", "k1", "do it");
    world.awaitState(event, EventState.PARKED);
    assertThat(runs).isEmpty();
    rigs.close();
    world = world();
    String code =
        world
            .store
            .approvals()
            .list(ThreadReader.OPERATOR, Optional.of(Approval.State.WAITING), "", 10)
            .getFirst()
            .code();
    assertThat(world.answerOf(world.sendAs("somebody else", "t", "k2", "/approve " + code)))
        .contains("Only the person");
    assertThat(world.answerOf(world.send("t", "k3", "/approve WRONG")))
        .contains("Nothing is waiting");
    assertThat(
            world.answerOf(
                world.send("t", "k4", "/approve " + code.toLowerCase(java.util.Locale.ROOT))))
        .isEqualTo("Approved.");
    assertThat(world.answerOf(event)).endsWith("finished");
    assertThat(runs).containsExactly("unsafe");
    assertThat(world.store.approvals().list(ThreadReader.OPERATOR, Optional.empty(), "", 10))
        .extracting(Approval::state)
        .containsExactly(Approval.State.USED);
  }

  @Test
  void aRefusedCallNeverRuns() throws Exception {
    options.autonomy = Autonomy.SUPERVISED;
    model.calls(call("c1", "unsafe")).says("as you wish");
    AgentRig world = world();
    Event event = world.send("t", "k1", "do it");
    world.awaitState(event, EventState.PARKED);
    world.answerOf(
        world.send(
            "t",
            "k2",
            "/deny "
                + world
                    .store
                    .approvals()
                    .list(ThreadReader.OPERATOR, Optional.of(Approval.State.WAITING), "", 10)
                    .getFirst()
                    .code()));
    assertThat(world.answerOf(event)).endsWith("as you wish");
    assertThat(runs).isEmpty();
  }

  @Test
  void askingAnsweringAndUsingAYesStandInTheAudit() throws Exception {
    options.autonomy = Autonomy.SUPERVISED;
    model.calls(call("c1", "unsafe")).says("finished");
    AgentRig world = world();
    Event event = world.send("t", "k1", "do it");
    world.awaitState(event, EventState.PARKED);
    Approval asked =
        world.store.approvals().list(ThreadReader.OPERATOR, Optional.empty(), "", 10).getFirst();
    assertThat(asked.arguments()).isEqualTo("{}");
    world.answerOf(world.send("t", "k2", "/approve " + asked.code()));
    assertThat(world.answerOf(event)).endsWith("finished");
    assertThat(world.store.audit().ofExecution(asked.key()))
        .extracting(row -> row.entry().what() + " by " + row.entry().actor())
        .containsExactly(
            "approval.asked by tool:unsafe",
            "approval.granted by person:me",
            "approval.used by server");
    assertThat(world.store.approvals().decide(asked.id(), true, "token:x", java.time.Instant.EPOCH))
        .as("an approval counts once")
        .isFalse();
  }

  @Test
  void aStoppedTurnAsksNobodyAnyMore() throws Exception {
    options.autonomy = Autonomy.SUPERVISED;
    model.calls(call("c1", "unsafe")).says("finished");
    AgentRig world = world();
    Event event = world.send("t", "k1", "do it");
    world.awaitState(event, EventState.PARKED);
    String code =
        world
            .store
            .approvals()
            .list(ThreadReader.OPERATOR, Optional.empty(), "", 10)
            .getFirst()
            .code();
    world.answerOf(world.send("t", "k2", "/stop"));
    world.awaitState(event, EventState.CANCELLED);
    assertThat(world.answerOf(world.send("t", "k3", "/approve " + code)))
        .contains("Nothing is waiting");
    assertThat(world.store.audit().list(ThreadReader.OPERATOR, 0, 1).getFirst().entry().what())
        .isEqualTo("approval.withdrawn");
    assertThat(runs).isEmpty();
  }

  @Test
  void whatIsAskedShowsSignsThatCannotBeSeen() {
    assertThat(ApprovalPrompts.visible("{\"c\": \"a\u202eb\u0000\n\"}"))
        .isEqualTo("{\"c\": \"a\\u202eb\\u0000\n\"}");
  }

  @Test
  void aRiskyCallIsAskedForAlsoWhereItCouldRunAgain() throws Exception {
    options.autonomy = Autonomy.SUPERVISED;
    model.calls(call("c1", "read"), call("c2", "risky")).says("as you wish");
    AgentRig world = world();
    Event event = world.send("t", "k1", "do it");
    world.awaitState(event, EventState.PARKED);
    assertThat(runs).containsExactly("read");
    world.answerOf(
        world.send(
            "t",
            "k2",
            "/deny "
                + world
                    .store
                    .approvals()
                    .list(ThreadReader.OPERATOR, Optional.empty(), "", 10)
                    .getFirst()
                    .code()));
    assertThat(world.answerOf(event)).endsWith("as you wish");
    assertThat(runs).containsExactly("read");
  }

  @Test
  void aFullContextIsSummarisedAndTheNewestPartKept() throws Exception {
    options.keepRecentTokens = 300;
    model.window(4000);
    model.then((_, _) -> ScriptedProvider.text("x".repeat(9000))).says("THE SUMMARY").says("short");
    AgentRig world = world();
    world.answerOf(world.send("t", "k1", "one"));
    assertThat(world.answerOf(world.send("t", "k2", "two"))).isEqualTo("short");
    List<Message> seen = model.heard();
    assertThat(seen).hasSizeLessThanOrEqualTo(3);
    assertThat(((Message.User) seen.getFirst()).text()).contains("THE SUMMARY");
    assertThat(seen.getLast()).isEqualTo(new Message.User("two"));
  }

  /** A server that went down while the tool ran: the start is on disk, the result is not. */
  private void cutOffInTool(String tool) throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    body =
        (_, _) -> {
          begun.countDown();
          new CountDownLatch(1).await();
          return ToolResult.ok("never");
        };
    model.calls(call("c1", tool));
    AgentRig world = world();
    world.send("t" + tool, tool, "x");
    begun.await();
    rigs.close();
  }

  private List<Message.ToolResult> lastResults() {
    return model.requests().getLast().messages().stream()
        .filter(Message.ToolResult.class::isInstance)
        .map(Message.ToolResult.class::cast)
        .toList();
  }

  private static ToolCall call(String id, String tool) {
    return new ToolCall(id, tool, "{}");
  }

  private AgentRig world() throws Exception {
    options.tools =
        List.of(
            tool("read", ReplayClass.READ),
            tool("keyed", ReplayClass.KEYED),
            tool("unsafe", ReplayClass.UNSAFE),
            tool("risky", ReplayClass.READ, Risk.HIGH));
    return rigs.open();
  }

  private Tool tool(String name, ReplayClass replay) {
    return tool(name, replay, Risk.LOW);
  }

  private Tool tool(String name, ReplayClass replay, Risk risk) {
    return new Tool() {
      @Override
      public ToolSpec spec() {
        return new ToolSpec(name, "for tests", "{\"type\":\"object\"}");
      }

      @Override
      public ReplayClass replay() {
        return replay;
      }

      @Override
      public Risk risk() {
        return risk;
      }

      @Override
      public ToolResult run(String arguments, ToolContext context) throws InterruptedException {
        runs.add(name);
        return body.run(name, context);
      }
    };
  }
}
