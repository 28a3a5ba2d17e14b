package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.bus.News;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tools.ToolsConfig.Autonomy;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Questions about calls whose turn was cut off, or came back. */
class ApprovalTurnTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;
  private final AtomicInteger runs = new AtomicInteger();

  @BeforeEach
  void script() {
    options.autonomy = Autonomy.SUPERVISED;
    options.tools = List.of(new Unsafe());
  }

  /** Counts its runs. */
  private final class Unsafe implements Tool {
    @Override
    public ToolSpec spec() {
      return new ToolSpec("unsafe", "for tests", "{\"type\":\"object\"}");
    }

    @Override
    public ToolResult run(String arguments, ToolContext context) {
      runs.incrementAndGet();
      return ToolResult.ok("done");
    }
  }

  /**
   * An event that waits for approval, in a server that then went down, with {@code sql} done to it.
   */
  private Event cutOff(String sql) throws Exception {
    model.calls(new ToolCall("c1", "unsafe", "{}")).says("elsewhere").says("finished");
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "do it");
    world.awaitState(event, EventState.PARKED);
    rigs.close();
    StoreSurgery.run(rigs.folder(), sql, event.id());
    return event;
  }

  /** The model answers somebody, so that what is parked goes on. */
  private static void goOn(AgentRig world) throws Exception {
    assertThat(world.answerOf(world.send("other", "k2", "hello"))).isEqualTo("elsewhere");
  }

  private static List<Approval> waiting(AgentRig world) {
    return world
        .store
        .approvals()
        .list(ThreadReader.OPERATOR, Optional.of(Approval.State.WAITING), "", 10);
  }

  private static boolean isAsked(AgentRig world, Event event) {
    List<String> said = world.repliesTo(event);
    return waiting(world).stream()
        .anyMatch(one -> !said.isEmpty() && said.getLast().contains("/approve " + one.code()));
  }

  private void approve(AgentRig world, Event event) throws Exception {
    world.await(() -> isAsked(world, event), () -> "nobody asks");
    String code = waiting(world).getFirst().code();
    world.awaitState(event, EventState.PARKED);
    assertThat(world.answerOf(world.send("t", "k3", "/approve " + code))).isEqualTo("Approved.");
    assertThat(world.answerOf(event)).endsWith("finished");
    assertThat(runs).hasValue(1);
  }

  @Test
  void aQuestionThatACrashKeptFromItsPersonIsAskedWhenTheServerIsBack() throws Exception {
    Event event = cutOff("delete from replies where event_id = ?");
    AgentRig world = rigs.open();
    goOn(world);
    approve(world, event);
  }

  @Test
  void aTurnThatWaitsForAPersonAloneIsNoOutageAfterARestart() throws Exception {
    Event event = cutOff("update approvals set decided_by = '' where event_id = ?");
    AgentRig world = rigs.open();
    assertThat(world.orchestrator.modelsAreAway()).isFalse();
    goOn(world);
    approve(world, event);
  }

  @Test
  void aQuestionThatWasWithdrawnWithItsTurnIsAskedAnewWhenTheTurnComesBack() throws Exception {
    Event event = cutOff("update approvals set state = 'EXPIRED' where event_id = ?");
    AgentRig world = rigs.open();
    goOn(world);
    approve(world, event);
    assertThat(world.store.approvals().list(ThreadReader.OPERATOR, Optional.empty(), "", 10))
        .extracting(Approval::state)
        .containsExactly(Approval.State.USED);
  }

  @Test
  void anotherCallUnderTheKeyOfAnEarlierOneIsAskedForByItself() throws Exception {
    Event event =
        cutOff(
            "update approvals set state = 'DENIED', arguments_hash = 'other' where event_id = ?");
    AgentRig world = rigs.open();
    goOn(world);
    approve(world, event);
    assertThat(world.store.approvals().list(ThreadReader.OPERATOR, Optional.empty(), "", 10))
        .extracting(Approval::state)
        .containsExactlyInAnyOrder(Approval.State.DENIED, Approval.State.USED);
  }

  /** Whoever watches may answer before the turn that asked has written down that it waits. */
  @Test
  void aYesThatComesAtOnceIsHeard() throws Exception {
    model.calls(new ToolCall("c1", "unsafe", "{}")).says("finished");
    AgentRig world = rigs.open();
    try (News.Watch _ =
        world.news.watch(
            item -> {
              if (item.kind().equals("approval.asked")) {
                String id = new JsonObject(item.json()).getString("approval_id");
                decide(world, id);
              }
            },
            () -> {})) {
      Event event = world.send("t", "k1", "do it");
      assertThat(world.answerOf(event)).endsWith("finished");
      assertThat(runs).hasValue(1);
    }
  }

  private static void decide(AgentRig world, String id) {
    try {
      assertThat(world.orchestrator.decide(id, true, "token:test")).isTrue();
    } catch (StoreException e) {
      throw new IllegalStateException(e);
    }
  }
}
