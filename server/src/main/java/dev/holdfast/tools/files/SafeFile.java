package dev.holdfast.tools.files;

import dev.holdfast.libc.Descriptors;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * A plain file that is open for reading. What {@link #status} says is said of the open file, so
 * that nothing can be swapped in behind it. For one thread; an interrupt does not close it.
 */
final class SafeFile extends InputStream {
  private static final int BUFFER_BYTES = 65_536;

  private final int open;
  private final FileStatus status;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment buffer = arena.allocate(BUFFER_BYTES);

  SafeFile(int open, FileStatus status) {
    this.open = open;
    this.status = status;
  }

  /** As it was when it was opened. */
  FileStatus status() {
    return status;
  }

  /**
   * @throws FileFailedException when somebody wrote to it since it was opened
   */
  void requireUnchanged(String name) throws FileFailedException {
    if (!LinuxCalls.status(open).isUnchanged(status)) {
      throw new FileFailedException(
          FileFailedException.Why.CHANGED, name + ": is being changed by somebody else");
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, into.length);
    if (length == 0) {
      return 0;
    }
    try {
      int read = LinuxCalls.read(open, buffer.asSlice(0, Math.min(length, BUFFER_BYTES)));
      if (read == 0) {
        return -1;
      }
      MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, into, offset, read);
      return read;
    } catch (FileFailedException e) {
      throw new IOException(e.failure().message(), e);
    }
  }

  @Override
  public void close() {
    arena.close();
    Descriptors.close(open);
  }
}
