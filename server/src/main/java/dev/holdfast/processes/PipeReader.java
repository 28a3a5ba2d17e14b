package dev.holdfast.processes;

import dev.holdfast.libc.Descriptors;
import dev.holdfast.libc.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reads one stream of a child to its end. */
abstract class PipeReader extends ChildPipe {
  private final int chunkBytes;

  /**
   * @param chunkBytes how much is read at once
   */
  PipeReader(int descriptor, int chunkBytes) {
    super(descriptor, false);
    this.chunkBytes = chunkBytes;
  }

  /** What has come, in order. */
  abstract Next take(byte[] bytes);

  @Override
  final Next serve(MemorySegment room) {
    MemorySegment chunk = room.asSlice(0, chunkBytes);
    int bytes = Descriptors.read(descriptor(), chunk);
    if (bytes > 0) {
      return take(chunk.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE));
    }
    return bytes == -Errno.EAGAIN ? Next.WHEN_READY : Next.NEVER;
  }
}
