package dev.holdfast.processes;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.processes.LineProcessSpec.LongLine;
import dev.holdfast.processes.OutputLine.Ending;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The lines that a child writes. When nobody takes them no more is read, so that the child waits
 * and the server never fills up.
 */
final class LineReader extends PipeReader {
  /** Beyond this, nothing more is read until somebody takes a line. */
  private static final int QUEUED_BYTES_MAX = 1 << 20;

  /** What a line costs besides its text. */
  private static final int LINE_COST = 64;

  private static final int CHUNK = PipeLoop.CHUNK;

  private final LineProcessSpec spec;
  private final LineSplitter splitter;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<OutputLine> queue = new ArrayDeque<>();
  private long queuedBytes;
  private boolean isPaused;
  private boolean isOver;
  private @Nullable Failure broken;

  LineReader(int descriptor, LineProcessSpec spec) {
    super(descriptor, CHUNK);
    this.spec = spec;
    this.splitter = new LineSplitter(spec.lineBytesMax(), this::put);
  }

  @Override
  Next take(byte[] bytes) {
    lock.lock();
    try {
      splitter.take(bytes);
      if (splitter.isDropping()) {
        failIfAsked();
      }
      if (splitter.isDropping() || broken != null) {
        return Next.AFTER_REST;
      }
      isPaused = queuedBytes > QUEUED_BYTES_MAX;
      return isPaused ? Next.WHEN_WOKEN : Next.WHEN_READY;
    } finally {
      lock.unlock();
    }
  }

  @Override
  void onEnd() {
    lock.lock();
    try {
      splitter.end();
      isOver = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** With the lock. */
  private void put(OutputLine line) {
    if (line.ending() == Ending.CUT) {
      failIfAsked();
    }
    if (broken == null) {
      queue.addLast(line);
      queuedBytes += cost(line);
      changed.signalAll();
    }
  }

  private void failIfAsked() {
    if (spec.onLongLine() == LongLine.FAIL && broken == null) {
      String text = "the child wrote a line of more than " + spec.lineBytesMax() + " bytes";
      broken = Failure.of(FailureCode.BACKEND_FAILURE, text);
      changed.signalAll();
    }
  }

  /**
   * The next line; empty when none comes in time.
   *
   * @throws CallFailedException when none will come any more
   */
  Optional<OutputLine> read(Duration timeout) throws CallFailedException, InterruptedException {
    long left = timeout.toNanos();
    lock.lockInterruptibly();
    try {
      while (queue.isEmpty()) {
        if (broken != null) {
          throw new CallFailedException(broken);
        }
        if (isOver) {
          throw new CallFailedException(Failure.of(FailureCode.IO, "the child's output has ended"));
        }
        if (left <= 0) {
          return Optional.empty();
        }
        left = changed.awaitNanos(left);
      }
      OutputLine line = queue.removeFirst();
      queuedBytes -= cost(line);
      if (isPaused && queuedBytes <= QUEUED_BYTES_MAX) {
        isPaused = false;
        wake();
      }
      return Optional.of(line);
    } finally {
      lock.unlock();
    }
  }

  private static long cost(OutputLine line) {
    return (long) line.text().length() + LINE_COST;
  }
}
