package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A chat thread that another process serves. */
class ThreadOwnerTest {
  private static final String THEIRS = "web:main:theirs";

  @TempDir Path folder;
  private final AgentRig.Options options = new AgentRig.Options();
  private volatile boolean isHere;
  private @Nullable AgentRig open;

  @AfterEach
  void close() throws Exception {
    if (open != null) {
      open.close();
    }
  }

  @Test
  void isLeftAloneUntilItIsOurs() throws Exception {
    options.owner = threadId -> isHere || !threadId.equals(THEIRS);
    AgentRig world = new AgentRig(folder, new ScriptedProvider(), options);
    open = world;
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
