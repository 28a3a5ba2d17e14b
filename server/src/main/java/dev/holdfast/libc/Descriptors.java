package dev.holdfast.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/** What can be done with an open file descriptor, whatever is behind it. */
public final class Descriptors {
  private static final MethodHandle PIPE2 =
      Libc.find("pipe2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle READ =
      Libc.find("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle WRITE =
      Libc.find("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle CLOSE =
      Libc.find("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  private Descriptors() {}

  /** A pipe; what is read or written here never blocks, the other side's reopened end does. */
  public record Pipe(int readEnd, int writeEnd) {}

  /** pipe2(2), closed in children; null when there is no free descriptor. */
  public static @Nullable Pipe pipe() {
    try (Arena outer = Arena.ofConfined()) {
      MemorySegment ends = outer.allocate(JAVA_INT, 2);
      int flags = OpenFlags.NO_WAIT | OpenFlags.CLOSE_IN_CHILDREN;
      if (Libc.call((_, state) -> (int) PIPE2.invokeExact(state, ends, flags)) < 0) {
        return null;
      }
      return new Pipe(ends.getAtIndex(JAVA_INT, 0), ends.getAtIndex(JAVA_INT, 1));
    }
  }

  /** read(2): how many bytes were read, 0 at the end, or the negative {@link Errno}. */
  public static int read(int descriptor, MemorySegment into) {
    return (int)
        Libc.call((_, state) -> (long) READ.invokeExact(state, descriptor, into, into.byteSize()));
  }

  /** write(2): how many bytes were written, or the negative {@link Errno}. */
  public static int write(int descriptor, MemorySegment from) {
    return (int)
        Libc.call((_, state) -> (long) WRITE.invokeExact(state, descriptor, from, from.byteSize()));
  }

  /**
   * close(2), once, whatever it says: the descriptor is gone also when a signal came, so that a
   * second try would close what somebody else has opened meanwhile. What must be durable is synced
   * before.
   */
  public static void close(int descriptor) {
    Libc.callOnce((_, state) -> (int) CLOSE.invokeExact(state, descriptor));
  }
}
