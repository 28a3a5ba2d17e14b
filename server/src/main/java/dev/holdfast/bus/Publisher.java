package dev.holdfast.bus;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.resilience.BreakerPermit;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.HoldfastBreaker;
import dev.holdfast.time.Time;
import io.vertx.circuitbreaker.CircuitBreakerState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the queue to NATS, in order within a subject: many events at a time, in a {@link Chain}. An
 * event leaves the queue when the server has acknowledged it.
 *
 * <p>Whatever leaves open whether an event has arrived ends the connection, and all that was under
 * way is published again, in its order, under the same ids. One thread runs it; the rest is
 * thread-safe.
 */
final class Publisher {
  private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);

  private static final int REMOVED_AT_ONCE = 256;
  private static final Duration CALL_MAX = Duration.ofSeconds(15);
  private static final Duration LOOK_PERIOD = Duration.ofMillis(250);
  private static final Duration AGE_PERIOD = Duration.ofSeconds(1);

  /**
   * How long it waits.
   *
   * @param ackMax for the next acknowledgement, before the connection counts as lost
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

  /** Why NATS takes no event though it is connected; empty when it does. */
  private volatile String refusal = "";

  private volatile @Nullable Instant oldest;

  // Of the one thread.
  private final LoadedEvents loaded;
  private final Chain chain = new Chain();
  private final List<Long> taken = new ArrayList<>();
  private Broker.@Nullable Session session;
  private long heardNanos;
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
    loaded = new LoadedEvents(queue);
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
    if (shown == null) {
      return trouble;
    }
    return queue.depth() == 0 ? "" : refusal;
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
    loaded.readAgain();
    try {
      while (true) {
        if (session == null) {
          connect();
        }
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

  private void end(String why) {
    Broker.Session ended = session;
    if (ended == null) {
      return;
    }
    trouble = why;
    refusal = "";
    shown = null;
    session = null;
    for (Chain.Link link : chain.clear()) {
      untried(link);
    }
    loaded.readAgain();
    ended.close();
  }

  private void untried(Chain.Link link) {
    neutral(link);
    loaded.putBack(link.event());
  }

  private static void neutral(Chain.Link link) {
    BreakerPermit permit = link.permit();
    if (permit != null) {
      permit.neutral();
    }
  }

  private void lost(String why) {
    LOG.warn("bus: {}; {} events wait", why, queue.depth());
    end(why);
    breaker.trip();
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
    while (chain.mayGrow()) {
      QueuedEvent event = next();
      if (event == null) {
        return;
      }
      send(now, event, null);
    }
  }

  private @Nullable QueuedEvent next() {
    QueuedEvent event = loaded.next();
    while (event != null && !event.whole()) {
      metrics.refused();
      giveUp(event, "its row in the database is damaged");
      event = loaded.next();
    }
    return event;
  }

  /** While nobody knows whether NATS is well again. */
  private void tryOne(Broker.Session now) {
    if (!chain.isEmpty() || breaker.opensIn().isPositive()) {
      return;
    }
    BreakerPermit permit;
    try {
      permit = breaker.acquire(CALL_MAX);
    } catch (CallFailedException _) {
      return;
    }
    QueuedEvent event = next();
    if (event != null) {
      send(now, event, permit);
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

  private void send(Broker.Session now, QueuedEvent event, @Nullable BreakerPermit permit) {
    if (chain.isEmpty()) {
      heardNanos = time.nanos();
    }
    Chain.Link link = chain.add(event, permit);
    try {
      var _ =
          now.publish(event, link.after())
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
    if (chain.isEmpty() || taken.size() >= REMOVED_AT_ONCE) {
      flushTaken();
    }
  }

  private void take(Step step) {
    switch (step) {
      case Step.Look _ -> {
        told.set(false);
        loaded.added();
      }
      case Step.Rewound _ -> loaded.readAgain();
      case Step.Removed(List<Long> seqs) -> loaded.removed(seqs);
      case Step.Lost(Broker.Session which, String why) -> {
        if (which == session) {
          lost(why);
        }
      }
      case Step.Answered(Broker.Session which, long seq, Throwable failure) -> {
        Chain.Link link = which == session ? chain.remove(seq) : null;
        if (link != null) {
          heardNanos = time.nanos();
          answered(link, failure);
        }
      }
    }
  }

  private void answered(Chain.Link link, @Nullable Throwable failure) {
    switch (failure) {
      case null -> stored(link);
      case Broker.Refusal _ when chain.isBroken() -> untried(link);
      case Broker.Refusal refusal -> {
        chain.broke();
        refused(link, refusal);
      }
      default -> {
        metrics.failed();
        untried(link);
        lost("an event was not acknowledged: " + failure.getMessage());
      }
    }
  }

  private void stored(Chain.Link link) {
    BreakerPermit permit = link.permit();
    if (permit != null) {
      permit.succeeded();
    } else if (breaker.failureCount() > 0) {
      count(true);
    }
    refusal = "";
    chain.stored();
    metrics.acknowledged();
    taken.add(link.event().seq());
  }

  private void refused(Chain.Link link, Broker.Refusal why) {
    if (why.scope() == Broker.Refusal.Scope.PLACE && !link.isFirst()) {
      chain.disturbed();
      untried(link);
    } else if (why.scope() == Broker.Refusal.Scope.EVENT) {
      neutral(link);
      refused(link.event(), why.why());
    } else {
      takesNothing(link, why.why());
    }
  }

  private void takesNothing(Chain.Link link, String why) {
    metrics.failed();
    refusal = "NATS takes no events: " + why;
    LOG.warn("bus: {}", refusal);
    BreakerPermit permit = link.permit();
    if (permit == null) {
      count(false);
    } else {
      permit.failed();
    }
    loaded.rest(link.event(), wakeNanos());
  }

  private long wakeNanos() {
    return time.nanos() + waits.refused().toNanos();
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

  private void refused(QueuedEvent event, String why) {
    metrics.refused();
    QueuedEvent refused = event.refusedOnceMore();
    if (refused.attempts() >= attemptsMax) {
      giveUp(event, "NATS refused it: " + why);
    } else {
      queue.refused(event.seq());
      loaded.rest(refused, wakeNanos());
    }
  }

  private void giveUp(QueuedEvent event, String why) {
    LOG.warn("bus: event {} becomes a dead letter: {}", event.id(), why);
    queue.giveUp(event.seq(), why, removed(List.of(event.seq())));
  }

  private void watchTime() {
    long now = time.nanos();
    loaded.wake(now);
    if (!chain.isEmpty() && now - heardNanos > waits.ackMax().toNanos()) {
      metrics.failed();
      lost("it did not acknowledge within " + waits.ackMax().toSeconds() + " s");
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
