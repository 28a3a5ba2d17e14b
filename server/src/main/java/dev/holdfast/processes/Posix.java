package dev.holdfast.processes;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * The few calls of the C library that Java has no words for. A pipe of {@link Process} will not do:
 * when the child ends while something else holds the pipe, the JDK reads all that still comes into
 * memory, without a limit.
 */
final class Posix {
  static final int SIGKILL = 9;
  private static final int O_NONBLOCK = 0x800;
  private static final int O_CLOEXEC = 0x80000;
  private static final short POLLIN = 1;
  private static final short POLLOUT = 4;
  private static final int POLLERR = 8;
  private static final int POLLHUP = 16;
  private static final int POLLNVAL = 32;

  private final MethodHandle pipe2;
  private final MethodHandle poll;
  private final MethodHandle read;
  private final MethodHandle write;
  private final MethodHandle close;
  private final MethodHandle kill;
  private final MethodHandle getuid;

  /** A pipe; what is read or written here never blocks, the other side's reopened end does. */
  record Pipe(int readEnd, int writeEnd) {}

  Posix() {
    var i = ValueLayout.JAVA_INT;
    var l = ValueLayout.JAVA_LONG;
    var p = ValueLayout.ADDRESS;
    pipe2 = find("pipe2", FunctionDescriptor.of(i, p, i));
    poll = find("poll", FunctionDescriptor.of(i, p, l, i));
    read = find("read", FunctionDescriptor.of(l, i, p, l));
    write = find("write", FunctionDescriptor.of(l, i, p, l));
    close = find("close", FunctionDescriptor.of(i, i));
    kill = find("kill", FunctionDescriptor.of(i, i, i));
    getuid = find("getuid", FunctionDescriptor.of(i));
  }

  @SuppressWarnings("restricted") // the jar's manifest allows it
  private static MethodHandle find(String name, FunctionDescriptor shape) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), shape);
  }

  /** Null when there is no free descriptor. */
  @Nullable Pipe pipe() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ends = arena.allocate(ValueLayout.JAVA_INT, 2);
      if ((int) pipe2.invokeExact(ends, O_NONBLOCK | O_CLOEXEC) != 0) {
        return null;
      }
      return new Pipe(
          ends.getAtIndex(ValueLayout.JAVA_INT, 0), ends.getAtIndex(ValueLayout.JAVA_INT, 1));
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /** Whether something can be read or the other side is closed; waits at most so long. */
  boolean canRead(int end, int millis) {
    return poll(end, POLLIN, millis);
  }

  boolean canWrite(int end, int millis) {
    return poll(end, POLLOUT, millis);
  }

  private boolean poll(int end, short events, int millis) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment asked = arena.allocate(8, 4);
      asked.set(ValueLayout.JAVA_INT, 0, end);
      asked.set(ValueLayout.JAVA_SHORT, 4, events);
      return (int) poll.invokeExact(asked, 1L, millis) > 0;
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /** How many bytes were read; 0 at the end, below 0 when there is nothing yet. */
  int read(int end, MemorySegment into) {
    try {
      return (int) (long) read.invokeExact(end, into, into.byteSize());
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /** How many bytes were written; below 0 when none could be. */
  int write(int end, MemorySegment from) {
    try {
      return (int) (long) write.invokeExact(end, from, from.byteSize());
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /** Whether nobody is left on the other side. */
  boolean isClosed(int end) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment asked = arena.allocate(8, 4);
      asked.set(ValueLayout.JAVA_INT, 0, end);
      int _ = (int) poll.invokeExact(asked, 1L, 0);
      return (asked.get(ValueLayout.JAVA_SHORT, 6) & (POLLERR | POLLHUP | POLLNVAL)) != 0;
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  void close(int end) {
    try {
      int _ = (int) close.invokeExact(end);
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /** A group when it is below 0. One that is gone already is nothing to report. */
  void kill(long pid, int signal) {
    try {
      int _ = (int) kill.invokeExact((int) pid, signal);
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  boolean isRoot() {
    try {
      return (int) getuid.invokeExact() == 0;
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  private static RuntimeException broken(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return new IllegalStateException("a call of the C library failed", e);
  }
}
