package dev.holdfast.processes;

import dev.holdfast.libc.Descriptors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/** Reads one stream of a child to its end on a thread of its own. */
abstract class PipeReader implements ChildPipe {
  private final int end;
  private final int pollMillis;
  private final int chunkBytes;
  private final Thread thread;
  private volatile boolean abandoned;

  /**
   * @param end the reading end; closed when the thread ends
   * @param pollMillis how long it may take to notice that it was abandoned
   * @param chunkBytes how much is read at once; the memory for it is held while the child runs
   */
  PipeReader(int end, int pollMillis, int chunkBytes) {
    this.end = end;
    this.pollMillis = pollMillis;
    this.chunkBytes = chunkBytes;
    this.thread = Thread.ofPlatform().name("child output").daemon().unstarted(this::readAll);
  }

  /** What has come, in order. May wait: nothing more is read meanwhile. */
  abstract void take(byte[] bytes) throws InterruptedException;

  /** Nothing more comes. */
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

  final boolean isAbandoned() {
    return abandoned;
  }

  private void readAll() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment chunk = arena.allocate(chunkBytes);
      while (!abandoned) {
        if (!Descriptors.canRead(end, pollMillis)) {
          continue;
        }
        int bytes = Descriptors.read(end, chunk);
        if (bytes == 0) {
          return;
        }
        if (bytes > 0) {
          take(chunk.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE));
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // nobody does; then it is the end of reading
    } finally {
      Descriptors.close(end);
      onEnd();
    }
  }
}
