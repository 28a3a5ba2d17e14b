package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.thread.AgentHost;
import dev.holdfast.agents.thread.ModelTally;
import dev.holdfast.agents.thread.ModelTrials;
import dev.holdfast.agents.thread.ThreadAgent;
import dev.holdfast.models.ModelsAwayException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Agents that leave because their place is wanted. */
class IdleAgentsTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();

  @Test
  void anAgentMakesRoomOnce() throws Exception {
    AgentRig world = rigs.open();
    ActiveAgents agents = new ActiveAgents(world.parts, new SoleOwner(), new NoHost(), () -> {});
    agents.activate("web:main:t");
    ThreadAgent agent = agents.find("web:main:t").orElseThrow();
    world.await(() -> agent.idleSince().isPresent(), () -> "not idle");
    assertThat(agent.retire()).isTrue();
    IdleAgents idle = new IdleAgents();
    idle.add(agent); // whoever wanted to add it had seen it idle before
    assertThat(idle.retireOldest()).isEmpty();
  }

  /** For an agent that has no turns. */
  private static final class NoHost implements AgentHost {
    @Override
    public void parked(Incoming head, long sinceNanos, ModelTrials trials) {}

    @Override
    public void modelFailed(String threadId, ModelsAwayException away, boolean alone) {}

    @Override
    public ModelTally tally() {
      return ModelTally.NONE;
    }

    @Override
    public Duration awayFor() {
      return Duration.ZERO;
    }

    @Override
    public void asked(String threadId, Instant until) {}

    @Override
    public void probeEnded(String threadId) {}

    @Override
    public void gone(Incoming head) {}

    @Override
    public long outage() {
      return 0;
    }

    @Override
    public boolean modelsAreBack() {
      return true;
    }

    @Override
    public void modelAnswered() {}

    @Override
    public boolean mayRunTurns() {
      return true;
    }

    @Override
    public void obey(Incoming incoming) {}
  }
}
