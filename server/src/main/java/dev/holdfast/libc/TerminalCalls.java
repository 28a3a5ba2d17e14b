package dev.holdfast.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls that concern a terminal. */
public final class TerminalCalls {
  private static final long TIOCGWINSZ = 0x5413;
  private static final int WINSIZE_BYTES = 8;

  private static final MethodHandle IOCTL =
      Libc.find(
          "ioctl",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
          Linker.Option.firstVariadicArg(2));

  private TerminalCalls() {}

  /** ioctl(2): how many columns the terminal has; 0 when it does not say or is none. */
  public static int columns(int descriptor) {
    return (int)
        Math.max(
            0,
            Libc.call(
                (arena, state) -> {
                  MemorySegment size = arena.allocate(WINSIZE_BYTES, 2);
                  int done = (int) IOCTL.invokeExact(state, descriptor, TIOCGWINSZ, size);
                  return done < 0 ? done : Short.toUnsignedInt(size.get(JAVA_SHORT, 2));
                }));
  }
}
