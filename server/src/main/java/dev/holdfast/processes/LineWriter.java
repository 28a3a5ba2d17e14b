package dev.holdfast.processes;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Writes lines to a child on a thread of its own, each whole and in their order: a child may never
 * read, and whoever writes to it then waits no longer than it wants to.
 */
final class LineWriter implements ChildPipe {
  private static final int LOOK_MILLIS = 200;

  private final Posix posix;
  private final int end;
  private final int bytesMax;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<byte[]> queue = new ArrayDeque<>();
  private long queuedBytes;
  private boolean isClosing;
  private volatile boolean abandoned;

  /**
   * @param end the writing end; closed when the thread ends
   * @param bytesMax what may wait to be read
   */
  LineWriter(Posix posix, int end, int bytesMax) {
    this.posix = posix;
    this.end = end;
    this.bytesMax = bytesMax;
    this.thread = Thread.ofPlatform().name("child input").daemon().unstarted(this::writeAll);
  }

  @Override
  public void start() {
    thread.start();
  }

  @Override
  public boolean join(Duration wait) throws InterruptedException {
    return thread.join(wait);
  }

  @Override
  public void abandon() {
    abandoned = true;
    close();
  }

  /** Takes no more; the input ends when what waits is written. */
  void close() {
    lock.lock();
    try {
      isClosing = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Hands a line over; on return it will be written whole, should the child read it.
   *
   * @throws CallFailedException INVALID when it is too long, TRANSIENT when there is no room for it
   *     in time or the input has ended
   */
  void write(String line, Duration timeout) throws CallFailedException, InterruptedException {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    if (bytes.length > bytesMax) {
      throw failed(FailureCode.INVALID_REQUEST, "a line for the child is too long");
    }
    long left = timeout.toNanos();
    lock.lockInterruptibly();
    try {
      while (!isClosing && queuedBytes + bytes.length > bytesMax) {
        if (left <= 0) {
          throw failed(FailureCode.TIMEOUT, "the child does not read its input");
        }
        left = changed.awaitNanos(left);
      }
      if (isClosing) {
        throw failed(FailureCode.IO, "the child's input has ended");
      }
      queue.addLast(bytes);
      queuedBytes += bytes.length;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private static CallFailedException failed(FailureCode code, String text) {
    return new CallFailedException(Failure.of(code, text));
  }

  private void writeAll() {
    try {
      for (byte[] next = next(); next != null && write(next); next = next()) {
        written(next.length);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // nobody does; then it is the end of writing
    } finally {
      posix.close(end);
      close();
    }
  }

  /** The next line; null when no more is to be written. */
  private byte @Nullable [] next() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (queue.isEmpty() && !isClosing) {
        changed.await();
      }
      return abandoned ? null : queue.pollFirst();
    } finally {
      lock.unlock();
    }
  }

  private void written(int bytes) {
    lock.lock();
    try {
      queuedBytes -= bytes;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** False when nobody can read it any more. */
  private boolean write(byte[] line) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment rest = arena.allocateFrom(ValueLayout.JAVA_BYTE, line);
      while (!abandoned && rest.byteSize() > 0) {
        if (!posix.canWrite(end, LOOK_MILLIS)) {
          continue;
        }
        int bytes = posix.write(end, rest);
        if (bytes > 0) {
          rest = rest.asSlice(bytes);
        } else if (posix.isClosed(end)) {
          return false;
        }
      }
      return !abandoned;
    }
  }
}
