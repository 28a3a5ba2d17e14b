package dev.holdfast.ingress.wire;

import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The memory that large answers of the API may take together, over all event loops, and how much of
 * it one caller may have. It is taken before anything is read from the disk, in the order of
 * arrival; once an answer is made it keeps what it really takes, until it is written. When others
 * wait, answers that a client has not read for a while are cut. Thread-safe.
 */
public final class AnswerBudget {
  private static final int UNIT_BYTES = 1024;

  /**
   * What making a large answer takes: a page of a few megabytes, as it is read, parsed and written.
   */
  private static final long LARGE_BYTES = 32L * 1024 * 1024;

  private static final int HEAP_SHARE = 8;
  private static final Duration WAIT_MAX = Duration.ofSeconds(5);

  /** After so many parts of the wait it is looked for answers that nobody reads. */
  private static final int LOOKS = 5;

  /** Of one caller, made, waiting or on their way. */
  private static final int ANSWERS_MAX = 256;

  private static final long SLOW_NANOS = 5_000_000_000L;

  private final int shareUnits;
  private final int largeUnits;
  private final Semaphore all;
  private final Duration waitMax;
  private final Time time;
  private final Map<String, Share> shares = new HashMap<>();

  /** Those on their way to their clients, the oldest first. */
  private final SequencedSet<Booking> leaving = new LinkedHashSet<>();

  /** What came of asking for memory. */
  public enum Grant {
    GRANTED,
    /** The caller has its share already. */
    SHARE_IS_USED,
    /** All is in use. */
    ALL_IS_USED
  }

  private static final class Share {
    final Semaphore units;
    int answers;

    Share(int units) {
      this.units = new Semaphore(units, true);
    }
  }

  /**
   * Of {@code bytes} a caller may have half.
   *
   * @param waitMax how long an answer waits for its caller's share, and then for memory
   */
  public AnswerBudget(long bytes, Duration waitMax, Time time) {
    int units = Math.toIntExact(Math.clamp(bytes / UNIT_BYTES, 2, Integer.MAX_VALUE));
    this.shareUnits = units / 2;
    this.largeUnits = (int) Math.min(shareUnits, LARGE_BYTES / UNIT_BYTES);
    this.all = new Semaphore(units, true);
    this.waitMax = waitMax;
    this.time = time;
  }

  /** An eighth of the heap. */
  public static AnswerBudget ofHeap(Time time) {
    return new AnswerBudget(Runtime.getRuntime().maxMemory() / HEAP_SHARE, WAIT_MAX, time);
  }

  /** For one answer, which takes nothing yet. */
  public Booking open(String caller) {
    return new Booking(caller);
  }

  /** What is taken, in bytes. */
  synchronized long bytes() {
    return (2L * shareUnits - Math.min(2L * shareUnits, all.availablePermits())) * UNIT_BYTES;
  }

  synchronized int callers() {
    return shares.size();
  }

  private synchronized @Nullable Share enter(String caller) {
    Share share = shares.computeIfAbsent(caller, _ -> new Share(shareUnits));
    if (share.answers >= ANSWERS_MAX) {
      return null;
    }
    share.answers++;
    return share;
  }

  private synchronized void leave(String caller) {
    shares.computeIfPresent(caller, (_, share) -> --share.answers == 0 ? null : share);
  }

  /** {@code whose}: the bookings that take from it. */
  private boolean await(Semaphore from, Predicate<Booking> whose) throws InterruptedException {
    long partNanos = waitMax.dividedBy(LOOKS).toNanos();
    for (int look = 0; look < LOOKS; look++) {
      if (from.tryAcquire(largeUnits, partNanos, TimeUnit.NANOSECONDS)) {
        return true;
      }
      slowest(whose).forEach(booking -> booking.cut.run());
    }
    return false;
  }

  /** As many as another answer needs. */
  private synchronized List<Booking> slowest(Predicate<Booking> whose) {
    long now = time.nanos();
    List<Booking> slow = new ArrayList<>();
    int units = 0;
    for (Booking booking : leaving) {
      if (units < largeUnits
          && whose.test(booking)
          && now - booking.leavingSinceNanos > SLOW_NANOS) {
        slow.add(booking);
        units += booking.units;
      }
    }
    return slow;
  }

  /** One answer. */
  public final class Booking {
    private final String caller;
    private @Nullable Share share;
    private int units;
    private long leavingSinceNanos;
    private Runnable cut = () -> {};

    private Booking(String caller) {
      this.caller = caller;
    }

    /** Takes what making a large answer takes; blocks until it is there, for some seconds. */
    public Grant take() throws InterruptedException {
      Share mine = enter(caller);
      if (mine == null) {
        return Grant.SHARE_IS_USED;
      }
      Grant grant = Grant.SHARE_IS_USED;
      boolean hasShare = false;
      try {
        hasShare = await(mine.units, booking -> booking.share == mine);
        if (hasShare) {
          grant = await(all, _ -> true) ? Grant.GRANTED : Grant.ALL_IS_USED;
        }
      } finally {
        if (grant == Grant.GRANTED) {
          share = mine;
          units = largeUnits;
        } else {
          if (hasShare) {
            mine.units.release(largeUnits);
          }
          leave(caller);
        }
      }
      return grant;
    }

    /**
     * The answer is made and on its way.
     *
     * @param cut called on any thread, to return at once, when others need its memory and its
     *     client has not read it; it ends with {@link #close}, too
     */
    public void leaves(long bytes, Runnable cut) {
      synchronized (AnswerBudget.this) {
        if (share != null) {
          int taken = (int) Math.min(units, (bytes + UNIT_BYTES - 1) / UNIT_BYTES);
          giveBack(share, units - taken);
          this.cut = cut;
          leavingSinceNanos = time.nanos();
          leaving.addLast(this);
        }
      }
    }

    /** Its memory is free again; of no effect a second time. */
    public void close() {
      synchronized (AnswerBudget.this) {
        if (share != null) {
          giveBack(share, units);
          share = null;
          leaving.remove(this);
          leave(caller);
        }
      }
    }

    private void giveBack(Share from, int count) {
      units -= count;
      from.units.release(count);
      all.release(count);
    }
  }
}
