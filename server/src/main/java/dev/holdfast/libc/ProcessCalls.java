package dev.holdfast.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** Calls that concern processes. */
public final class ProcessCalls {
  public static final int SIGKILL = 9;
  public static final int SIGCONT = 18;
  public static final int SIGSTOP = 19;

  private static final MethodHandle KILL =
      Libc.find("kill", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle GETUID = Libc.find("getuid", FunctionDescriptor.of(JAVA_INT));

  private static final MethodHandle SETPRIORITY =
      Libc.find("setpriority", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));

  /** PRIO_PROCESS; with 0 beside it, Linux takes it for the calling thread alone. */
  private static final int THIS_THREAD = 0;

  /** A tenth of what another thread gets while both want the processor. */
  private static final int LATER_THAN_OTHERS = 10;

  private ProcessCalls() {}

  /**
   * setpriority(2): from now on the calling platform thread leaves the processor to others. A
   * refusal changes nothing and is not reported.
   */
  public static void yieldToOthers() {
    Libc.callOnce(
        (_, state) -> (int) SETPRIORITY.invokeExact(state, THIS_THREAD, 0, LATER_THAN_OTHERS));
  }

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
