package dev.holdfast.supervision;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.nio.charset.StandardCharsets;
import org.slf4j.LoggerFactory;

/**
 * Ends the process when it is out of memory: also of direct memory and of native threads, which the
 * JVM's own switch does not see. A process that limps on breaks promises that a restarted one
 * keeps.
 */
public final class Fatal {
  /** The exit status of a process that ran out of memory. */
  public static final int OUT_OF_MEMORY = 3;

  private static final int CAUSES_MAX = 20;

  /** Made at the start: what is said without memory must be there already. */
  private static final byte[] LAST_LINE =
      ("holdfast: out of memory; the server ends with status " + OUT_OF_MEMORY + "\n")
          .getBytes(StandardCharsets.US_ASCII);

  private static final FileOutputStream STANDARD_ERROR = new FileOutputStream(FileDescriptor.err);

  /** Whoever reads the standard error may hold up the end so often and so long. */
  private static final int WAITS_MAX = 10;

  private static final int WAIT_MILLIS = 100;

  private static final Object ENDING = new Object();
  private static boolean isEnding;

  private Fatal() {}

  /** Watches every thread that ends by a throw. Call once, before anything else runs. */
  public static void haltOnOutOfMemory() {
    // Asked for now: a process without memory can load and link nothing.
    Runtime.getRuntime();
    check(new IllegalStateException("nothing is wrong"));
    Thread.ofPlatform().daemon().name("out of memory").start(Fatal::haltInTime);
    Thread.setDefaultUncaughtExceptionHandler(Fatal::uncaught);
  }

  /**
   * To be called with whatever a loop, an event loop or an executor has caught; halts if memory has
   * run out.
   */
  public static void check(Throwable thrown) {
    if (isOutOfMemory(thrown)) {
      try {
        tellEnding();
        STANDARD_ERROR.write(LAST_LINE);
      } catch (Throwable _) {
        // Nothing more can be said.
      } finally {
        // No shutdown hook: it would need memory, and the disk is consistent at every instant.
        Runtime.getRuntime().halt(OUT_OF_MEMORY);
      }
    }
  }

  private static void tellEnding() {
    synchronized (ENDING) {
      if (!isEnding) {
        isEnding = true;
        ENDING.notifyAll();
      }
    }
  }

  /** On a thread that was there before: a last line that nobody reads may not prevent the end. */
  private static void haltInTime() {
    try {
      synchronized (ENDING) {
        while (!isEnding) {
          ENDING.wait();
        }
        for (int waits = 0; waits < WAITS_MAX; waits++) {
          ENDING.wait(WAIT_MILLIS);
        }
      }
    } catch (InterruptedException _) {
      return; // nobody does that
    }
    Runtime.getRuntime().halt(OUT_OF_MEMORY);
  }

  /** Whether memory has run out, as far as the throwable and its causes say. */
  public static boolean isOutOfMemory(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < CAUSES_MAX; depth++, cause = cause.getCause()) {
      if (cause instanceof OutOfMemoryError) {
        return true;
      }
    }
    return false;
  }

  private static void uncaught(Thread thread, Throwable thrown) {
    check(thrown);
    LoggerFactory.getLogger(Fatal.class)
        .error("thread {}: ended by {}", thread.getName(), Crash.describe(thrown));
  }
}
