package dev.holdfast.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** Calls that concern processes. */
public final class ProcessCalls {
  public static final int SIGKILL = 9;

  private static final MethodHandle KILL =
      Libc.find("kill", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle GETUID = Libc.find("getuid", FunctionDescriptor.of(JAVA_INT));

  private ProcessCalls() {}

  /** kill(2). A group when it is below 0. One that is gone already is nothing to report. */
  public static void kill(long pid, int signal) {
    Libc.callOnce((_, state) -> (int) KILL.invokeExact(state, (int) pid, signal));
  }

  /** Whether getuid(2) is 0. */
  public static boolean isRoot() {
    // unsigned: the largest users would look like failures
    return Libc.callOnce((_, state) -> Integer.toUnsignedLong((int) GETUID.invokeExact(state)))
        == 0;
  }
}
