package dev.holdfast.replies;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Draft;
import dev.holdfast.bus.News;
import dev.holdfast.bus.NewsItem;
import dev.holdfast.channels.ChannelFacts;
import dev.holdfast.channels.Channels;
import dev.holdfast.resilience.Guards;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Shows in the chats of platforms that an answer is being made, or what it says so far. It learns
 * of turns from the news, which it reads only while a channel wants that. A notice that cannot be
 * shown is left out: nothing waits for one. A draft is not begun while an earlier reply of its chat
 * thread may still be posted, below which it belongs. Thread-safe.
 */
public final class TypingNotices implements AutoCloseable {
  /** Most answers of fast models need none. */
  static final Duration FIRST_AFTER = Duration.ofMillis(500);

  static final Duration AFTER_FAILURE = Duration.ofSeconds(60);

  /** A turn whose end was not heard of is not shown for ever. */
  static final Duration SHOWN_MAX = Duration.ofMinutes(30);

  public static final String FAILURES = "holdfast.typing.failures";
  private static final int THREADS_MAX = 10_000;
  private static final int ACTIVITY_UNITS_MAX = 200;
  private static final int DRAFT_UNITS_MAX = 32_768;

  private final Channels channels;
  private final News news;
  private final OptionalCalls calls;
  private final Predicate<String> holdsReplies;
  private final Time time;
  private final Map<String, Typing> active = new ConcurrentHashMap<>();
  private News.@Nullable Watch watch;
  private boolean closed;

  /**
   * {@code holdsReplies}: whether a reply of a chat thread may not be posted yet; asked before a
   * draft is begun.
   */
  public TypingNotices(
      Channels channels,
      News news,
      Predicate<String> holdsReplies,
      Guards guards,
      Time time,
      MeterRegistry meters) {
    this(
        channels,
        news,
        holdsReplies,
        new OptionalCalls(channels, guards, FAILURES, time, meters),
        time);
  }

  TypingNotices(
      Channels channels,
      News news,
      Predicate<String> holdsReplies,
      OptionalCalls calls,
      Time time) {
    this.channels = channels;
    this.news = news;
    this.calls = calls;
    this.holdsReplies = holdsReplies;
    this.time = time;
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
      case "turn.started" -> begin(item);
      case "turn.doing" -> begin(item).ifPresent(typing -> typing.go(item.json()));
      case "turn.text" -> begin(item).ifPresent(typing -> typing.grow(item.json()));
      case "turn.restart" -> begin(item).ifPresent(Typing::clear);
      case "tool.started" -> begin(item).ifPresent(typing -> typing.work(item.json()));
      case "tool.ended" -> begin(item).ifPresent(Typing::rest);
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
    private final Duration draftEvery;
    private final boolean showsDrafts;
    private final int unitsMax;
    private final long untilNanos;

    /** What the answer says so far; kept only for a channel that shows it. */
    private final StringBuilder text = new StringBuilder();

    /** What the tool that runs does; empty when none runs. */
    private String activity = "";

    /** What was shown last, and when; only the thread that shows touches them. */
    private Draft last;

    private long lastNanos;

    /** Whether a draft stands in the chat: where the answer will be is settled. */
    private boolean hasDraft;

    Typing(String threadId, String[] parts, String eventId, ChannelFacts facts) {
      this.threadId = threadId;
      this.channel = parts[0];
      this.account = parts[1];
      this.thread = parts[2];
      this.eventId = eventId;
      this.every = facts.typingEvery();
      this.draftEvery = facts.draftEvery();
      this.showsDrafts = facts.showsDrafts();
      this.unitsMax = Math.min(facts.textUnitsMax(), DRAFT_UNITS_MAX);
      this.untilNanos = time.nanos() + SHOWN_MAX.toNanos();
      this.last = now();
      this.lastNanos = time.nanos() - every.toNanos();
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

    /** The model begins again. */
    void clear() {
      synchronized (text) {
        text.setLength(0);
      }
    }

    /** A tool begins; what the answer says comes after it. */
    void work(String json) {
      clear();
      synchronized (text) {
        activity = label(json);
      }
    }

    /** What a tool that runs is at. */
    void go(String json) {
      synchronized (text) {
        if (!activity.isEmpty()) {
          activity = label(json);
        }
      }
    }

    void rest() {
      synchronized (text) {
        activity = "";
      }
    }

    private String label(String json) {
      String label = showsDrafts ? new JsonObject(json).getString("label", "") : "";
      return whole(label, Math.min(label.length(), ACTIVITY_UNITS_MAX));
    }

    private Draft now() {
      synchronized (text) {
        return new Draft(account, thread, eventId, whole(text, text.length()), activity);
      }
    }

    /** Its beginning, without half of a surrogate pair. */
    private static String whole(CharSequence text, int units) {
      boolean isCut = units > 0 && Character.isHighSurrogate(text.charAt(units - 1));
      return text.subSequence(0, isCut ? units - 1 : units).toString();
    }

    private boolean isDraft(Draft draft) {
      return showsDrafts && !(draft.text().isBlank() && draft.activity().isBlank());
    }

    /** On a thread of its own. */
    void show() {
      if (isOver()) {
        return;
      }
      Draft draft = mayDraft() ? now() : new Draft(account, thread, eventId, "", "");
      boolean isDue =
          time.nanos() - lastNanos >= every.toNanos() || (isDraft(draft) && !draft.equals(last));
      Duration next = isDue ? shownNow(draft) : draftEvery;
      if (!isOver()) {
        time.after(next, this::show);
      }
    }

    private boolean mayDraft() {
      return hasDraft || !showsDrafts || !holdsReplies.test(threadId);
    }

    /** When to look again. */
    private Duration shownNow(Draft draft) {
      Duration next = showsDrafts ? draftEvery : every;
      last = draft;
      lastNanos = time.nanos();
      OptionalCalls.Ending ending = calls.make(channel, account, adapter -> show(adapter, draft));
      hasDraft |= ending == OptionalCalls.Ending.DONE && isDraft(draft);
      return switch (ending) {
        case DONE, CROWDED -> next;
        case CLOSED, FAILED, REFUSED -> AFTER_FAILURE;
      };
    }

    @SuppressWarnings("ReferenceEquality") // whether it is still this very turn
    private boolean isOver() {
      if (time.nanos() - untilNanos >= 0) {
        active.remove(threadId, this);
      }
      return active.get(threadId) != this;
    }

    private void show(ChannelAdapter adapter, Draft draft) throws Exception {
      if (isDraft(draft)) {
        adapter.showDraft(draft);
      } else {
        adapter.showTyping(account, thread);
      }
    }
  }
}
