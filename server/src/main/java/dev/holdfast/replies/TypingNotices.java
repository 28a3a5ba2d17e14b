package dev.holdfast.replies;

import dev.holdfast.bus.News;
import dev.holdfast.bus.NewsItem;
import dev.holdfast.channels.Channel;
import dev.holdfast.channels.ChannelFacts;
import dev.holdfast.channels.Channels;
import dev.holdfast.registry.Use;
import dev.holdfast.resilience.Guards;
import dev.holdfast.supervision.Crash;
import dev.holdfast.supervision.Fatal;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows in the chats of platforms that an answer is being made. It learns of turns from the news,
 * which it reads only while a channel wants that. A notice that cannot be shown is left out:
 * nothing waits for one. Thread-safe.
 */
public final class TypingNotices implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TypingNotices.class);

  /** Most answers of fast models need none. */
  static final Duration FIRST_AFTER = Duration.ofMillis(500);

  static final Duration CALL_MAX = Duration.ofSeconds(5);
  static final Duration AFTER_FAILURE = Duration.ofSeconds(60);

  /** A turn whose end was not heard of is not shown for ever. */
  static final Duration SHOWN_MAX = Duration.ofMinutes(30);

  public static final String FAILURES = "holdfast.typing.failures";
  private static final int RUNNING_MAX = 64;
  private static final int THREADS_MAX = 10_000;

  private final Channels channels;
  private final News news;
  private final Function<String, PostGuard> guards;
  private final Time time;
  private final MeterRegistry meters;
  private final Map<String, Typing> active = new ConcurrentHashMap<>();
  private final Semaphore places = new Semaphore(RUNNING_MAX);
  private News.@Nullable Watch watch;
  private boolean closed;

  public TypingNotices(
      Channels channels, News news, Guards guards, Time time, MeterRegistry meters) {
    this(
        channels,
        news,
        (String source) -> new PostGuard.OfGuard(guards.guard(Replies.guardName(source))),
        time,
        meters);
  }

  TypingNotices(
      Channels channels,
      News news,
      Function<String, PostGuard> guards,
      Time time,
      MeterRegistry meters) {
    this.channels = channels;
    this.news = news;
    this.guards = guards;
    this.time = time;
    this.meters = meters;
    channels.onAdded(_ -> watchIfWanted());
    channels.onRemoved(this::watchIfWanted);
    watchIfWanted();
  }

  private synchronized void watchIfWanted() {
    boolean wanted =
        !closed && channels.all().stream().anyMatch(facts -> !facts.typingEvery().isZero());
    if (wanted && watch == null) {
      watch = news.watch(this::hear, active::clear);
    } else if (!wanted && watch != null) {
      watch.close();
      watch = null;
      active.clear();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    watchIfWanted();
  }

  private void hear(NewsItem item) {
    switch (item.kind()) {
      case "turn.started", "turn.doing", "turn.text", "tool.started" -> begin(item.threadId());
      case "turn.parked", "approval.asked", "event.finished" -> active.remove(item.threadId());
      default -> {} // says nothing of who is working
    }
  }

  private void begin(String threadId) {
    if (active.containsKey(threadId) || active.size() >= THREADS_MAX) {
      return;
    }
    String[] parts = threadId.split(":", 3);
    Optional<ChannelFacts> facts = channels.facts(parts[0]);
    if (parts.length == 3 && facts.isPresent() && !facts.get().typingEvery().isZero()) {
      Typing typing = new Typing(threadId, parts, facts.get().typingEvery());
      active.put(threadId, typing);
      time.after(FIRST_AFTER, typing::show);
    }
  }

  /** One turn of a chat thread. */
  private final class Typing {
    private final String threadId;
    private final String channel;
    private final String account;
    private final String thread;
    private final Duration every;
    private final long untilNanos;

    Typing(String threadId, String[] parts, Duration every) {
      this.threadId = threadId;
      this.channel = parts[0];
      this.account = parts[1];
      this.thread = parts[2];
      this.every = every;
      this.untilNanos = time.nanos() + SHOWN_MAX.toNanos();
    }

    /** On a thread of its own. */
    void show() {
      if (isOver()) {
        return;
      }
      Duration next = every;
      if (places.tryAcquire()) {
        try {
          next = isShown() ? every : AFTER_FAILURE;
        } finally {
          places.release();
        }
      }
      if (!isOver()) {
        time.after(next, this::show);
      }
    }

    @SuppressWarnings("ReferenceEquality") // whether it is still this very turn
    private boolean isOver() {
      if (time.nanos() - untilNanos >= 0) {
        active.remove(threadId, this);
      }
      return active.get(threadId) != this;
    }

    private boolean isShown() {
      Optional<Use<Channel>> begun = channels.begin(channel);
      if (begun.isEmpty()) {
        return false;
      }
      try (Use<Channel> use = begun.get()) {
        boolean isThere = use.value().facts().accounts().contains(account);
        return isThere
            && !guards.apply(channel + ":" + account).opensIn().isPositive()
            && isShown(use.value());
      }
    }

    private boolean isShown(Channel to) {
      Thread here = Thread.currentThread();
      Time.Timer limit = time.after(CALL_MAX, here::interrupt);
      try {
        to.adapter().showTyping(account, thread);
        return true;
      } catch (Throwable thrown) {
        Fatal.check(thrown);
        meters.counter(FAILURES, "channel", channel).increment();
        LOG.debug("channel {}: typing was not shown: {}", channel, Crash.describe(thrown));
        return false;
      } finally {
        limit.cancel();
        boolean _ = Thread.interrupted(); // the limit's
      }
    }
  }
}
