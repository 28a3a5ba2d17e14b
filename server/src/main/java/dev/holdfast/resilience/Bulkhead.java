package dev.holdfast.resilience;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Lets only so many calls run at once; the others wait in a fair line, only so many and only so
 * long. Thread-safe.
 */
final class Bulkhead {
  /** More than this in line are refused at once. */
  static final int WAITING_MAX = 10_000;

  private final String name;
  private final int placesMax;
  private final Duration waitMax;
  private final Time time;
  private final FairLine<Waiting> line = new FairLine<>();
  private int taken;

  /** A call in line: true when it got a place, false when it gave up. */
  private static final class Waiting {
    final CompletableFuture<Boolean> given = new CompletableFuture<>();
  }

  Bulkhead(String name, int placesMax, Duration waitMax, Time time) {
    this.name = name;
    this.placesMax = placesMax;
    this.waitMax = waitMax;
    this.time = time;
  }

  /**
   * Takes a place, blocking until one is free. Whoever returns from here must {@link #leave()}.
   *
   * @param flow with whom it shares its turns in the line
   * @throws CallFailedException {@code BULKHEAD_FULL} when the line or the wait is too long
   */
  void enter(Deadline deadline, FlowKey flow) throws CallFailedException, InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Waiting place = new Waiting();
    synchronized (line) {
      if (taken < placesMax && line.isEmpty()) {
        taken++;
        return;
      }
      if (line.size() >= WAITING_MAX || waitMax.isZero()) {
        throw full();
      }
      line.add(flow, place);
    }
    Duration left = deadline.left();
    Time.Timer timer =
        time.after(left.compareTo(waitMax) < 0 ? left : waitMax, () -> giveUp(flow, place));
    try {
      if (!place.given.get()) {
        throw full();
      }
    } catch (InterruptedException e) {
      if (!giveUp(flow, place) && place.given.resultNow()) {
        leave(); // the place was given in the same moment
      }
      throw e;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      timer.cancel();
    }
  }

  /** Gives a place back, to the next in line if there is one. */
  void leave() {
    synchronized (line) {
      while (!line.isEmpty()) {
        if (line.poll().orElseThrow().given.complete(true)) {
          return;
        }
      }
      taken--;
    }
  }

  /** How many calls run now. */
  int taken() {
    synchronized (line) {
      return taken;
    }
  }

  /** How many stand in line. */
  int waiting() {
    synchronized (line) {
      return line.size();
    }
  }

  /** False when the place has been given already. */
  private boolean giveUp(FlowKey flow, Waiting place) {
    synchronized (line) {
      line.remove(flow, place);
      return place.given.complete(false);
    }
  }

  private CallFailedException full() {
    return new CallFailedException(
        Failure.of(
            FailureCode.BULKHEAD_FULL, name + ": " + placesMax + " calls are under way already"));
  }
}
