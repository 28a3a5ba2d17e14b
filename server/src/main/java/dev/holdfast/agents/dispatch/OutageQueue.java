package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.dispatch.OutageMoves.Moment;
import dev.holdfast.agents.dispatch.OutageState.Available;
import dev.holdfast.agents.dispatch.OutageState.Away;
import dev.holdfast.agents.dispatch.OutageState.Probing;
import dev.holdfast.agents.dispatch.WaitingTurns.Turn;
import dev.holdfast.agents.thread.ModelTally;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The turns that wait for a model. {@link OutageMoves} says when models count as away. Then one
 * turn at a time asks, senders in turns, of a sender's the one that has failed least; once a model
 * has answered anybody, all go on, oldest first, in growing waves. A turn that fails while others
 * are answered asks again after pauses of its own and holds up nobody. Thread-safe.
 */
final class OutageQueue {
  private static final Logger LOG = LoggerFactory.getLogger(OutageQueue.class);

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

  /** What the queue asks of the models. */
  interface ModelAccess {
    /** How long until a model would be called at all. */
    Duration opensIn();

    /** How long to leave them alone, by how often they have failed in a row. */
    Backoff pauses();
  }

  /** Turns that fail while others are answered; the first of them tries again in that time. */
  record Alone(int turns, String firstEventId, Duration triesIn) {}

  private final Time time;
  private final Supplier<Duration> ttl;
  private final ModelAccess models;
  private final Resume resume;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final WaitingTurns waiting = new WaitingTurns();
  private volatile OutageState state = Available.UNTRIED;
  private long answers;
  private long failures;
  private boolean breakerWasOpen;
  private long outage;
  private long lastWaitNanos;

  /** The longest that the next probe is waited for; null: it is not waited for. */
  private @Nullable Long probeByNanos;

  private int wave = 1;

  OutageQueue(Time time, Supplier<Duration> ttl, ModelAccess models, Resume resume) {
    this.time = time;
    this.ttl = ttl;
    this.models = models;
    this.resume = resume;
  }

  /** At a start with parked turns on disk: the first one probes at once. */
  void assumeAway() {
    move(new OutageEvent.FoundParked());
  }

  /** For how long no model could be reached, as far as this process knows; zero while one can. */
  Duration awayFor() {
    return switch (state) {
      case Available _ -> Duration.ZERO;
      case Away away -> Duration.ofNanos(time.nanos() - away.sinceNanos());
      case Probing probing -> Duration.ofNanos(time.nanos() - probing.sinceNanos());
    };
  }

  /** A turn waits for a model. */
  void add(Turn turn) {
    lock.lock();
    try {
      lastWaitNanos = time.nanos();
      waiting.add(turn);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** A turn has asked in vain; {@code alone}: models have answered others since it failed last. */
  void failed(String threadId, boolean alone) {
    lock.lock();
    try {
      failures++;
      wave = 1;
      move(new OutageEvent.Failed(threadId, alone));
    } finally {
      lock.unlock();
    }
  }

  /** A turn was not let through to any model. */
  void refused(String threadId) {
    lock.lock();
    try {
      wave = 1;
      move(new OutageEvent.Refused(threadId));
    } finally {
      lock.unlock();
    }
  }

  /** A model has answered. */
  void answered() {
    lock.lock();
    try {
      answers++;
      if (!isBack()) {
        LOG.info("models: available again, resuming parked turns");
      }
      move(new OutageEvent.ModelAnswered());
    } finally {
      lock.unlock();
    }
  }

  /** What models have done so far. */
  ModelTally tally() {
    lock.lock();
    try {
      return new ModelTally(answers, failures);
    } finally {
      lock.unlock();
    }
  }

  private void move(OutageEvent event) {
    lock.lock();
    try {
      boolean wasBack = isBack();
      Moment now = new Moment(time.nanos(), models.pauses().initial());
      state = OutageMoves.next(state, event, now);
      if (wasBack && !isBack()) {
        LOG.warn("models: unavailable, parking turns");
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** A turn that tried has ended and says nothing about a model: it was stopped, for example. */
  void probeEnded(String threadId) {
    move(new OutageEvent.ProbeEnded(threadId));
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
    return state instanceof Available;
  }

  /** How long until the next probe; empty when there is none to come or one is under way. */
  Optional<Duration> probesIn() {
    lock.lock();
    try {
      Long by = probeByNanos;
      if (by == null || !(state instanceof Away) || waiting.isEmpty()) {
        return Optional.empty();
      }
      Duration closed = models.opensIn();
      Duration own = Duration.ofNanos(breakerWasOpen ? 0 : Math.max(0, by - time.nanos()));
      return Optional.of(closed.compareTo(own) > 0 ? closed : own);
    } finally {
      lock.unlock();
    }
  }

  /** The turns that fail while others are answered, if there are any. */
  Optional<Alone> alone() {
    lock.lock();
    try {
      List<Turn> alone = waiting.alone();
      return alone.isEmpty()
          ? Optional.empty()
          : Optional.of(
              new Alone(
                  alone.size(),
                  alone.getFirst().eventId(),
                  alone.getFirst().pauseLeft(models.pauses(), time.nanos())));
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
      Duration closed = models.opensIn();
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
      breakerWasOpen = !models.opensIn().isZero();
      Duration pause =
          state instanceof Away(_, int probesFailed, boolean atOnce) && !atOnce
              ? models.pauses().after(probesFailed + 1)
              : Duration.ZERO;
      probeByNanos = time.nanos() + pause.toNanos();
      return pause;
    } finally {
      lock.unlock();
    }
  }

  /** One turn tries. */
  private void probe() throws InterruptedException {
    Optional<String> next = nextProbing();
    if (next.isEmpty()) {
      return;
    }
    // Without the lock: who is asked to go on has one of its own, and calls here while it holds
    // that.
    if (resume.goOn(next.get(), true)) {
      awaitProbe();
    } else {
      move(new OutageEvent.ProbeEnded(next.get()));
    }
  }

  /** Empty when nobody waits, or need not wait any more. */
  private Optional<String> nextProbing() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      probeByNanos = null;
      if (isBack()) {
        return Optional.empty();
      }
      Optional<String> next = waiting.takeProbe().map(Turn::threadId);
      next.ifPresent(threadId -> move(new OutageEvent.ProbeBegun(threadId)));
      return next;
    } finally {
      lock.unlock();
    }
  }

  private void awaitProbe() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long patience = PROBE_PATIENCE.toNanos();
      while (state instanceof Probing && patience > 0) {
        long waitedNanos = Math.min(patience, NAP.toNanos());
        patience += changed.awaitNanos(waitedNanos) - waitedNanos;
        if (waiting.anyMatch(this::isTooOld)) {
          lock.unlock(); // who is given up has a lock of its own
          try {
            expire();
          } finally {
            lock.lock();
          }
        }
      }
      move(new OutageEvent.ProbeSilent()); // does nothing when it has ended
    } finally {
      lock.unlock();
    }
  }

  /**
   * One wave. The first ones are single, because a breaker that is half open admits one call at a
   * time.
   */
  private void release() {
    if (!models.opensIn().isZero()) {
      return;
    }
    List<Turn> going;
    lock.lock();
    try {
      long now = time.nanos();
      Backoff pauses = models.pauses();
      going = waiting.take(turn -> turn.isDue(answers, pauses, now), wave);
      wave = Math.min(WAVE_MAX, wave * 2);
    } finally {
      lock.unlock();
    }
    going.forEach(turn -> resume.goOn(turn.threadId(), false));
  }

  /** Those that have waited too long go on too: they will be given up, and their people told. */
  private void expire() {
    List<Turn> expired;
    lock.lock();
    try {
      expired = waiting.take(this::isTooOld, Integer.MAX_VALUE);
    } finally {
      lock.unlock();
    }
    expired.forEach(turn -> resume.goOn(turn.threadId(), false));
  }

  private boolean isTooOld(Turn turn) {
    return time.nanos() - turn.sinceNanos() > ttl.get().toNanos();
  }
}
