package dev.holdfast.replies;

import dev.holdfast.api.Draft;
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
import io.vertx.core.json.JsonObject;
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
 * Shows in the chats of platforms that an answer is being made, or what it says so far. It learns
 * of turns from the news, which it reads only while a channel wants that. A notice that cannot be
 * shown is left out: nothing waits for one. Thread-safe.
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
  private static final int DRAFT_UNITS_MAX = 32_768;

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
      case "turn.started", "turn.doing" -> begin(item);
      case "turn.text" -> begin(item).ifPresent(typing -> typing.grow(item.json()));
      case "turn.restart", "tool.started" -> begin(item).ifPresent(Typing::clear);
      case "turn.parked", "approval.asked", "event.finished" -> active.remove(item.threadId());
      default -> {} // says nothing of who is working
    }
  }

  private Optional<Typing> begin(NewsItem item) {
    String threadId = item.threadId();
    @Nullable Typing known = active.get(threadId);
    if (known != null || active.size() >= THREADS_MAX) {
      return Optional.ofNullable(known);
    }
    String[] parts = threadId.split(":", 3);
    Optional<ChannelFacts> facts = channels.facts(parts[0]);
    if (parts.length < 3 || facts.isEmpty() || facts.get().typingEvery().isZero()) {
      return Optional.empty();
    }
    Typing typing = new Typing(threadId, parts, item.eventId(), facts.get());
    active.put(threadId, typing);
    time.after(FIRST_AFTER, typing::show);
    return Optional.of(typing);
  }

  /** One turn of a chat thread. */
  private final class Typing {
    private final String threadId;
    private final String channel;
    private final String account;
    private final String thread;
    private final String eventId;
    private final Duration every;
    private final boolean showsDrafts;
    private final int unitsMax;
    private final long untilNanos;

    /** What the answer says so far; kept only for a channel that shows it. */
    private final StringBuilder text = new StringBuilder();

    Typing(String threadId, String[] parts, String eventId, ChannelFacts facts) {
      this.threadId = threadId;
      this.channel = parts[0];
      this.account = parts[1];
      this.thread = parts[2];
      this.eventId = eventId;
      this.every = facts.typingEvery();
      this.showsDrafts = facts.showsDrafts();
      this.unitsMax = Math.min(facts.textUnitsMax(), DRAFT_UNITS_MAX);
      this.untilNanos = time.nanos() + SHOWN_MAX.toNanos();
    }

    void grow(String json) {
      if (!showsDrafts) {
        return;
      }
      String delta = new JsonObject(json).getString("delta", "");
      synchronized (text) {
        text.append(delta, 0, Math.min(delta.length(), unitsMax - text.length()));
      }
    }

    /** The model begins again, or says more after a tool. */
    void clear() {
      synchronized (text) {
        text.setLength(0);
      }
    }

    private String textNow() {
      synchronized (text) {
        int end = text.length();
        boolean isCut = end > 0 && Character.isHighSurrogate(text.charAt(end - 1));
        return text.substring(0, isCut ? end - 1 : end);
      }
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
        String draft = textNow();
        if (draft.isBlank()) {
          to.adapter().showTyping(account, thread);
        } else {
          to.adapter().showDraft(new Draft(account, thread, eventId, draft));
        }
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
