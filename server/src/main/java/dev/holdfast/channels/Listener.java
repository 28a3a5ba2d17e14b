package dev.holdfast.channels;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.registry.Use;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.supervision.Crash;
import dev.holdfast.supervision.Fatal;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One account that listens: calls its channel again and again until it is stopped. It has the lease
 * of its token and a use of its channel from its start to its end. Runs on one thread; stopped and
 * looked at from others.
 */
final class Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Listener.class);

  static final Backoff BACKOFF = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(60));

  /** No wait is longer, whatever the platform asks for. */
  static final Duration WAIT_MAX = Duration.ofHours(1);

  /** A call that ends so soon after its first receive has failed, whatever it has received. */
  static final Duration LIFE_LEAST = Duration.ofSeconds(10);

  /** What does not end when it is interrupted is interrupted again. */
  private static final Duration INTERRUPT_EVERY = Duration.ofSeconds(5);

  /** {@code reason}: {@code failed}, {@code threw}, {@code silent} or {@code ended}. */
  static final String RESTARTS = "holdfast.listener.restarts";

  private final Use<Channel> use;
  private final String account;
  private final ListenFacts facts;
  private final ListenerLeases leases;
  private final MessageAcceptance acceptance;
  private final ListenerPositions positions;
  private final Time time;
  private final MeterRegistry meters;
  private int failures;
  private @Nullable Thread thread;
  private volatile boolean stopped;
  private volatile @Nullable Failure lastFailure;
  private volatile Instant since;
  private volatile @Nullable Instant receivedAt;
  private final AtomicLong restarts = new AtomicLong();

  /** Whether the last call has received something, and ended soon after. */
  private volatile boolean endedSoon;

  private volatile ListenerStatus.State state = new ListenerStatus.NotReceiving(null, 0, null);
  private volatile @Nullable ListenerSink current;

  /** As the channel has said last; nobody but itself knows when that is over. */
  private volatile int placesMissing;

  /** What all listeners share. */
  record Shared(
      ListenerLeases leases,
      MessageAcceptance acceptance,
      ListenerPositions positions,
      Time time,
      MeterRegistry meters) {}

  Listener(Use<Channel> use, String account, ListenFacts facts, Shared shared) {
    this.use = use;
    this.account = account;
    this.facts = facts;
    this.leases = shared.leases();
    this.acceptance = shared.acceptance();
    this.positions = shared.positions();
    this.time = shared.time();
    this.meters = shared.meters();
    this.since = time.now();
  }

  String channel() {
    return use.value().facts().name();
  }

  String source() {
    return channel() + ":" + account;
  }

  /** Whether it is that account of that very addition of the channel. */
  @SuppressWarnings("ReferenceEquality") // foreign code would decide whether adapters are equal
  boolean serves(Channel other, String otherAccount) {
    return use.value() == other && account.equals(otherAccount);
  }

  boolean isRemoved() {
    return use.isRemoved();
  }

  ListenerStatus status() {
    @Nullable ListenerSink sink = current;
    ListenerStatus.State now = state;
    if (stopped) {
      now = new ListenerStatus.Ending();
    } else if (now instanceof ListenerStatus.NotReceiving before && sink != null) {
      now = receives(sink, before) ? new ListenerStatus.Receiving(placesMissing) : before;
    } else if (now instanceof ListenerStatus.TokenInUse) {
      now = new ListenerStatus.TokenInUse(leases.holder(facts.lease()).orElse("another account"));
    }
    @Nullable Instant received = sink == null ? null : sink.receivedAt();
    return new ListenerStatus(
        source(),
        now,
        new ListenerStatus.History(
            since, received == null ? receivedAt : received, restarts.get(), lastFailure));
  }

  /** After calls that ended as soon as they had received something, that alone proves nothing. */
  private boolean receives(ListenerSink sink, ListenerStatus.NotReceiving before) {
    return (endedSoon && before.needsAttention())
        ? sink.hasReceivedFor(LIFE_LEAST)
        : sink.hasReceived();
  }

  /** It calls its channel no more, and the call that runs is interrupted. */
  synchronized void stop() {
    stopped = true;
    if (thread != null) {
      thread.interrupt();
    }
  }

  private synchronized void runsOn(@Nullable Thread now) {
    thread = now;
  }

  /** Gives back what it holds; when its thread is over. */
  void close() {
    use.close();
  }

  /** Returns when it was stopped. An interrupt that nobody's stop has sent changes nothing. */
  void run() throws InterruptedException {
    runsOn(Thread.currentThread());
    try {
      if (!stopped) {
        state = new ListenerStatus.TokenInUse("");
        leases.acquire(facts.lease(), source());
        runLeased();
      }
    } catch (InterruptedException e) {
      if (!stopped) {
        throw e;
      }
    } finally {
      runsOn(null);
    }
  }

  private void runLeased() throws InterruptedException {
    try {
      // Of two accounts with one token the first to be stopped leaves the lease to the other.
      while (!stopped && !isRemoved()) {
        state = new ListenerStatus.NotReceiving(lastFailure, failures, null);
        Ended ended = listen();
        if (!stopped) {
          rest(ended);
        }
      }
    } finally {
      leases.release(facts.lease());
    }
  }

  /** {@code hasLasted}: whether it went on for a while after its first receive. */
  private record Ended(String reason, Failure failure, boolean hasReceived, boolean hasLasted) {}

  private Ended listen() {
    ListenerSink sink =
        new ListenerSink(
            new ListenerPositions.Reader(source(), facts.lease(), ""),
            acceptance,
            positions,
            places -> placesMissing = places,
            time);
    Watch watch = new Watch(sink, Thread.currentThread());
    since = time.now();
    current = sink;
    watch.arm(facts.silenceMax());
    String reason;
    Failure failure;
    try {
      use.value().adapter().listen(account, sink);
      reason = "ended";
      failure = Failure.of(FailureCode.BACKEND_FAILURE, "it returned");
    } catch (CallFailedException e) {
      reason = "failed";
      failure = e.failure();
    } catch (Throwable thrown) {
      Fatal.check(thrown);
      reason = "threw";
      failure = Failure.of(FailureCode.INTERNAL, Crash.describe(thrown));
    } finally {
      watch.end();
      sink.close();
      receivedAt = sink.receivedAt() == null ? receivedAt : sink.receivedAt();
      current = null;
    }
    boolean isSilent = watch.hasInterrupted();
    return new Ended(
        isSilent ? "silent" : reason,
        isSilent ? silent() : failure,
        sink.hasReceived(),
        sink.hasReceivedFor(LIFE_LEAST));
  }

  private Failure silent() {
    return Failure.of(
        FailureCode.STREAM_TIMEOUT,
        "nothing was received for " + facts.silenceMax().toSeconds() + " s");
  }

  private void rest(Ended ended) throws InterruptedException {
    failures = ended.hasLasted() ? 1 : failures + 1;
    endedSoon = ended.hasReceived() && !ended.hasLasted();
    Duration asked = ended.failure().retryAfter();
    Duration own =
        ended.failure().isPassing() || ended.reason().equals("threw")
            ? BACKOFF.after(failures)
            : BACKOFF.max();
    Duration wait = asked.compareTo(own) > 0 ? asked : own;
    Duration bounded = wait.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : wait;
    meters.counter(RESTARTS, "channel", channel(), "reason", ended.reason()).increment();
    LOG.warn(
        "channel {}: stopped listening ({}), again in {} ms",
        source(),
        ended.failure().summary(),
        bounded.toMillis());
    lastFailure = ended.failure();
    restarts.incrementAndGet();
    state = new ListenerStatus.NotReceiving(lastFailure, failures, time.now().plus(bounded));
    time.sleep(bounded);
  }

  /** Interrupts a call in which nothing is received any more. */
  private final class Watch {
    private final ListenerSink sink;
    private final Thread thread;
    private Time.@Nullable Timer timer;
    private boolean over;
    private boolean interrupted;

    Watch(ListenerSink sink, Thread thread) {
      this.sink = sink;
      this.thread = thread;
    }

    synchronized void arm(Duration wait) {
      if (!over) {
        timer = time.after(wait, this::look);
      }
    }

    private synchronized void look() {
      Duration silence = sink.silence();
      Duration left = facts.silenceMax().minus(silence);
      if (left.isPositive()) {
        arm(left);
      } else if (!over) {
        interrupted = true;
        state = new ListenerStatus.Silent();
        thread.interrupt();
        arm(INTERRUPT_EVERY);
      }
    }

    synchronized boolean hasInterrupted() {
      return interrupted;
    }

    /** On the watched thread. */
    synchronized void end() {
      over = true;
      if (timer != null) {
        timer.cancel();
      }
      boolean _ = Thread.interrupted(); // ours; that of a stop has set its mark before
    }
  }
}
