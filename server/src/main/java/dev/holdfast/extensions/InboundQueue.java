package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** What came on several streams, in one line. When nobody takes it, the streams wait. */
final class InboundQueue {
  /** Beyond this, nothing more is taken in until somebody takes a message. */
  private static final long QUEUED_UNITS_MAX = 1 << 20;

  private static final int MESSAGE_COST = 64;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Item> items = new ArrayDeque<>();
  private long queued;
  private boolean closed;

  private record Item(Inbound inbound, long cost) {}

  /**
   * Blocks while it is full; does nothing when it is closed.
   *
   * @param units how long the text was
   */
  void put(Inbound inbound, long units) throws InterruptedException {
    Item item = new Item(inbound, units + MESSAGE_COST);
    lock.lockInterruptibly();
    try {
      while (queued > QUEUED_UNITS_MAX && !closed) {
        changed.await();
      }
      if (!closed) {
        items.addLast(item);
        queued += item.cost();
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * The next; empty when none comes in time.
   *
   * @throws CallFailedException when it is closed and empty
   */
  Optional<Inbound> take(Duration timeout) throws CallFailedException, InterruptedException {
    long left = timeout.toNanos();
    lock.lockInterruptibly();
    try {
      while (items.isEmpty()) {
        if (closed) {
          throw new CallFailedException(Failure.of(FailureCode.IO, "the connection was closed"));
        }
        if (left <= 0) {
          return Optional.empty();
        }
        left = changed.awaitNanos(left);
      }
      Item item = items.removeFirst();
      queued -= item.cost();
      changed.signalAll();
      return Optional.of(item.inbound());
    } finally {
      lock.unlock();
    }
  }

  /** What is in it can still be taken. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
