package dev.holdfast.agents.turn;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class TurnMemoryTest {
  private static final long MIB = 1024 * 1024;
  private final TurnMemory memory = new TurnMemory(10 * MIB);

  private Thread asks(long bytes, boolean suspect) {
    return Thread.ofVirtual()
        .start(
            () -> {
              try {
                memory.take(bytes, suspect);
              } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
              }
            });
  }

  private static void awaitWaiting(Thread thread) {
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
  }

  @Test
  void largeTurnsWaitForRoomAndSmallOnesDoNot() throws Exception {
    TurnMemory.Share first = memory.take(8 * MIB, false);
    Thread second = asks(4 * MIB, false);
    awaitWaiting(second);
    memory.take(1000, false); // does not block
    first.giveBack();
    second.join();
  }

  @Test
  void oneThatIsLargerThanAllRoomRunsAlone() throws Exception {
    TurnMemory.Share whole = memory.take(1000 * MIB, false);
    Thread next = asks(MIB, false);
    awaitWaiting(next);
    whole.giveBack();
    next.join();
  }

  @Test
  void suspectsRunOneAtATimeAndHoldUpNobodyElse() throws Exception {
    TurnMemory.Share first = memory.take(1000, true);
    Thread second = asks(1000, true);
    awaitWaiting(second);
    memory.take(1000, false); // does not block
    first.giveBack();
    second.join();
  }

  @Test
  void whoIsInterruptedWhileItWaitsKeepsNothing() throws Exception {
    TurnMemory.Share first = memory.take(10 * MIB, false);
    Thread waiting = asks(MIB, true);
    awaitWaiting(waiting);
    waiting.interrupt();
    waiting.join();
    first.giveBack();
    assertThat(memory.take(10 * MIB, true)).isNotNull(); // does not block
  }
}
