package dev.holdfast.store.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The changes that wait for the writer. Many put in, the writer alone takes out. It is woken only
 * when as many as it waits for are there: a wake-up per change would cost more than the change.
 * What nobody waits for wakes it never.
 */
final class WriteQueue {
  private static final int OPS_MAX = 65_536;
  private static final int NEVER = Integer.MAX_VALUE;

  private final Queue<WriteOperation<?>> ops = new ConcurrentLinkedQueue<>();
  private final AtomicInteger all = new AtomicInteger();
  private final AtomicInteger awaited = new AtomicInteger();
  private volatile int wakeAt = NEVER;
  private volatile @Nullable Thread writer;

  /** False when it is full. */
  boolean offer(WriteOperation<?> op) {
    if (all.incrementAndGet() > OPS_MAX) {
      all.decrementAndGet();
      return false;
    }
    ops.add(op);
    if (op.kind() != WriteOperation.Kind.LAZY && awaited.incrementAndGet() >= wakeAt) {
      wake();
    }
    return true;
  }

  @Nullable WriteOperation<?> poll() {
    WriteOperation<?> op = ops.poll();
    if (op != null) {
      all.decrementAndGet();
      if (op.kind() != WriteOperation.Kind.LAZY) {
        awaited.decrementAndGet();
      }
    }
    return op;
  }

  /**
   * Returns when that many changes are there that somebody waits for, or when the time is over; now
   * and then without a reason. By the writer alone.
   */
  void await(int count, long nanos) {
    writer = Thread.currentThread();
    wakeAt = count;
    if (awaited.get() < count) {
      LockSupport.parkNanos(this, nanos);
    }
    wakeAt = NEVER;
  }

  /** Ends a wait of the writer. */
  void wake() {
    LockSupport.unpark(writer);
  }

  /** How many are there that somebody waits for. */
  int awaited() {
    return awaited.get();
  }

  boolean isEmpty() {
    return ops.isEmpty();
  }

  void forEach(Consumer<WriteOperation<?>> look) {
    ops.forEach(look);
  }
}
