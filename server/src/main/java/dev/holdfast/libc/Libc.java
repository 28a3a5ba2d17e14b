package dev.holdfast.libc;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** Links functions of the C library and calls them. */
final class Libc {
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));

  private Libc() {}

  /** One call of a linked function, which takes {@code state} first. */
  interface Invocation {
    long run(Arena arena, MemorySegment state) throws Throwable;
  }

  /**
   * A function whose handle takes, before its own arguments, the memory that {@code errno} is
   * written to.
   *
   * @throws java.util.NoSuchElementException when this C library has no such function
   */
  @SuppressWarnings("restricted") // the jar's manifest allows it
  static MethodHandle find(String name, FunctionDescriptor shape, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    Linker.Option[] all = new Linker.Option[options.length + 1];
    all[0] = Linker.Option.captureCallState("errno");
    System.arraycopy(options, 0, all, 1, options.length);
    return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), shape, all);
  }

  /** The function's result, or the negative {@link Errno}. */
  static long callOnce(Invocation invocation) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      long result = invocation.run(arena, state);
      return result >= 0 ? result : -(int) ERRNO.get(state, 0L);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a call of the C library failed", e);
    }
  }

  /** As {@link #callOnce}, again for as long as a signal ends it. */
  static long call(Invocation invocation) {
    long result;
    do {
      result = callOnce(invocation);
    } while (result == -Errno.EINTR);
    return result;
  }
}
