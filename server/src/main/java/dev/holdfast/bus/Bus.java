package dev.holdfast.bus;

import dev.holdfast.health.ConditionReport;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.Guards;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells programs outside what happens here, over NATS JetStream. An event is written with what it
 * tells and published afterwards: nobody waits for NATS, and a crash loses none. Thread-safe.
 */
public final class Bus {
  /** The guard of the way to NATS. */
  public static final String GUARD = "bus:nats";

  /** How much later an intake learns that it was accepted when the queue is all but full. */
  static final Duration SLOWDOWN_MAX = Duration.ofMillis(250);

  private static final int RETRY_SECS = 10;

  private final DiskQueue queue;
  private final Publisher publisher;

  private Bus(DiskQueue queue, Publisher publisher) {
    this.queue = queue;
    this.publisher = publisher;
  }

  /** Publishes nothing until it runs. */
  public static Bus open(
      BrokerConfig config,
      BrokerConfig.Nats nats,
      DiskQueue queue,
      Guards guards,
      Time time,
      MeterRegistry meters) {
    BusMetrics metrics = new BusMetrics(meters);
    Publisher publisher =
        new Publisher(
            queue,
            lost -> NatsSession.open(nats, lost),
            config.queue().attemptsMax(),
            guards.guard(GUARD).breaker(),
            metrics,
            Publisher.Waits.USUAL,
            time);
    metrics.watch(meters, queue, publisher::oldest, time);
    queue.onShed(metrics::shed);
    return new Bus(queue, publisher);
  }

  /** Takes events to NATS until interrupted. */
  public void run() throws InterruptedException {
    publisher.run();
  }

  /** Why nothing may be accepted that would have to be told; empty when it may. */
  public Optional<StoreException> refusal(Transaction tx) {
    return queue.isFull(tx)
        ? Optional.of(
            StoreException.overloaded(
                "the queue for NATS is full: "
                    + queue.eventsMax()
                    + " events wait; try again later",
                RETRY_SECS))
        : Optional.empty();
  }

  /** Writes an event with what it tells; it is published after the commit. Refuses nothing. */
  public void record(Transaction tx, BusEvent event) throws SQLException {
    queue.add(tx, event);
  }

  /** How much later to tell a sender that it was accepted: zero while less than half is full. */
  public Duration slowdown() {
    double above = 2.0 * queue.depth() / queue.eventsMax() - 1;
    return above <= 0
        ? Duration.ZERO
        : Duration.ofMillis((long) (Math.min(above, 1) * SLOWDOWN_MAX.toMillis()));
  }

  /**
   * Blocks until all is published, NATS is unavailable, or the time is over. Returns whether
   * nothing is left; what is stays on disk.
   */
  public boolean flush(Deadline deadline) throws InterruptedException {
    publisher.flush(deadline);
    return queue.depth() == 0;
  }

  public DiskQueue queue() {
    return queue;
  }

  /** Since when the oldest event waits, as of some moments ago. */
  public Optional<Instant> oldest() {
    return Optional.ofNullable(publisher.oldest());
  }

  /** What is not well. From memory. */
  public List<ConditionReport> reports() {
    String trouble = publisher.trouble();
    long depth = queue.depth();
    if (depth >= queue.eventsMax()) {
      return List.of(
          ConditionReport.degraded(
              "queue_full",
              "The queue for NATS is full: it holds %d events. %s"
                  .formatted(depth, sentence(trouble)),
              "Ends when NATS has taken events."));
    }
    if (!trouble.isEmpty()) {
      return List.of(
          ConditionReport.degraded(
              "unavailable",
              "%s %d events wait on disk; everything else goes on."
                  .formatted(sentence(trouble), depth),
              "Ends when NATS takes events again."));
    }
    return List.of();
  }

  private String sentence(String trouble) {
    return trouble.isEmpty()
        ? "NATS is slower than what happens here."
        : Character.toUpperCase(trouble.charAt(0)) + trouble.substring(1) + ".";
  }

  /** For people: what is connected; empty while nothing is. */
  public Optional<String> server() {
    Broker.@Nullable Session session = publisher.current();
    return session == null ? Optional.empty() : Optional.of(session.server());
  }
}
