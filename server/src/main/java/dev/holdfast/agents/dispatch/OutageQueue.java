package dev.holdfast.agents.dispatch;

import dev.holdfast.resilience.Backoff;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The turns that wait for a model. While it is away the oldest one probes; once a model has
 * answered, all go on, oldest first, in growing waves. Thread-safe.
 */
final class OutageQueue {
  private static final Logger LOG = LoggerFactory.getLogger(OutageQueue.class);

  private static final Backoff PROBES = new Backoff(Duration.ofSeconds(10), Duration.ofMinutes(2));
  private static final Duration WAVE_PAUSE = Duration.ofMillis(300);
  private static final Duration OUTAGE_ENDS_AFTER = Duration.ofMinutes(1);
  private static final Duration NAP = Duration.ofMillis(200);
  private static final Duration PROBE_PATIENCE = Duration.ofMinutes(1);
  private static final int WAVE_MAX = 256;

  /** Goes on with a thread's parked turn. */
  interface Resume {
    /** {@code probe}: one try only. False when the thread's turn does not wait any more. */
    boolean goOn(String threadId, boolean probe);
  }

  private record Waiting(String threadId, long sinceNanos) {}

  /** A turn that tries, and how many had come to wait before it. */
  private record Probing(String threadId, long returns) {}

  private final Time time;
  private final Supplier<Duration> ttl;
  private final Supplier<Duration> opensIn;
  private final Resume resume;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final TreeMap<Long, Waiting> waiting = new TreeMap<>();
  private boolean away;
  private long awaySince;
  private boolean breakerWasOpen;
  private long returns;
  private long outage;
  private long lastWaitNanos;

  /** The chat thread whose turn tries now; empty: none does. */
  private String probing = "";

  /** The longest that the next probe is waited for; null: it is not waited for. */
  private @Nullable Long probeByNanos;

  private int probesFailed;
  private int wave = 1;
  private volatile boolean anyWaiting;

  /**
   * @param opensIn how long until a model would be called at all
   */
  OutageQueue(Time time, Supplier<Duration> ttl, Supplier<Duration> opensIn, Resume resume) {
    this.time = time;
    this.ttl = ttl;
    this.opensIn = opensIn;
    this.resume = resume;
  }

  /** At a start with parked turns on disk: they wait for a probe, as they did before. */
  void assumeAway() {
    lock.lock();
    try {
      away = true;
      awaySince = time.nanos();
    } finally {
      lock.unlock();
    }
  }

  /** For how long no model could be reached, as far as this process knows; zero while one can. */
  Duration awayFor() {
    lock.lock();
    try {
      return away ? Duration.ofNanos(time.nanos() - awaySince) : Duration.ZERO;
    } finally {
      lock.unlock();
    }
  }

  /** A turn could not reach a model, and has waited for one since then. */
  void add(long seq, String threadId, long sinceNanos) {
    lock.lock();
    try {
      if (!away) {
        LOG.warn("models: unavailable, parking turns");
        awaySince = time.nanos();
      }
      away = true;
      wave = 1;
      returns++;
      lastWaitNanos = time.nanos();
      waiting.put(seq, new Waiting(threadId, sinceNanos)); // one for each active agent at most
      anyWaiting = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** A model has answered. Cheap when nobody waits. */
  void answered() {
    if (!anyWaiting) {
      return;
    }
    lock.lock();
    try {
      if (away) {
        LOG.info("models: available again, resuming {} parked turns", waiting.size());
      }
      away = false;
      probesFailed = 0;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** A turn that tried has ended and says nothing about a model: it was stopped, for example. */
  void probeEnded(String threadId) {
    lock.lock();
    try {
      if (probing.equals(threadId)) {
        probing = "";
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** A turn was stopped while it waited. */
  void remove(long seq) {
    lock.lock();
    try {
      waiting.remove(seq);
    } finally {
      lock.unlock();
    }
  }

  /** The outage of now, by number: another one begins when nothing has waited for a minute. */
  long outage() {
    lock.lock();
    try {
      boolean quiet = time.nanos() - lastWaitNanos > OUTAGE_ENDS_AFTER.toNanos();
      if (outage == 0 || (quiet && waiting.isEmpty())) {
        outage++;
      }
      lastWaitNanos = time.nanos();
      return outage;
    } finally {
      lock.unlock();
    }
  }

  /** Whether turns that were parked may go to a model by themselves. */
  boolean isBack() {
    lock.lock();
    try {
      return !away;
    } finally {
      lock.unlock();
    }
  }

  /** How long until the next probe; empty when there is none to come or one is under way. */
  Optional<Duration> probesIn() {
    lock.lock();
    try {
      Long by = probeByNanos;
      if (by == null || !away || waiting.isEmpty()) {
        return Optional.empty();
      }
      Duration closed = opensIn.get();
      Duration own = Duration.ofNanos(breakerWasOpen ? 0 : Math.max(0, by - time.nanos()));
      return Optional.of(closed.compareTo(own) > 0 ? closed : own);
    } finally {
      lock.unlock();
    }
  }

  /** Runs until interrupted. */
  void run() throws InterruptedException {
    while (true) {
      awaitWaiting();
      expire();
      if (isBack()) {
        release();
        time.sleep(WAVE_PAUSE.plusMillis(ThreadLocalRandom.current().nextInt(100)));
      } else {
        awaitProbeTime();
        probe();
      }
    }
  }

  private void awaitWaiting() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (waiting.isEmpty()) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Sleeps in naps, because a model may answer somebody else meanwhile. */
  private void awaitProbeTime() throws InterruptedException {
    long start = time.nanos();
    Duration own = probePause();
    while (!isBack()) {
      Duration closed = opensIn.get();
      Duration waited = Duration.ofNanos(time.nanos() - start);
      boolean due =
          closed.isZero() && (hasProbedThroughBreaker(waited) || waited.compareTo(own) >= 0);
      if (due) {
        return;
      }
      expire();
      time.sleep(NAP);
    }
  }

  /**
   * The breaker has a growing pause of its own: once it lets a call through, there is no reason to
   * wait longer.
   */
  private boolean hasProbedThroughBreaker(Duration waited) {
    lock.lock();
    try {
      return breakerWasOpen && waited.compareTo(NAP) > 0;
    } finally {
      lock.unlock();
    }
  }

  private Duration probePause() {
    lock.lock();
    try {
      breakerWasOpen = !opensIn.get().isZero();
      Duration pause = PROBES.after(probesFailed + 1);
      probeByNanos = time.nanos() + pause.toNanos();
      return pause;
    } finally {
      lock.unlock();
    }
  }

  /**
   * One turn tries; whether it reached a model comes back through {@link #answered} or {@link
   * #add}. After one that ended without either the next one tries at once.
   */
  private void probe() throws InterruptedException {
    Optional<Probing> next = nextProbing();
    while (next.isPresent()) {
      // Without the lock: who is asked to go on has one of its own, and calls here while it holds
      // that.
      if (resume.goOn(next.get().threadId(), true) && saysWhetherItIsBack(next.get())) {
        return;
      }
      next = nextProbing(); // one that was stopped meanwhile costs no pause
    }
  }

  /** Empty when nobody waits, or need not wait any more. */
  private Optional<Probing> nextProbing() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      probeByNanos = null;
      if (!away || waiting.isEmpty()) {
        return Optional.empty();
      }
      anyWaiting = true; // the probe itself waits for its answer
      String threadId = waiting.pollFirstEntry().getValue().threadId();
      probing = threadId;
      return Optional.of(new Probing(threadId, returns));
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the end of a probe. False when it ended without having asked a model. */
  private boolean saysWhetherItIsBack(Probing probe) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long patience = PROBE_PATIENCE.toNanos();
      while (away && probe.returns() == returns && !probing.isEmpty() && patience > 0) {
        long waitedNanos = Math.min(patience, NAP.toNanos());
        patience += changed.awaitNanos(waitedNanos) - waitedNanos;
        if (isAnyTooOld()) {
          lock.unlock(); // who is given up has a lock of its own
          try {
            expire();
          } finally {
            lock.lock();
          }
        }
      }
      if (away && probing.isEmpty()) {
        return false;
      }
      if (away) {
        probesFailed++;
      }
      return true;
    } finally {
      probing = "";
      lock.unlock();
    }
  }

  /**
   * One wave. The first ones are single, because a breaker that is half open admits one call at a
   * time.
   */
  private void release() {
    List<Waiting> going = new ArrayList<>();
    lock.lock();
    try {
      for (int i = 0; i < wave && !waiting.isEmpty(); i++) {
        going.add(waiting.pollFirstEntry().getValue());
      }
      wave = Math.min(WAVE_MAX, wave * 2);
      anyWaiting = !waiting.isEmpty();
    } finally {
      lock.unlock();
    }
    going.forEach(turn -> resume.goOn(turn.threadId(), false));
  }

  /** Those that have waited too long go on too: they will be given up, and their people told. */
  private void expire() {
    List<Waiting> expired = new ArrayList<>();
    lock.lock();
    try {
      waiting.values().removeIf(turn -> isTooOld(turn) && expired.add(turn));
    } finally {
      lock.unlock();
    }
    expired.forEach(turn -> resume.goOn(turn.threadId(), false));
  }

  private boolean isAnyTooOld() {
    return waiting.values().stream().anyMatch(this::isTooOld);
  }

  private boolean isTooOld(Waiting turn) {
    return time.nanos() - turn.sinceNanos() > ttl.get().toNanos();
  }
}
