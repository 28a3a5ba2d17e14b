package dev.holdfast.tests.harness;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/**
 * A platform that sends events at a steady rate, spread over chat threads. In each chat thread it
 * sends the next event only after a 2xx for the one before, so the order of acceptance is known; an
 * event without a 2xx is sent again with the same id, as platforms do.
 */
public final class LoadDriver implements AutoCloseable {
  private static final Duration RETRY = Duration.ofMillis(100);
  private final WebhookSender sender;
  private final String name;
  private final UnaryOperator<String> wording;
  private final List<Thread> senders = new ArrayList<>();
  private final ConcurrentLinkedQueue<SentEvent> events = new ConcurrentLinkedQueue<>();
  private final AtomicInteger acked = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicLong slowestAckNanos = new AtomicLong();
  private volatile boolean stopped;
  private volatile long giveUpAtNanos = Long.MAX_VALUE;

  /**
   * @param name a prefix of the ids, unique in the rig
   */
  public LoadDriver(ServerRig rig, String name) {
    this(rig.sender(), name, token -> "please answer " + token);
  }

  /**
   * @param name a prefix of the ids, unique in the rig
   * @param wording the text of an event whose answer is to hold the given token
   */
  public LoadDriver(WebhookSender sender, String name, UnaryOperator<String> wording) {
    this.sender = sender;
    this.name = name;
    this.wording = wording;
  }

  /**
   * @param perSecond events per second over all chat threads
   */
  public LoadDriver start(int perSecond, int chatThreads) {
    Duration period = Duration.ofNanos(1_000_000_000L * chatThreads / perSecond);
    for (int i = 0; i < chatThreads; i++) {
      int number = i;
      Duration first = period.multipliedBy(i).dividedBy(chatThreads);
      senders.add(Thread.ofVirtual().start(() -> sendAll(name + "-t" + number, first, period)));
    }
    return this;
  }

  /** No new events; those on the way are sent until acked or the time is over. */
  public LoadDriver stop(Duration grace) {
    giveUpAtNanos = System.nanoTime() + grace.toNanos();
    stopped = true;
    for (Thread sender : senders) {
      try {
        sender.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
    return this;
  }

  @Override
  public void close() {
    stop(Duration.ZERO);
  }

  /** All events that were sent, in order within each chat thread. Complete after {@link #stop}. */
  public List<SentEvent> events() {
    return List.copyOf(events);
  }

  public int acked() {
    return acked.get();
  }

  /** Answers that were neither 2xx nor missing. */
  public int refused() {
    return refused.get();
  }

  public Duration slowestAck() {
    return Duration.ofNanos(slowestAckNanos.get());
  }

  private void sendAll(String thread, Duration first, Duration period) {
    long next = System.nanoTime() + first.toNanos();
    for (int number = 0; !stopped; number++) {
      long wait = next - System.nanoTime();
      if (wait > 0) {
        Await.pause(Duration.ofNanos(wait));
      }
      if (!stopped) {
        events.add(sendUntilAcked(thread, number));
      }
      next = Math.max(next + period.toNanos(), System.nanoTime());
    }
  }

  private SentEvent sendUntilAcked(String thread, int number) {
    String id = thread + "-" + number;
    String token = "token<" + id + ">";
    for (int tries = 1; ; tries++) {
      if (isAcked(id, thread, token)) {
        acked.incrementAndGet();
        return new SentEvent(id, thread, token, number, true, tries);
      }
      if (System.nanoTime() > giveUpAtNanos) {
        return new SentEvent(id, thread, token, number, false, tries);
      }
      Await.pause(RETRY);
    }
  }

  private boolean isAcked(String id, String thread, String token) {
    long start = System.nanoTime();
    try {
      Answer answer = sender.send(id, thread, wording.apply(token));
      if (!answer.isAccepted()) {
        refused.incrementAndGet();
      }
      slowestAckNanos.accumulateAndGet(System.nanoTime() - start, Math::max);
      return answer.isAccepted();
    } catch (IOException e) {
      return false;
    }
  }
}
