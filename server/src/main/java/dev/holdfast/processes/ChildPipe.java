package dev.holdfast.processes;

import java.time.Duration;

/** Our end of one stream of a child, served by a thread of its own. */
interface ChildPipe {
  void start();

  /** Whether the stream has come to its end. */
  boolean join(Duration wait) throws InterruptedException;

  /** Serves it no further although something may still hold it open. Returns at once. */
  void abandon();
}
