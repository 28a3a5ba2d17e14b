package dev.holdfast.processes;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/** Writes a child's input and closes it, on a thread of its own: a child may never read. */
final class StdinWriter implements ChildPipe {
  private static final int LOOK_MILLIS = 100;

  private final Posix posix;
  private final int end;
  private final byte[] input;
  private final Thread thread;
  private volatile boolean abandoned;

  /**
   * @param end the writing end; closed when the input is written or nobody can read it any more
   */
  StdinWriter(Posix posix, int end, byte[] input) {
    this.posix = posix;
    this.end = end;
    this.input = input;
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
  }

  private void writeAll() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment rest = arena.allocateFrom(ValueLayout.JAVA_BYTE, input);
      while (!abandoned && rest.byteSize() > 0) {
        if (!posix.canWrite(end, LOOK_MILLIS)) {
          continue;
        }
        int bytes = posix.write(end, rest);
        if (bytes > 0) {
          rest = rest.asSlice(bytes);
        } else if (posix.isClosed(end)) {
          return;
        }
      }
    } finally {
      posix.close(end);
    }
  }
}
