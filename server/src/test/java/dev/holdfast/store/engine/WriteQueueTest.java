package dev.holdfast.store.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.TestStore;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.StoryLine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class WriteQueueTest {
  private static final long FOR_EVER = TimeUnit.HOURS.toNanos(1);
  private static final int EACH = 20_000;

  private final WriteQueue queue = new WriteQueue();

  private static WriteOperation<Boolean> op(WriteOperation.Kind kind) {
    return new WriteOperation<>(_ -> true, kind, 0);
  }

  @Test
  @Timeout(60)
  void noWakeUpIsEverLost() throws Exception {
    List<Thread> producers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      producers.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int n = 0; n < EACH; n++) {
                      queue.offer(op(WriteOperation.Kind.AWAITED));
                      if (n % 64 == 0) {
                        while (!queue.isEmpty()) { // from then on the other side may sleep
                          Thread.onSpinWait();
                        }
                      }
                    }
                  }));
    }
    int taken = 0;
    while (taken < 4 * EACH) {
      queue.await(1, FOR_EVER); // a lost wake-up would end the test here
      while (queue.poll() != null) {
        taken++;
      }
    }
    for (Thread producer : producers) {
      producer.join();
    }
    assertThat(queue.poll()).isNull();
    assertThat(queue.awaited()).isZero();
  }

  @Test
  @Timeout(60)
  void theWriterSleepsUntilAsManyAreThereAsItWaitsFor() throws Exception {
    Thread writer = Thread.ofPlatform().start(() -> queue.await(3, FOR_EVER));
    while (writer.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    queue.offer(op(WriteOperation.Kind.AWAITED));
    queue.offer(op(WriteOperation.Kind.LAZY));
    queue.offer(op(WriteOperation.Kind.REFUSABLE));
    assertThat(writer.join(Duration.ofMillis(100))).isFalse();
    queue.offer(op(WriteOperation.Kind.AWAITED));
    writer.join();
  }

  @Test
  void aFullQueueRefusesAndTakesAgainWhenOneIsGone() {
    int taken = 0;
    while (queue.offer(op(WriteOperation.Kind.LAZY))) {
      taken++;
    }
    assertThat(taken).isEqualTo(65_536);
    queue.poll();
    assertThat(queue.offer(op(WriteOperation.Kind.AWAITED))).isTrue();
    assertThat(queue.offer(op(WriteOperation.Kind.AWAITED))).isFalse();
    assertThat(queue.awaited()).isEqualTo(1);
  }

  @Test
  void whatNobodyWaitsForIsWrittenThoughNothingElseComes(@TempDir Path folder) throws Exception {
    try (TestStore test = new TestStore(folder)) {
      Event event = test.append("t", "k");
      test.store.stories().add(new StoryLine(event.id(), TestStore.NOW, "alone", "{}"));
      TestStore.await(() -> !test.store.stories().of(event.id()).isEmpty());
    }
  }
}
