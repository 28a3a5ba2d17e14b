package dev.holdfast.processes;

import dev.holdfast.libc.Descriptors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Writes a child's input on a thread of its own: a child may never read. */
abstract class PipeWriter implements ChildPipe {
  private static final int POLL_MILLIS = 100;

  private final int end;
  private final Thread thread;
  private volatile boolean abandoned;

  /**
   * @param end the writing end; closed when the thread ends
   */
  PipeWriter(int end) {
    this.end = end;
    this.thread = Thread.ofPlatform().name("child input").daemon().unstarted(this::writeAll);
  }

  /** What is written next; null ends the input. May wait. */
  abstract byte @Nullable [] next() throws InterruptedException;

  /** So many bytes, all that {@link #next} returned last, are with the child. */
  void onWritten(int bytes) {}

  /** Nothing more is written, and the child's input is closed. */
  void onEnd() {}

  @Override
  public final void start() {
    thread.start();
  }

  @Override
  public final boolean join(Duration wait) throws InterruptedException {
    return thread.join(wait);
  }

  @Override
  public void abandon() {
    abandoned = true;
  }

  private void writeAll() {
    try {
      for (byte[] next = next(); next != null && write(next); next = next()) {
        onWritten(next.length);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // nobody does; then it is the end of writing
    } finally {
      Descriptors.close(end);
      onEnd();
    }
  }

  /** False when it was abandoned or nobody can read it any more. */
  private boolean write(byte[] bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment rest = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
      while (!abandoned && rest.byteSize() > 0) {
        if (!Descriptors.canWrite(end, POLL_MILLIS)) {
          continue;
        }
        int written = Descriptors.write(end, rest);
        if (written > 0) {
          rest = rest.asSlice(written);
        } else if (Descriptors.isClosed(end)) {
          return false;
        }
      }
      return !abandoned;
    }
  }
}
