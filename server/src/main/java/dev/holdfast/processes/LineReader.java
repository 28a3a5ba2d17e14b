package dev.holdfast.processes;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.processes.LineProcessSpec.LongLine;
import dev.holdfast.processes.OutputLine.Ending;
import dev.holdfast.time.Time;
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

  private static final int POLL_MILLIS = 500;
  private static final int CHUNK = 16 << 10;
  private static final Duration FLOOD_PAUSE = Duration.ofNanos(150_000);

  private final LineProcessSpec spec;
  private final Time time;
  private final LineSplitter splitter;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<OutputLine> queue = new ArrayDeque<>();
  private long queuedBytes;
  private boolean hasEnded;
  private @Nullable Failure broken;

  LineReader(int end, LineProcessSpec spec, Time time) {
    super(end, POLL_MILLIS, CHUNK);
    this.spec = spec;
    this.time = time;
    this.splitter = new LineSplitter(spec.lineBytesMax(), this::put);
  }

  @Override
  void take(byte[] bytes) throws InterruptedException {
    splitter.take(bytes);
    if (splitter.isDropping()) {
      failIfAsked();
    }
    if (splitter.isDropping() || isBroken()) {
      time.sleep(FLOOD_PAUSE); // a flood must not take a processor from other work
    }
  }

  @Override
  void onEnd() {
    try {
      splitter.end();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    change(() -> hasEnded = true);
  }

  @Override
  public void abandon() {
    super.abandon();
    change(() -> {});
  }

  private void put(OutputLine line) throws InterruptedException {
    if (line.ending() == Ending.CUT) {
      failIfAsked();
    }
    lock.lock();
    try {
      while (queuedBytes > QUEUED_BYTES_MAX && broken == null && !isAbandoned()) {
        changed.await();
      }
      if (broken == null) {
        queue.addLast(line);
        queuedBytes += cost(line);
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private void failIfAsked() {
    if (spec.onLongLine() == LongLine.FAIL) {
      String text = "the child wrote a line of more than " + spec.lineBytesMax() + " bytes";
      change(() -> broken = Failure.of(FailureCode.BACKEND_FAILURE, text));
    }
  }

  private boolean isBroken() {
    lock.lock();
    try {
      return broken != null;
    } finally {
      lock.unlock();
    }
  }

  private void change(Runnable what) {
    lock.lock();
    try {
      what.run();
      changed.signalAll();
    } finally {
      lock.unlock();
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
        if (hasEnded) {
          throw new CallFailedException(Failure.of(FailureCode.IO, "the child's output has ended"));
        }
        if (left <= 0) {
          return Optional.empty();
        }
        left = changed.awaitNanos(left);
      }
      OutputLine line = queue.removeFirst();
      queuedBytes -= cost(line);
      changed.signalAll();
      return Optional.of(line);
    } finally {
      lock.unlock();
    }
  }

  private static long cost(OutputLine line) {
    return (long) line.text().length() + LINE_COST;
  }
}
