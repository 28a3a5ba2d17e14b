package dev.holdfast.drills;

import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * Bytes on the heap that nobody needs. They are softly reachable, so that the collector drops them
 * before it gives up. Belongs to the thread of its drill.
 */
public final class Ballast implements Injection.Fault {
  /** Of the heap: the most that is taken. */
  private static final int TAKEN_SHARE = 4;

  /** Of the heap: what is left free. */
  private static final int FREE_SHARE = 3;

  /** Small enough for any collector to move. */
  private static final int CHUNK_BYTES = 256 * 1024;

  private final List<SoftReference<byte[]>> chunks = new ArrayList<>();
  private final long bytesMax;
  private final long bytesFreeMin;
  private final LongSupplier bytesFree;
  private long dropped;

  /**
   * @param heapBytes the most that the heap may hold
   * @param bytesFree what of them is free now
   */
  Ballast(long heapBytes, LongSupplier bytesFree) {
    this.bytesMax = heapBytes / TAKEN_SHARE;
    this.bytesFreeMin = heapBytes / FREE_SHARE;
    this.bytesFree = bytesFree;
  }

  /** That of this process. */
  public static Injection onTheHeap() {
    return _ -> {
      Runtime runtime = Runtime.getRuntime();
      Ballast ballast =
          new Ballast(
              runtime.maxMemory(),
              () -> runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory());
      ballast.fill();
      if (ballast.bytes() == 0) {
        throw DrillRefusedException.conflict(
            "less than a third of the heap is free now: there is pressure enough");
      }
      return ballast;
    };
  }

  void fill() {
    while (bytes() + CHUNK_BYTES <= bytesMax
        && bytesFree.getAsLong() - CHUNK_BYTES > bytesFreeMin) {
      chunks.add(new SoftReference<>(new byte[CHUNK_BYTES]));
    }
  }

  long bytes() {
    return (long) chunks.size() * CHUNK_BYTES;
  }

  /** A chunk is a strike, one that the collector dropped too. */
  @Override
  public long strikes() {
    return chunks.size() + dropped;
  }

  /** What was looked at lately is dropped last. */
  @Override
  public void tick() {
    int before = chunks.size();
    chunks.removeIf(chunk -> Objects.isNull(chunk.get()));
    dropped += before - chunks.size();
  }

  @Override
  public void close() {
    dropped += chunks.size();
    chunks.clear();
  }
}
