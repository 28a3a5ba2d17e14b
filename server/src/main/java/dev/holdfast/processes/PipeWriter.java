package dev.holdfast.processes;

import dev.holdfast.libc.Descriptors;
import dev.holdfast.libc.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes a child's input. A child may never read: what it does not take at once waits here. All of
 * it happens under the lock, so that nothing is written to a descriptor that is closed.
 */
class PipeWriter extends ChildPipe {
  /** What the kernel takes at once at most, without being asked for more. */
  private static final int PIECE = 64 << 10;

  final ReentrantLock lock = new ReentrantLock();
  final Condition changed = lock.newCondition();
  private final Deque<byte[]> queue = new ArrayDeque<>();
  private int written;
  private long queuedBytes;
  private boolean isClosing;

  PipeWriter(int descriptor) {
    super(descriptor, true);
  }

  /** Of one that writes just that. */
  static PipeWriter of(int descriptor, byte[] all) {
    PipeWriter writer = new PipeWriter(descriptor);
    writer.queue.addLast(all);
    writer.queuedBytes = all.length;
    writer.isClosing = true;
    return writer;
  }

  @Override
  void abandon() {
    super.abandon();
    close();
  }

  /** Takes no more; the input ends when what waits is written. */
  final void close() {
    lock.lock();
    try {
      isClosing = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    wake();
  }

  /** With the lock. */
  final boolean isClosing() {
    return isClosing;
  }

  /** With the lock: what is not with the child yet. */
  final long queuedBytes() {
    return queuedBytes;
  }

  /** With the lock: writes that after what waits, what is possible of it at once. */
  final void put(byte[] bytes) {
    boolean isFirst = queue.isEmpty();
    queue.addLast(bytes);
    queuedBytes += bytes.length;
    if (isFirst && writeQueued() != Next.WHEN_WOKEN) {
      wake();
    }
  }

  @Override
  final Next serve(MemorySegment room) {
    lock.lock();
    try {
      return writeQueued();
    } finally {
      lock.unlock();
    }
  }

  private Next writeQueued() {
    long before = queuedBytes;
    boolean isOpen = true;
    while (isOpen && !queue.isEmpty()) {
      int bytes = writeSome(queue.getFirst());
      if (bytes == -Errno.EAGAIN) {
        break;
      }
      isOpen = bytes >= 0;
    }
    if (!isOpen) {
      isClosing = true;
      queue.clear();
    }
    if (!isOpen || queuedBytes < before) {
      changed.signalAll();
    }
    if (!queue.isEmpty()) {
      return Next.WHEN_READY;
    }
    return isClosing ? Next.NEVER : Next.WHEN_WOKEN;
  }

  /** How much was written, or the negative reason why none was. */
  private int writeSome(byte[] bytes) {
    int length = Math.min(PIECE, bytes.length - written);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment piece = arena.allocate(length);
      MemorySegment.copy(bytes, written, piece, ValueLayout.JAVA_BYTE, 0, length);
      int now = Descriptors.write(descriptor(), piece);
      if (now >= 0) {
        written += now;
        queuedBytes -= now;
      }
      if (written == bytes.length) {
        queue.removeFirst();
        written = 0;
      }
      return now;
    }
  }

  @Override
  void onEnd() {
    close();
  }
}
