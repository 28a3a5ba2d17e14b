package dev.holdfast.ingress.wire;

import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many connections one listener has, over all its event loops, and whether there was room for
 * all that came. Thread-safe.
 */
public final class ConnectionCount {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionCount.class);
  private static final Duration LATELY = Duration.ofSeconds(10);
  private static final Duration LOG_EVERY = Duration.ofMinutes(1);

  private final int max;
  private final Time time;
  private final Counter closed;
  private final AtomicInteger open = new AtomicInteger();
  private boolean wasFull;
  private long fullAtNanos;
  private long loggedNanos;

  public ConnectionCount(int max, MeterRegistry meters, Time time) {
    this.max = max;
    this.time = time;
    this.closed =
        Counter.builder("holdfast.http.connections.closed")
            .description("Connections that were closed to make room for others.")
            .register(meters);
  }

  /** Counts one more if there is room for it. */
  boolean tryEnter() {
    if (open.incrementAndGet() <= max) {
      return true;
    }
    open.decrementAndGet();
    return false;
  }

  /** Counts one more, for which another has left. */
  void enter() {
    open.incrementAndGet();
  }

  void left() {
    open.decrementAndGet();
  }

  /**
   * One came for which there was no room.
   *
   * @param made whether another was closed for it
   */
  void full(boolean made, String mostFrom) {
    if (made) {
      closed.increment();
    }
    if (isToldNow()) {
      LOG.warn(
          "http: all {} connections that max_connections allows are open, most of them from {};"
              + " idle ones are closed to make room",
          max,
          mostFrom);
    }
  }

  private synchronized boolean isToldNow() {
    long now = time.nanos();
    boolean isTold = !wasFull || now - loggedNanos >= LOG_EVERY.toNanos();
    if (isTold) {
      loggedNanos = now;
    }
    wasFull = true;
    fullAtNanos = now;
    return isTold;
  }

  /** Whether the limit was reached in the last seconds. */
  public synchronized boolean wasFullLately() {
    return wasFull && time.nanos() - fullAtNanos < LATELY.toNanos();
  }
}
