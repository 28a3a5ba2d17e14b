package dev.holdfast.extensions;

import dev.holdfast.resilience.Backoff;
import dev.holdfast.time.Time;
import java.time.Duration;

/**
 * When lists that their server says have changed are read again: soon, but ever more rarely while
 * the server says so whenever they are read. For one thread.
 */
final class ListRefresh {
  private final Backoff waits;
  private final Duration quiet;
  private final Time time;
  private int changes;
  private long doneAt;
  private boolean isWanted;
  private long dueAt;

  /** They have just been read. */
  ListRefresh(Pace pace, Time time) {
    this.waits = new Backoff(pace.settle(), pace.repair());
    this.quiet = pace.heartbeat();
    this.time = time;
    this.doneAt = time.nanos();
  }

  /** The server says that they have changed. */
  void changed() {
    if (isWanted) {
      return;
    }
    long now = time.nanos();
    changes = now - doneAt < quiet.toNanos() ? changes + 1 : 1;
    isWanted = true;
    dueAt = now + waits.after(changes).toNanos();
  }

  boolean isDue() {
    return isWanted && time.nanos() - dueAt >= 0;
  }

  /** How long nothing is to be read; at most {@code limit}. */
  Duration waitAtMost(Duration limit) {
    Duration wait = Duration.ofNanos(dueAt - time.nanos());
    return isWanted && wait.compareTo(limit) < 0 ? wait : limit;
  }

  /** They were read, or cannot be read now. */
  void done() {
    isWanted = false;
    doneAt = time.nanos();
  }
}
