package dev.holdfast.access;

import dev.holdfast.supervision.Fatal;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells people something that is no answer, in the background. What cannot be told is left out:
 * nothing waits for it, and nothing of it is stored. Thread-safe.
 */
public final class PersonNotices {
  private static final Logger LOG = LoggerFactory.getLogger(PersonNotices.class);
  static final Duration EVERY = Duration.ofMinutes(1);
  static final int RUNNING_MAX = 16;
  static final int PEOPLE_MAX = 10_000;

  private final Post post;
  private final Time time;
  private final Executor threads;
  private final Semaphore places = new Semaphore(RUNNING_MAX);
  private final Map<Long, Long> toldAtNanos = new LinkedHashMap<>(16, 0.75f, true);

  /** Posts outside of the outbox; blocks, within limits of its own. */
  @FunctionalInterface
  public interface Post {
    /** Whether the platform surely has it. */
    boolean post(String channel, String account, String thread, String inReplyTo, String text)
        throws InterruptedException;
  }

  public PersonNotices(Post post, Time time) {
    this(post, time, task -> Thread.ofVirtual().name("person-notice").start(task));
  }

  /** {@code threads}: run what may block. */
  PersonNotices(Post post, Time time, Executor threads) {
    this.post = post;
    this.time = time;
    this.threads = threads;
  }

  /** True once a minute for each person, and the caller tells them then. */
  synchronized boolean mayTell(ChannelPerson person) {
    long now = time.nanos();
    Long last = toldAtNanos.get(key(person));
    if (last != null && now - last < EVERY.toNanos()) {
      return false;
    }
    toldAtNanos.put(key(person), now);
    if (toldAtNanos.size() > PEOPLE_MAX) {
      var eldest = toldAtNanos.keySet().iterator();
      eldest.next();
      eldest.remove();
    }
    return true;
  }

  private static long key(ChannelPerson person) {
    return KeyHash.of(person.source(), person.sender());
  }

  /** Runs it on a thread that may block; not at all while too many others run. */
  void begin(Runnable work) {
    if (!places.tryAcquire()) {
      return;
    }
    try {
      threads.execute(() -> runAndRelease(work));
    } catch (RuntimeException | Error e) {
      places.release(); // no thread could be made
      throw e;
    }
  }

  private void runAndRelease(Runnable work) {
    try {
      work.run();
    } catch (Throwable thrown) {
      Fatal.check(thrown);
      LOG.error("access: a notice failed unexpectedly", thrown);
    } finally {
      places.release();
    }
  }

  /** Blocks; whether the platform surely has it. */
  boolean tell(ChannelPerson person, String thread, String inReplyTo, String text) {
    try {
      return post.post(person.channel(), person.account(), thread, inReplyTo, text);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
