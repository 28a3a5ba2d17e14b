package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.agents.turn.ThreadsConfig.WhileBusy;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tools.ToolsConfig.Autonomy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A person's /stop, whatever the chat thread is doing just then. */
class StopCommandTest {
  /** A second is promised; a machine that is busy with other things may take three. */
  private static final Duration FREE_WITHIN =
      Duration.ofSeconds(Integer.getInteger("holdfast.slowness", 3));

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch never = new CountDownLatch(1);

  @AfterEach
  void letGo() {
    never.countDown();
  }

  @Test
  void whileTheModelIsSilent() throws Exception {
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    begun.await();
    isFreedByStop(world, event);
  }

  @Test
  void whileTheModelIsDeaf() throws Exception {
    model.then(
        (_, _) -> {
          begun.countDown();
          UninterruptibleTool.await(never);
          return ScriptedProvider.text("too late");
        });
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    begun.await();
    isFreedByStop(world, event);
  }

  @Test
  void whileAToolIsDeaf() throws Exception {
    options.tools = List.of(new Deafness());
    model.calls(new ToolCall("c1", "deaf", "{}"));
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    begun.await();
    isFreedByStop(world, event);
  }

  @Test
  void whileItWaitsForAFreeTurn() throws Exception {
    options.turnsMax = 1;
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event other = world.send("other", "k0", "x");
    begun.await();
    Event event = world.send("t", "k1", "x");
    world.await(
        () ->
            world
                .orchestrator
                .find("web:main:t")
                .map(view -> view.doing().equals("waiting for a free turn"))
                .orElse(false),
        () -> "it does not wait");
    stop(world, "t", "/stop", event);
    assertThat(world.stateOf(other)).isEqualTo(EventState.RUNNING);
    isFreedByStop(world, other, "other");
    assertThat(world.answerOf(world.send("t", "k3", "next"))).isEqualTo("heard: next");
  }

  @Test
  void whileTheConversationIsSummarised() throws Exception {
    options.keepRecentTokens = 300;
    model.window(4000);
    model.then((_, _) -> ScriptedProvider.text("x".repeat(9000))).hangs(begun);
    AgentRig world = rigs.open();
    world.answerOf(world.send("t", "k0", "one"));
    Event event = world.send("t", "k1", "two");
    begun.await();
    assertThat(world.orchestrator.find("web:main:t").orElseThrow().doing())
        .isEqualTo("summarising the conversation");
    model.says("a summary");
    isFreedByStop(world, event);
  }

  /** A yes that comes after it is a yes to nothing. */
  @Test
  void whileAPersonIsAsked() throws Exception {
    options.autonomy = Autonomy.SUPERVISED;
    options.tools = List.of(new Deafness());
    model.calls(new ToolCall("c1", "deaf", "{}"));
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    world.awaitState(event, EventState.PARKED);
    Approval asked =
        world
            .store
            .approvals()
            .list(ThreadReader.OPERATOR, Optional.of(Approval.State.WAITING), "", 10)
            .getFirst();
    isFreedByStop(world, event);
    assertThat(world.answerOf(world.send("t", "k9", "/approve " + asked.code())))
        .contains("Nothing is waiting");
    assertThat(world.orchestrator.decide(asked.id(), true, "me")).isFalse();
    assertThat(begun.getCount()).isEqualTo(1);
  }

  @Test
  void whileTheModelIsAway() throws Exception {
    model.fails(FailureCode.AUTH, 100);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    world.awaitState(event, EventState.PARKED);
    stop(world, "t", "/stop", event);
  }

  /** The agent of a turn that does not wait any more must not keep its place. */
  @Test
  void whileTheModelIsAwayAndThereIsRoomForOneAgent() throws Exception {
    options.activeMax = 1;
    model.fails(FailureCode.AUTH, 1);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    world.awaitState(event, EventState.PARKED);
    stop(world, "t", "/stop", event);
    assertThat(world.answerOf(world.send("other", "k9", "next"))).isEqualTo("heard: next");
  }

  @Test
  void withAllTheWaitingOnesToo() throws Exception {
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event first = world.send("t", "k1", "x");
    begun.await();
    Event second = world.send("t", "k2", "y");
    stop(world, "t", "/stop all", first, second);
    assertThat(world.answerOf(world.send("t", "k4", "next"))).isEqualTo("heard: next");
  }

  /** The model would not stop anything. */
  @Test
  void withMoreWordsItSaysHowToStop() throws Exception {
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event running = world.send("t", "k1", "x");
    begun.await();
    Event stop = world.send("t", "k2", "/stop now");
    assertThat(world.answerOf(stop)).isEqualTo(ChatSentences.HOW_TO_STOP);
    assertThat(world.stateOf(running)).isEqualTo(EventState.RUNNING);
    assertThat(model.requests()).hasSize(1);
  }

  /** They do not fit into one look at the disk. */
  @Test
  void withAllTheWaitingOnesHoweverLargeTheyAre() throws Exception {
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event first = world.send("t", "k1", "x");
    begun.await();
    List<Event> waiting = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      waiting.add(world.send("t", "large" + i, "y".repeat(1_000_000)));
    }
    world.answerOf(world.send("t", "stop", "/stop all"));
    world.awaitState(first, EventState.CANCELLED);
    for (Event event : waiting) {
      world.awaitState(event, EventState.CANCELLED);
    }
    assertThat(world.answerOf(world.send("t", "next", "next"))).isEqualTo("heard: next");
  }

  /** What joined the turn ends with it. */
  @Test
  void withWhatHasJoinedTheTurn() throws Exception {
    options.whileBusy = WhileBusy.STEER;
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch again = new CountDownLatch(1);
    options.tools = List.of(new Deafness());
    model.then(
        (_, _) -> {
          begun.countDown();
          go.await();
          return new ModelAnswer(
              new Message.Assistant(
                  "", List.of(new ToolCall("c1", "none", "{}")), "", "embedded/echo"),
              ModelAnswer.StopReason.TOOL_CALLS,
              TokenUsage.NONE);
        });
    model.hangs(again);
    AgentRig world = rigs.open();
    Event first = world.send("t", "k1", "x");
    begun.await();
    Event second = world.send("t", "k2", "y");
    world.await(
        () -> world.orchestrator.find("web:main:t").orElseThrow().waiting() == 1,
        () -> "not waiting");
    go.countDown();
    again.await();
    isFreedByStop(world, first);
    world.awaitState(second, EventState.CANCELLED);
    assertThat(world.store.threads().of("web:main:t").readLog(100))
        .as("it was written down when it joined")
        .filteredOn(line -> line.contains("\"id\":\"" + second.id() + "\""))
        .hasSize(1);
  }

  private void isFreedByStop(AgentRig world, Event event) throws Exception {
    isFreedByStop(world, event, "t");
  }

  private static void isFreedByStop(AgentRig world, Event event, String thread) throws Exception {
    stop(world, thread, "/stop", event);
    assertThat(world.repliesTo(event)).noneMatch(reply -> reply.contains("late"));
    Event next = world.send(thread, "next " + thread, "next");
    long asked = System.nanoTime(); // how soon a thread ends
    assertThat(world.answerOf(next)).isEqualTo("heard: next");
    isSoonEnough("the answer after it", asked);
  }

  /** From the moment at which the command is on disk, as its sender is told. */
  private static void stop(AgentRig world, String thread, String command, Event... events)
      throws Exception {
    Event stop = world.send(thread, "stop " + thread, command);
    long acked = System.nanoTime();
    for (Event event : events) {
      world.awaitState(event, EventState.CANCELLED);
    }
    isSoonEnough(command, acked);
    assertThat(world.answerOf(stop)).isEqualTo("Stopped.");
  }

  private static void isSoonEnough(String what, long sinceNanos) {
    Duration took = Duration.ofNanos(System.nanoTime() - sinceNanos);
    System.out.printf("%s: %d ms, promised 1000%n", what, took.toMillis());
    assertThat(took).as(what).isLessThanOrEqualTo(FREE_WITHIN);
  }

  /** An unsafe tool that no interrupt ends. */
  private final class Deafness implements Tool {
    @Override
    public ToolSpec spec() {
      return new ToolSpec("deaf", "for tests", "{\"type\":\"object\"}");
    }

    @Override
    public ToolResult run(String arguments, ToolContext context) {
      begun.countDown();
      UninterruptibleTool.await(never);
      context.progress().doing("too late");
      return ToolResult.ok("too late");
    }
  }
}
