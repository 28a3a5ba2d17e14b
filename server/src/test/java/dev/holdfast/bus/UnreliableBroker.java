package dev.holdfast.bus;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A broker that fails in every way that one can: refuses connections, loses them with and without
 * what was under way, never acknowledges, refuses everything for a while, and single events for
 * good. It stores in the order in which it is asked, an id again when asked again.
 */
final class UnreliableBroker implements Broker, AutoCloseable {
  private static final int DELAY_MICROS = 300;

  private final Random random;
  private final double trouble;
  private final Set<String> refused = new HashSet<>();
  private final List<QueuedEvent> stored = new ArrayList<>();
  private final Set<String> underWay = new HashSet<>();
  private final List<String> faults = new ArrayList<>();
  private final ScheduledExecutorService line = Executors.newSingleThreadScheduledExecutor();
  private boolean takesNothing;
  private int refusals;

  /** {@code trouble}: how likely each step fails, from 0 to 1. */
  UnreliableBroker(long seed, double trouble) {
    random = new Random(seed);
    this.trouble = trouble;
  }

  /** From now on the event of that id is refused. */
  synchronized void refuse(String id) {
    refused.add(id);
  }

  synchronized void takeNothing(boolean nothing) {
    takesNothing = nothing;
  }

  synchronized List<QueuedEvent> stored() {
    return List.copyOf(stored);
  }

  /** How often it took nothing. */
  synchronized int refusals() {
    return refusals;
  }

  /** What the publisher did that it must not do. */
  synchronized List<String> faults() {
    return List.copyOf(faults);
  }

  private synchronized boolean fails(double share) {
    return random.nextDouble() < trouble * share;
  }

  @Override
  public Session connect(Consumer<String> lost) throws CallFailedException {
    if (fails(0.5)) {
      throw new CallFailedException(Failure.of(FailureCode.NETWORK, "refused"));
    }
    synchronized (this) {
      underWay.clear();
    }
    return new Line(lost);
  }

  @Override
  public void close() {
    line.shutdownNow();
  }

  private final class Line implements Session {
    private final Consumer<String> lost;
    private volatile boolean closed;

    Line(Consumer<String> lost) {
      this.lost = lost;
    }

    @Override
    public CompletableFuture<?> publish(QueuedEvent event) {
      synchronized (UnreliableBroker.this) {
        if (!underWay.add(event.subject())) {
          faults.add("two events of " + event.subject() + " under way");
        }
      }
      CompletableFuture<Boolean> answer = new CompletableFuture<>();
      var _ = line.schedule(() -> take(event, answer), DELAY_MICROS, TimeUnit.MICROSECONDS);
      return answer;
    }

    private void take(QueuedEvent event, CompletableFuture<Boolean> answer) {
      synchronized (UnreliableBroker.this) {
        if (closed) {
          return; // it was in a buffer that nobody has read
        }
        underWay.remove(event.subject());
        if (takesNothing || fails(0.1)) {
          refusals++;
          answer.completeExceptionally(new Refusal(true, "no storage"));
          return;
        }
        if (refused.contains(event.id())) {
          answer.completeExceptionally(new Refusal(false, "too large"));
          return;
        }
        if (fails(0.05)) {
          end("lost before it was stored");
          return;
        }
        stored.add(event);
        if (fails(0.05)) {
          end("lost after it was stored");
        } else if (fails(0.02)) {
          answer.completeExceptionally(new IOException("nobody knows"));
        } else if (!fails(0.02)) {
          answer.complete(true);
        } // else no word of it
      }
    }

    private void end(String why) {
      closed = true;
      lost.accept(why);
    }

    @Override
    public void probe() throws CallFailedException {
      if (closed || fails(0.3)) {
        throw new CallFailedException(Failure.of(FailureCode.NETWORK, "no answer"));
      }
    }

    @Override
    public String server() {
      return "a broker";
    }

    @Override
    public void close() {
      synchronized (UnreliableBroker.this) {
        closed = true;
      }
    }
  }
}
