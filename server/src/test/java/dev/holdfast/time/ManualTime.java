package dev.holdfast.time;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Time that moves only when a test says so. A sleep passes at once and moves the clock; timers run
 * on the mover's thread.
 */
public final class ManualTime implements Time {
  private final List<Duration> sleeps = new ArrayList<>();
  private final List<Waiting> waiting = new ArrayList<>();
  private Instant wall = Instant.parse("2026-01-01T00:00:00Z");
  private long nanos;

  private record Waiting(long dueNanos, Runnable task) {}

  @Override
  public synchronized Instant now() {
    return wall;
  }

  @Override
  public synchronized long nanos() {
    return nanos;
  }

  @Override
  public void sleep(Duration wait) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    synchronized (this) {
      sleeps.add(wait);
    }
    advance(wait);
  }

  @Override
  public synchronized Timer after(Duration wait, Runnable task) {
    Waiting timer = new Waiting(nanos + wait.toNanos(), task);
    waiting.add(timer);
    return () -> {
      synchronized (this) {
        waiting.remove(timer);
      }
    };
  }

  /** Every sleep so far, in order. */
  public synchronized List<Duration> sleeps() {
    return List.copyOf(sleeps);
  }

  /** How many timers wait. */
  public synchronized int timers() {
    return waiting.size();
  }

  /** Moves both clocks and runs the timers that come due, in their order, each at its own time. */
  public void advance(Duration by) {
    long end = nanos() + by.toNanos();
    for (Waiting next = takeDue(end); next != null; next = takeDue(end)) {
      next.task().run();
    }
    moveTo(end);
  }

  /** Moves both clocks as over a process that does nothing: what came due runs only at the end. */
  public void standStill(Duration by) {
    moveTo(nanos() + by.toNanos());
    advance(Duration.ZERO);
  }

  /** Moves the wall clock alone, as an operator or a broken time server does. */
  public synchronized void jumpWall(Duration by) {
    wall = wall.plus(by);
  }

  private synchronized @org.jspecify.annotations.Nullable Waiting takeDue(long end) {
    Waiting next =
        waiting.stream()
            .filter(timer -> timer.dueNanos() <= end)
            .min(Comparator.comparingLong(Waiting::dueNanos))
            .orElse(null);
    if (next != null) {
      waiting.remove(next);
      moveTo(Math.max(nanos, next.dueNanos()));
    }
    return next;
  }

  private synchronized void moveTo(long end) {
    if (end > nanos) {
      wall = wall.plusNanos(end - nanos);
      nanos = end;
    }
  }
}
