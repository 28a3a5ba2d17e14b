package dev.holdfast.processes;

import dev.holdfast.libc.Descriptors;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Our end of one stream of a child, served by a {@link PipeLoop}. */
abstract class ChildPipe {
  private final int descriptor;
  private final boolean isInput;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable PipeLoop loop;
  private final AtomicBoolean isOver = new AtomicBoolean();
  private volatile boolean abandoned;

  /** When a stream is to be served again. */
  enum Next {
    WHEN_READY,
    /** After a pause: a flood must not take a processor from other work. */
    AFTER_REST,
    /** Not before {@link #wake} is called. */
    WHEN_WOKEN,
    /** It has come to its end. */
    NEVER
  }

  /**
   * @param descriptor never blocks; closed by the loop
   * @param isInput whether the child reads from it
   */
  ChildPipe(int descriptor, boolean isInput) {
    this.descriptor = descriptor;
    this.isInput = isInput;
  }

  /**
   * Reads or writes what is possible at once. On the loop's thread: it waits for nothing.
   *
   * @param room memory that may be used meanwhile, {@link PipeLoop#CHUNK} bytes
   */
  abstract Next serve(MemorySegment room);

  /** Nothing more is read or written, and the descriptor will be closed. On the loop's thread. */
  void onEnd() {}

  final int descriptor() {
    return descriptor;
  }

  final boolean isInput() {
    return isInput;
  }

  final void start(PipeLoop serving) {
    loop = serving;
    serving.add(this);
  }

  /** There is something to do for it although it said that there is not. Returns at once. */
  final void wake() {
    PipeLoop serving = loop;
    if (serving != null && !hasEnded()) {
      serving.add(this);
    }
  }

  /** Whether the stream has come to its end. */
  final boolean join(Duration wait) throws InterruptedException {
    return ended.await(wait.toNanos(), TimeUnit.NANOSECONDS);
  }

  final boolean hasEnded() {
    return ended.getCount() == 0;
  }

  /** Serves it no further although something may still hold it open. Returns at once. */
  void abandon() {
    abandoned = true;
    wake();
  }

  final boolean isAbandoned() {
    return abandoned;
  }

  /** By the loop. */
  final void end() {
    if (isOver.compareAndSet(false, true)) {
      onEnd();
      Descriptors.close(descriptor);
      ended.countDown();
    }
  }
}
