package dev.holdfast.bus;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.resilience.BreakerPermit;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.HoldfastBreaker;
import dev.holdfast.time.Time;
import io.vertx.circuitbreaker.CircuitBreakerState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the queue to NATS: in order within a subject, of which one event at a time is under way,
 * and many subjects at once. An event leaves the queue when the server has acknowledged it.
 *
 * <p>Whatever leaves open whether an event has arrived ends the connection, and all that was under
 * way is published again, in its order, under the same ids. One thread runs it; the rest is
 * thread-safe.
 */
final class Publisher {
  private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);

  private static final int UNDER_WAY_MAX = 512;
  private static final int PAGE = 1000;

  /** What is held in memory of the queue: events, and units of UTF-16. */
  private static final int LOADED_MAX = 20_000;

  private static final long UNITS_MAX = 16L * 1024 * 1024;
  private static final int REMOVED_AT_ONCE = 256;
  private static final Duration CALL_MAX = Duration.ofSeconds(15);
  private static final Duration LOOK_PERIOD = Duration.ofMillis(250);
  private static final Duration AGE_PERIOD = Duration.ofSeconds(1);

  /**
   * How long it waits.
   *
   * @param ackMax for one acknowledgement, before the connection counts as lost
   * @param refused before it publishes again what was refused
   */
  record Waits(Duration ackMax, Duration refused) {
    static final Waits USUAL = new Waits(Duration.ofSeconds(5), Duration.ofSeconds(1));
  }

  private final DiskQueue queue;
  private final Broker broker;
  private final int attemptsMax;
  private final HoldfastBreaker breaker;
  private final BusMetrics metrics;
  private final Waits waits;
  private final Time time;
  private final BlockingQueue<Step> steps = new LinkedBlockingQueue<>();
  private final AtomicBoolean told = new AtomicBoolean();
  private volatile Broker.@Nullable Session shown;
  private volatile String trouble = "";
  private volatile @Nullable Instant oldest;

  // Of the one thread.
  private final Map<String, Lane> lanes = new HashMap<>();
  private final Deque<Lane> ready = new ArrayDeque<>();
  private final Map<Long, UnderWay> underWay = new LinkedHashMap<>();
  private final List<Paused> paused = new ArrayList<>();
  private final List<Long> taken = new ArrayList<>();

  /** Have left the queue, though their rows may still be read. */
  private final Set<Long> gone = new HashSet<>();

  private Broker.@Nullable Session session;
  private boolean mayBeMore = true;
  private long readUpTo;
  private int loaded;
  private long units;
  private long ageNanos;

  /** What another thread has to say. */
  private sealed interface Step {
    /** Something was added to the queue, or the breaker has changed: look. */
    record Look() implements Step {}

    /** An event came back to a place before others. */
    record Rewound() implements Step {}

    /** The rows are not there any more. */
    record Removed(List<Long> seqs) implements Step {}

    record Lost(Broker.Session session, String why) implements Step {}

    record Answered(Broker.Session session, long seq, @Nullable Throwable failure)
        implements Step {}
  }

  /** The events of one subject, the oldest first. */
  private static final class Lane {
    final Deque<QueuedEvent> events = new ArrayDeque<>();
    boolean isBusy;
    int refusals;
  }

  private record UnderWay(
      Lane lane, QueuedEvent event, long sinceNanos, @Nullable BreakerPermit permit) {}

  /** A subject whose first event was refused. */
  private record Paused(Lane lane, long untilNanos) {}

  Publisher(
      DiskQueue queue,
      Broker broker,
      int attemptsMax,
      HoldfastBreaker breaker,
      BusMetrics metrics,
      Waits waits,
      Time time) {
    this.queue = queue;
    this.broker = broker;
    this.attemptsMax = attemptsMax;
    this.breaker = breaker;
    this.metrics = metrics;
    this.waits = waits;
    this.time = time;
    queue.onAdded(this::look);
    queue.onReplayed(() -> steps.add(new Step.Rewound()));
    breaker.onChange(_ -> look());
  }

  private void look() {
    if (told.compareAndSet(false, true)) {
      steps.add(new Step.Look());
    }
  }

  /** Why nothing goes to NATS now; empty when it does. From memory. */
  String trouble() {
    return shown == null ? trouble : "";
  }

  /** The connection, for those who read; null while there is none. */
  Broker.@Nullable Session current() {
    return shown;
  }

  /** Since when the oldest event waits, as of some moments ago; null when none does. */
  @Nullable Instant oldest() {
    return oldest;
  }

  /** Blocks until all that was in the queue is published, NATS is away, or the time is over. */
  void flush(Deadline deadline) throws InterruptedException {
    while (queue.depth() > 0 && shown != null && !deadline.isOver()) {
      time.sleep(Duration.ofMillis(20));
    }
  }

  /** Runs until interrupted. */
  void run() throws InterruptedException {
    forget();
    try {
      while (true) {
        if (session == null) {
          connect();
        }
        load();
        publish();
        takeStep();
        watchTime();
      }
    } finally {
      end("Holdfast is stopping");
      flushTaken();
    }
  }

  private void connect() throws InterruptedException {
    if (breaker.opensIn().isPositive()) {
      return;
    }
    BreakerPermit permit;
    try {
      permit = breaker.acquire(CALL_MAX);
    } catch (CallFailedException _) {
      return;
    }
    try {
      Broker.Session[] opened = new Broker.Session[1];
      List<String> early = new ArrayList<>();
      Broker.Session made =
          broker.connect(
              why -> {
                synchronized (early) {
                  if (opened[0] == null) {
                    early.add(why);
                  } else {
                    steps.add(new Step.Lost(opened[0], why));
                  }
                }
              });
      synchronized (early) {
        opened[0] = made;
        early.forEach(why -> steps.add(new Step.Lost(made, why)));
      }
      session = made;
      shown = made;
      permit.succeeded();
      mayBeMore = true;
      LOG.info("bus: connected to {}, {} events wait", made.server(), queue.depth());
    } catch (CallFailedException e) {
      trouble = e.failure().message();
      permit.neutral(); // what follows counts more than one failure does
      breaker.trip();
      LOG.warn("bus: {}; the next try is in {} s", trouble, breaker.opensIn().toSeconds());
    } finally {
      permit.neutral();
    }
  }

  /** What was read is not known any more; the table has all of it. */
  private void forget() {
    lanes.clear();
    ready.clear();
    underWay.clear();
    paused.clear();
    readUpTo = 0;
    loaded = 0;
    units = 0;
    mayBeMore = true;
  }

  private void end(String why) {
    Broker.Session ended = session;
    if (ended == null) {
      return;
    }
    trouble = why;
    shown = null;
    session = null;
    underWay
        .values()
        .forEach(
            sent -> {
              BreakerPermit permit = sent.permit();
              if (permit != null) {
                permit.neutral();
              }
            });
    forget();
    ended.close();
  }

  private void lost(String why) {
    LOG.warn("bus: NATS: {}; {} events wait", why, queue.depth());
    end(why);
    breaker.trip();
  }

  private void load() {
    if (session == null || !mayBeMore || loaded >= LOADED_MAX || units >= UNITS_MAX) {
      return;
    }
    List<QueuedEvent> page = queue.page(readUpTo, PAGE);
    mayBeMore = !page.isEmpty();
    for (QueuedEvent event : page) {
      readUpTo = event.seq();
      if (gone.contains(event.seq()) || underWay.containsKey(event.seq())) {
        continue;
      }
      loaded++;
      units += event.payload().length();
      Lane lane = lanes.computeIfAbsent(event.subject(), _ -> new Lane());
      lane.events.add(event);
      if (lane.events.size() == 1 && !lane.isBusy) {
        ready.add(lane);
      }
    }
  }

  private void publish() {
    Broker.Session now = session;
    if (now == null) {
      return;
    }
    if (breaker.state() != CircuitBreakerState.CLOSED) {
      tryOne(now);
      return;
    }
    while (underWay.size() < UNDER_WAY_MAX && !ready.isEmpty()) {
      send(now, ready.remove(), null);
    }
  }

  /** While nobody knows whether NATS is well again. */
  private void tryOne(Broker.Session now) {
    if (!underWay.isEmpty() || breaker.opensIn().isPositive()) {
      return;
    }
    BreakerPermit permit;
    try {
      permit = breaker.acquire(CALL_MAX);
    } catch (CallFailedException _) {
      return;
    }
    if (!ready.isEmpty()) {
      send(now, ready.remove(), permit);
      return;
    }
    try {
      now.probe();
      permit.succeeded();
    } catch (CallFailedException e) {
      permit.neutral();
      lost(e.failure().message());
    }
  }

  private void send(Broker.Session now, Lane lane, @Nullable BreakerPermit permit) {
    QueuedEvent event = lane.events.element();
    lane.isBusy = true;
    underWay.put(event.seq(), new UnderWay(lane, event, time.nanos(), permit));
    if (!event.whole()) {
      steps.add(
          new Step.Answered(now, event.seq(), new Broker.Refusal(false, "its row is damaged")));
      return;
    }
    try {
      var _ =
          now.publish(event)
              .whenComplete(
                  (_, failure) -> steps.add(new Step.Answered(now, event.seq(), failure)));
    } catch (IllegalStateException e) { // it was closed meanwhile
      steps.add(new Step.Answered(now, event.seq(), e));
    }
  }

  private void takeStep() throws InterruptedException {
    Step next = steps.poll(LOOK_PERIOD.toMillis(), TimeUnit.MILLISECONDS);
    for (; next != null; next = steps.poll()) {
      take(next);
    }
    if (underWay.isEmpty() || taken.size() >= REMOVED_AT_ONCE) {
      flushTaken();
    }
  }

  private void take(Step step) {
    switch (step) {
      case Step.Look _ -> {
        told.set(false);
        mayBeMore = true;
      }
      case Step.Rewound _ -> rewind();
      case Step.Removed(List<Long> seqs) -> seqs.forEach(gone::remove);
      case Step.Lost(Broker.Session which, String why) -> {
        if (which == session) {
          lost(why);
        }
      }
      case Step.Answered(Broker.Session which, long seq, Throwable failure) -> {
        UnderWay sent = which == session ? underWay.remove(seq) : null;
        if (sent != null) {
          answered(sent, failure);
        }
      }
    }
  }

  /** What is under way stays so; the rest is read again, in its order. */
  private void rewind() {
    lanes.values().removeIf(lane -> !lane.isBusy);
    ready.clear();
    paused.clear();
    units = 0;
    for (UnderWay sent : underWay.values()) {
      sent.lane().events.clear();
      sent.lane().events.add(sent.event());
      units += sent.event().payload().length();
    }
    loaded = underWay.size();
    readUpTo = 0;
    mayBeMore = true;
  }

  private void answered(UnderWay sent, @Nullable Throwable failure) {
    Lane lane = sent.lane();
    lane.isBusy = false;
    @Nullable BreakerPermit permit = sent.permit();
    if (failure == null) {
      if (permit != null) {
        permit.succeeded();
      } else if (breaker.failureCount() > 0) {
        count(true);
      }
      metrics.acknowledged();
      taken.add(sent.event().seq());
      gone.add(sent.event().seq());
      next(lane, sent.event());
      return;
    }
    switch (failure) {
      case Broker.Refusal refusal when refusal.isOfAll() -> {
        metrics.failed();
        LOG.warn("bus: NATS takes no events: {}", refusal.why());
        if (permit == null) {
          count(false);
        } else {
          permit.failed();
        }
        pause(lane);
      }
      case Broker.Refusal refusal -> {
        if (permit != null) {
          permit.neutral();
        }
        refused(lane, sent.event(), refusal.why());
      }
      default -> {
        metrics.failed();
        if (permit != null) {
          permit.neutral();
        }
        lost("an event was not acknowledged: " + failure.getMessage());
      }
    }
  }

  private void count(boolean well) {
    try {
      BreakerPermit permit = breaker.acquire(CALL_MAX);
      if (well) {
        permit.succeeded();
      } else {
        permit.failed();
      }
    } catch (CallFailedException _) {
      // It is open: there is nothing to count.
    }
  }

  private void refused(Lane lane, QueuedEvent event, String why) {
    metrics.refused();
    lane.refusals++;
    if (!event.whole() || event.attempts() + lane.refusals >= attemptsMax) {
      LOG.warn("bus: event {} becomes a dead letter: {}", event.id(), why);
      gone.add(event.seq());
      queue.giveUp(event.seq(), "NATS refused it: " + why, removed(List.of(event.seq())));
      next(lane, event);
    } else {
      queue.refused(event.seq());
      pause(lane);
    }
  }

  private void pause(Lane lane) {
    paused.add(new Paused(lane, time.nanos() + waits.refused().toNanos()));
  }

  private void next(Lane lane, QueuedEvent done) {
    lane.events.remove();
    lane.refusals = 0;
    loaded--;
    units -= done.payload().length();
    if (lane.events.isEmpty()) {
      lanes.remove(done.subject(), lane);
    } else {
      ready.add(lane);
    }
  }

  private void watchTime() {
    long now = time.nanos();
    for (Iterator<Paused> each = paused.iterator(); each.hasNext(); ) {
      Paused one = each.next();
      if (one.untilNanos() - now <= 0) {
        each.remove();
        ready.add(one.lane());
      }
    }
    if (!underWay.isEmpty()) {
      UnderWay first = underWay.values().iterator().next();
      if (now - first.sinceNanos() > waits.ackMax().toNanos()) {
        metrics.failed();
        lost("it did not acknowledge within " + waits.ackMax().toSeconds() + " s");
      }
    }
    if (now - ageNanos > AGE_PERIOD.toNanos()) {
      ageNanos = now;
      oldest = queue.depth() == 0 ? null : queue.oldest().orElse(null);
    }
  }

  private void flushTaken() {
    if (!taken.isEmpty()) {
      List<Long> seqs = List.copyOf(taken);
      queue.remove(seqs, removed(seqs));
      taken.clear();
    }
  }

  private Runnable removed(List<Long> seqs) {
    return () -> steps.add(new Step.Removed(seqs));
  }
}
