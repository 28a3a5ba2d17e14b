package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A chat thread that another process serves. */
class ThreadOwnerTest {
  private static final String THEIRS = "web:main:theirs";

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private volatile boolean isHere;

  @Test
  void isLeftAloneUntilItIsOurs() throws Exception {
    rigs.options.owner = threadId -> isHere || !threadId.equals(THEIRS);
    AgentRig world = rigs.open();
    Event message = world.send("theirs", "k1", "never mind");
    Event stop = world.send("theirs", "k2", "/stop all");
    assertThat(world.answerOf(world.send("ours", "k3", "hello"))).isEqualTo("heard: hello");

    assertThat(world.orchestrator.stop(THEIRS, true)).isZero();
    world.orchestrator.reset(THEIRS);
    assertThat(world.orchestrator.find(THEIRS)).isEmpty();
    assertThat(world.stateOf(message)).isEqualTo(EventState.PENDING);
    assertThat(world.stateOf(stop)).isEqualTo(EventState.PENDING);

    isHere = true;
    world.orchestrator.rescan();
    assertThat(world.answerOf(stop)).isEqualTo("Stopped.");
    world.awaitState(message, EventState.CANCELLED);
  }
}
