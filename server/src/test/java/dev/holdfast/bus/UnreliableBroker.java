package dev.holdfast.bus;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.bus.Broker.Refusal.Scope;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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
 * what was under way, reads on what a lost one had sent, never acknowledges, refuses everything for
 * a while, and single events for good; others publish to its stream, too. As nats-server it knows
 * the id of the last event and acknowledges one that it has stored before, unless it forgets those.
 */
final class UnreliableBroker implements Broker, AutoCloseable {
  private static final int PERIOD_MICROS = 300;
  private static final int READ_MAX = 40;

  private final Random random;
  private final double trouble;
  private final boolean forgets;
  private final Set<String> refused = new HashSet<>();
  private final List<QueuedEvent> stored = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();
  private final List<Line> lines = new ArrayList<>();
  private final ScheduledExecutorService reader = Executors.newSingleThreadScheduledExecutor();
  private String last = "";
  private boolean takesNothing;
  private int refusals;
  private int longest;

  /**
   * @param trouble how likely each step fails, from 0 to 1
   * @param forgets whether it stores again what it has stored before
   */
  UnreliableBroker(long seed, double trouble, boolean forgets) {
    random = new Random(seed);
    this.trouble = trouble;
    this.forgets = forgets;
    var _ =
        reader.scheduleAtFixedRate(this::read, PERIOD_MICROS, PERIOD_MICROS, TimeUnit.MICROSECONDS);
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

  /** How many events were under way at once. */
  synchronized int longest() {
    return longest;
  }

  private synchronized boolean fails(double share) {
    return random.nextDouble() < trouble * share;
  }

  @Override
  public synchronized Session connect(Consumer<String> lost) throws CallFailedException {
    if (fails(0.5)) {
      throw new CallFailedException(Failure.of(FailureCode.NETWORK, "refused"));
    }
    Line line = new Line(lost);
    lines.add(line);
    return line;
  }

  private synchronized void read() {
    List.copyOf(lines).forEach(Line::read);
  }

  @Override
  public void close() {
    reader.shutdownNow();
  }

  private record Frame(QueuedEvent event, String after, CompletableFuture<Boolean> answer) {}

  private final class Line implements Session {
    private final Consumer<String> lost;
    private final Deque<Frame> sent = new ArrayDeque<>();
    private boolean closed;

    Line(Consumer<String> lost) {
      this.lost = lost;
    }

    @Override
    public CompletableFuture<?> publish(QueuedEvent event, String after) {
      CompletableFuture<Boolean> answer = new CompletableFuture<>();
      synchronized (UnreliableBroker.this) {
        if (!closed) {
          sent.add(new Frame(event, after, answer));
          longest = Math.max(longest, sent.size());
        }
      }
      return answer;
    }

    /** In their order, also what was sent before it was closed. */
    void read() {
      for (int i = random.nextInt(READ_MAX); i > 0 && !sent.isEmpty(); i--) {
        take(sent.remove());
      }
      if (closed && sent.isEmpty()) {
        lines.remove(this);
      }
    }

    private void take(Frame frame) {
      QueuedEvent event = frame.event();
      if (fails(0.02)) {
        last = "somebody else's";
      }
      if (ids.contains(event.id()) && !forgets) {
        answer(frame);
      } else if (takesNothing || fails(0.02)) {
        refusals++;
        refuse(frame, Scope.ALL, "no storage");
      } else if (refused.contains(event.id())) {
        refuse(frame, Scope.EVENT, "too large");
      } else if (!frame.after().isEmpty() && !frame.after().equals(last)) {
        refuse(frame, Scope.PLACE, "wrong last msg ID: " + last);
      } else if (fails(0.02)) {
        end("lost before it was stored");
      } else {
        stored.add(event);
        ids.add(event.id());
        last = event.id();
        if (fails(0.01)) {
          end("lost after it was stored");
        } else {
          answer(frame);
        }
      }
    }

    private void answer(Frame frame) {
      if (fails(0.005)) {
        end(frame, new IOException("nobody knows"));
      } else if (!closed && !fails(0.005)) {
        frame.answer().complete(true);
      } // else no word of it
    }

    private void refuse(Frame frame, Scope scope, String why) {
      end(frame, new Refusal(scope, why));
    }

    private void end(Frame frame, Exception failure) {
      if (!closed) {
        frame.answer().completeExceptionally(failure);
      }
    }

    /** What was sent is gone, or is still read while another connection is used. */
    private void end(String why) {
      closed = true;
      if (random.nextBoolean()) {
        sent.clear();
      }
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
