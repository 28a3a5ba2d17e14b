package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class CommandQueueTest {
  private final Semaphore begun = new Semaphore(0);
  private final Semaphore mayEnd = new Semaphore(0);
  private final AtomicInteger scans = new AtomicInteger();
  private final AtomicLong units = new AtomicLong();
  private final Set<Long> started = ConcurrentHashMap.newKeySet();
  private final Set<Long> obeyed = ConcurrentHashMap.newKeySet();
  private final CountDownLatch scanned = new CountDownLatch(1);
  private final CommandQueue queue =
      new CommandQueue(
          command -> {
            units.addAndGet(command.event().payload().length());
            units.addAndGet(command.message().text().length());
            units.addAndGet(command.command().orElseThrow().argument().length());
            started.add(command.seq());
            begun.release();
            mayEnd.acquireUninterruptibly();
            obeyed.add(command.seq());
            if (command.seq() == BUG) {
              throw new IllegalStateException("as the test wants it");
            }
          },
          () -> {
            scans.incrementAndGet();
            scanned.countDown();
          });

  private static final long BUG = 5;

  /** Of a chat thread of its own. */
  private static Incoming command(long seq) {
    return command("t" + seq, seq, "/status");
  }

  private static Incoming command(String thread, long seq, String text) {
    InboundMessage message = new InboundMessage("main", "t", "me", text, List.of(), "k" + seq);
    return Incoming.of(
        new Event(
            seq,
            "e" + seq,
            "web:main",
            thread,
            "k" + seq,
            InboundPayload.write(message),
            Instant.EPOCH,
            EventState.PENDING,
            0,
            false,
            0));
  }

  @Test
  void aFloodOfCommandsRunsAFewAtOnceAndLeavesTheRestOnDisk() throws Exception {
    int all = CommandQueue.AT_ONCE + CommandQueue.WAITING_MAX;
    for (int seq = 1; seq <= all + 10; seq++) {
      queue.add(command(seq));
    }
    begun.acquire(CommandQueue.AT_ONCE);
    assertThat(begun.availablePermits()).as("no more begin").isZero();
    assertThat(scans).hasValue(0);
    mayEnd.release(all);
    scanned.await();
    assertThat(obeyed).hasSizeGreaterThanOrEqualTo(all - CommandQueue.AT_ONCE);
    assertThat(scans).hasValue(1);
  }

  @Test
  void aCommandThatWaitsIsNotTakenTwice() throws Exception {
    for (int seq = 1; seq <= CommandQueue.AT_ONCE; seq++) {
      queue.add(command(seq));
    }
    queue.add(command(100));
    queue.add(command(100));
    queue.add(command(101));
    mayEnd.release(CommandQueue.AT_ONCE + 2);
    begun.acquire(CommandQueue.AT_ONCE + 2);
    assertThat(begun.tryAcquire()).isFalse();
  }

  /** A few hundred of them would fill the heap. */
  @Test
  void nothingOfWhatWasSaidIsKeptWhileCommandsWait() throws Exception {
    int all = 2 * CommandQueue.AT_ONCE;
    for (int seq = 1; seq <= all; seq++) {
      queue.add(command("t" + seq, seq, "/stop " + "x".repeat(10 * 1024)));
    }
    mayEnd.release(all);
    begun.acquire(all);
    assertThat(units).hasValue(0);
  }

  /** A stop that has much to end takes its time. */
  @Test
  void theCommandsOfOneChatThreadDoNotHoldUpOthers() throws Exception {
    CountDownLatch other = new CountDownLatch(1);
    List<Long> order = new CopyOnWriteArrayList<>();
    CountDownLatch allOfOne = new CountDownLatch(CommandQueue.AT_ONCE);
    CommandQueue fair =
        new CommandQueue(
            command -> {
              if (command.event().threadId().equals("other")) {
                other.countDown();
                return;
              }
              mayEnd.acquireUninterruptibly();
              order.add(command.seq());
              allOfOne.countDown();
            },
            scans::incrementAndGet);
    for (int seq = 1; seq <= CommandQueue.AT_ONCE; seq++) {
      fair.add(command("one", seq, "/stop all"));
    }
    fair.add(command("other", 100, "/stop"));
    other.await();
    mayEnd.release(CommandQueue.AT_ONCE);
    allOfOne.await();
    assertThat(order).as("one after the other").isSorted();
  }

  @Test
  void aFloodOfOneChatThreadLeavesOthersTheirPlaces() throws Exception {
    int ofOne = 1 + CommandQueue.WAITING_OF_ONE_MAX;
    for (int seq = 1; seq <= ofOne + 10; seq++) {
      queue.add(command("one", 5000 + seq, "/status"));
    }
    int others = CommandQueue.AT_ONCE + CommandQueue.WAITING_MAX - ofOne;
    for (int seq = 1; seq <= others; seq++) {
      queue.add(command(10_000 + seq));
    }
    mayEnd.release(ofOne + others);
    scanned.await();
    begun.acquire(ofOne + others);
    assertThat(started.stream().filter(seq -> seq > 10_000)).hasSize(others);
    assertThat(scans).as("when no command waits any more").hasValue(1);
  }
}
