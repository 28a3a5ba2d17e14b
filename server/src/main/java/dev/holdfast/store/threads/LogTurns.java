package dev.holdfast.store.threads;

import java.util.Arrays;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Who may write to the log of a chat thread: one at a time. Its agent does, and so does whoever
 * obeys a command meanwhile. Thread-safe.
 */
final class LogTurns {
  private static final int STRIPES = 64;

  private final Lock[] stripes = new Lock[STRIPES];

  LogTurns() {
    Arrays.setAll(stripes, _ -> new ReentrantLock());
  }

  Lock of(String threadId) {
    return stripes[Math.floorMod(threadId.hashCode(), STRIPES)];
  }
}
