package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.Waiting;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Events that wait on disk and are with no agent, whoever forgot them. */
@Timeout(60)
class UnservedEventsTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();

  @Test
  void whatWaitsAtTwoLooksAndIsWithNoAgentIsAnsweredAndCounted() throws Exception {
    AgentRig world = rigs.open();
    world.answerOf(world.send("t", "k1", "hello"));
    world.store.inbox().onAccepted(_ -> {});
    Event idle = world.send("t", "k2", "forgotten");
    Event gone = world.send("u", "k3", "forgotten too");
    List<Waiting> waiting =
        List.of(new Waiting(idle.seq(), idle.threadId()), new Waiting(gone.seq(), gone.threadId()));
    look(world, waiting);
    assertThat(world.stateOf(idle)).isEqualTo(EventState.PENDING);
    look(world, List.of(waiting.getFirst()));
    assertThat(world.answerOf(idle)).isEqualTo("heard: forgotten");
    assertThat(world.answerOf(gone)).isEqualTo("heard: forgotten too");
    assertThat(repairs(world)).isEqualTo(1);
  }

  @Test
  void whatAnAgentIsAboutToTakeIsNotForgotten() throws Exception {
    AgentRig world = rigs.open();
    rigs.model.hangs(new CountDownLatch(1));
    Event first = world.send("t", "k1", "hang");
    Event second = world.send("t", "k2", "wait");
    List<Waiting> waiting = List.of(new Waiting(second.seq(), second.threadId()));
    look(world, waiting);
    look(world, waiting);
    assertThat(repairs(world)).isZero();
    assertThat(world.stateOf(first).isOpen()).isTrue();
  }

  private static void look(AgentRig world, List<Waiting> waiting) throws Exception {
    world.orchestrator.waiting(waiting);
    world.awaitRound();
  }

  private static double repairs(AgentRig world) {
    return world.meters.get("holdfast.store.repairs").tag("what", "event").counter().count();
  }
}
