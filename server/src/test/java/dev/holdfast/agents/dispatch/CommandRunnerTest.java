package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.time.SystemTime;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Commands that fail in an unforeseen way. */
class CommandRunnerTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final AtomicInteger bugs = new AtomicInteger();
  private AgentRig world;

  @BeforeEach
  void open() throws Exception {
    rigs.options.time = new BuggyTime();
    world = rigs.open();
  }

  @Test
  void aCommandThatFailedIsObeyedLater() throws Exception {
    bugs.set(2);
    Event event = world.send("t", "k1", "/status");
    assertThat(world.answerOf(event)).startsWith("idle for");
    assertThat(world.stateOf(event)).isEqualTo(EventState.ANSWERED);
  }

  @Test
  void aCommandThatAlwaysFailsEndsWithAnHonestSentence() throws Exception {
    bugs.set(Integer.MAX_VALUE);
    Event event = world.send("t", "k1", "/status");
    assertThat(world.answerOf(event)).isEqualTo(ChatSentences.CRASHED);
    assertThat(world.stateOf(event)).isEqualTo(EventState.DEAD_LETTERED);
  }

  /** A bug wherever /status reads the clock; waits are short. */
  private final class BuggyTime implements Time {
    private final Time real = new SystemTime(); // agents wait for each other

    @Override
    public Instant now() {
      boolean asked =
          StackWalker.getInstance()
              .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals("status")));
      if (asked && bugs.getAndUpdate(left -> left == 0 ? 0 : left - 1) > 0) {
        throw new IllegalStateException("as the test wants it");
      }
      return real.now();
    }

    @Override
    public long nanos() {
      return real.nanos();
    }

    @Override
    public void sleep(Duration wait) throws InterruptedException {
      real.sleep(wait);
    }

    @Override
    public Timer after(Duration wait, Runnable task) {
      return real.after(wait.dividedBy(100), task);
    }
  }
}
