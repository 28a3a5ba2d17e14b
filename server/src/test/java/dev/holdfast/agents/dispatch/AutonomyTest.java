package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.turn.ToolRound;
import dev.holdfast.api.Message;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.tools.ToolsConfig.Autonomy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code tools.autonomy} is changed while the server runs, and while a turn does. */
@Timeout(60)
class AutonomyTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;
  private final AtomicInteger runs = new AtomicInteger();
  private volatile Body body = () -> {};

  @BeforeEach
  void tools() {
    options.tools = List.of(new Deed());
  }

  /** The model calls it, and the operator's word comes before the call. */
  private void callsWhile(Autonomy becomes) {
    model.then(
        (_, _) -> {
          options.autonomy = becomes;
          return ScriptedProvider.calling(new ToolCall("c1", "deed", "{}"));
        });
  }

  @Test
  void manualTakesTheToolsAwayAtOnce() throws Exception {
    callsWhile(Autonomy.MANUAL);
    AgentRig world = rigs.open();
    assertThat(world.answerOf(world.send("t", "k1", "do it"))).startsWith("heard: ");
    assertThat(runs).hasValue(0);
    assertThat(model.requests().getFirst().tools()).hasSize(1);
    assertThat(model.requests().getLast().tools()).isEmpty();
    assertThat(model.requests().getLast().messages())
        .last()
        .isInstanceOfSatisfying(
            Message.ToolResult.class,
            told -> assertThat(told.text()).contains("no tool called deed"));
    options.autonomy = Autonomy.FULL;
    model.calls(new ToolCall("c2", "deed", "{}")).says("done");
    assertThat(world.answerOf(world.send("t", "k2", "again"))).isEqualTo("done");
    assertThat(runs).hasValue(1);
  }

  @Test
  void supervisedAsksFromTheNextCallOn() throws Exception {
    callsWhile(Autonomy.SUPERVISED);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "do it");
    world.awaitState(event, EventState.PARKED);
    assertThat(runs).hasValue(0);
    assertThat(world.repliesTo(event)).hasSize(1).first().asString().contains("/approve");
  }

  /** A question that waits is no way around it. */
  @Test
  void whatWaitsForAYesDoesNotRunWhenToolsAreTakenAway() throws Exception {
    callsWhile(Autonomy.SUPERVISED);
    model.says("too bad");
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "do it");
    world.awaitState(event, EventState.PARKED);
    String code = world.store.approvals().waitingOf(event.id()).getFirst().code();
    options.autonomy = Autonomy.MANUAL;
    world.send("t", "k2", "/approve " + code);
    world.awaitState(event, EventState.ANSWERED);
    assertThat(world.repliesTo(event)).last().isEqualTo("too bad");
    assertThat(runs).hasValue(0);
  }

  /** What it did is not undone by its not being there any more. */
  @Test
  void aCallThatACrashCutOffIsUnknownAlsoWhenThereAreNoTools() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    body =
        () -> {
          begun.countDown();
          new CountDownLatch(1).await();
        };
    model.calls(new ToolCall("c1", "deed", "{}")).says("I do not know");
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "do it");
    begun.await();
    rigs.close();
    options.autonomy = Autonomy.MANUAL;
    world = rigs.open();
    assertThat(world.answerOf(event)).isEqualTo("I do not know");
    assertThat(model.requests().getLast().messages())
        .last()
        .isInstanceOfSatisfying(
            Message.ToolResult.class,
            told -> assertThat(told.text()).isEqualTo(ToolRound.INTERRUPTED));
  }

  /** What the tool does. */
  private interface Body {
    void run() throws InterruptedException;
  }

  private final class Deed implements Tool {
    @Override
    public ToolSpec spec() {
      return new ToolSpec("deed", "Does it.", "{\"type\":\"object\"}");
    }

    @Override
    public ToolResult run(String argumentsJson, ToolContext context) throws InterruptedException {
      runs.incrementAndGet();
      body.run();
      return ToolResult.ok("done");
    }
  }
}
