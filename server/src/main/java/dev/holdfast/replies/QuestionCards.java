package dev.holdfast.replies;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.SettledPost;
import dev.holdfast.bus.News;
import dev.holdfast.bus.NewsItem;
import dev.holdfast.channels.Channels;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.replies.OptionalCalls.Ending;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.ReplyState;
import dev.holdfast.supervision.Crash;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the buttons of questions away from their posts once the questions are over, and says there
 * how they ended, whoever decided them. The news tell when to look; what is to be done stands on
 * disk, so a restart, an absent channel and a failure only delay it. A question that was void for a
 * day is left as it is. Thread-safe.
 */
public final class QuestionCards {
  private static final Logger LOG = LoggerFactory.getLogger(QuestionCards.class);

  public static final String FAILURES = "holdfast.card.failures";

  /** Also for what no news tell of, such as the end of a question's time. */
  private static final Duration LOOK_EVERY = Duration.ofSeconds(30);

  private static final Duration LOOK_BACK = Duration.ofDays(1);
  private static final Backoff RETRY = new Backoff(Duration.ofMinutes(1), Duration.ofHours(1));
  private static final int CARDS_MAX = 1000;
  private static final int RUNNING_MAX = 16;

  /** In the id of each reply that is a question. */
  private static final String QUESTION = ".p.";

  private final Store store;
  private final News news;
  private final OptionalCalls calls;
  private final CardText texts;
  private final Time time;
  private final BlockingQueue<Boolean> wanted = new ArrayBlockingQueue<>(1);
  private final Set<String> running = ConcurrentHashMap.newKeySet();
  private final Map<String, Failed> failed = new ConcurrentHashMap<>();
  private final Semaphore places = new Semaphore(RUNNING_MAX);

  /** What a post says once its question is over. */
  @FunctionalInterface
  public interface CardText {
    /**
     * @param posted what it said before
     * @param who whoever decided it, for people; may be anything
     */
    String of(Approval question, Instant now, String posted, String who);
  }

  private record Failed(int times, long untilNanos) {}

  public QuestionCards(
      Store store, News news, Channels channels, OptionalCalls calls, CardText texts, Time time) {
    this.store = store;
    this.news = news;
    this.calls = calls;
    this.texts = texts;
    this.time = time;
    channels.onAdded(_ -> wake());
  }

  /** Runs until interrupted. */
  public void run() throws InterruptedException {
    try (News.Watch _ = news.watch(this::hear, this::wake)) {
      while (true) {
        look();
        Boolean _ = wanted.poll(LOOK_EVERY.toSeconds(), TimeUnit.SECONDS);
      }
    }
  }

  private void hear(NewsItem item) {
    boolean isAboutCards =
        switch (item.kind()) {
          case "approval.decided" -> true;
          case "reply.state" -> item.json().contains(QUESTION);
          default -> false;
        };
    if (isAboutCards) {
      wake();
    }
  }

  private void wake() {
    boolean _ = wanted.offer(true);
  }

  /** Begins with each card that is due; blocks while too many are under way. */
  void look() throws InterruptedException {
    Instant now = time.now();
    List<String> open = store.approvals().openCards(now.minus(LOOK_BACK), now, CARDS_MAX);
    failed.keySet().retainAll(new HashSet<>(open));
    for (String id : open) {
      if (isDue(id) && running.add(id)) {
        places.acquire();
        Thread _ = Thread.ofVirtual().name("card").start(() -> settle(id));
      }
    }
  }

  /** Whether nothing is under way. */
  boolean isIdle() {
    return running.isEmpty();
  }

  private boolean isDue(String id) {
    Failed before = failed.get(id);
    return before == null || time.nanos() - before.untilNanos() >= 0;
  }

  private void settle(String id) {
    try {
      Optional<Approval> question = store.approvals().find(id);
      Optional<Reply> posted = posted(id);
      if (question.isPresent() && posted.isPresent()) {
        settle(question.get(), posted.get());
      }
    } catch (StoreException | RuntimeException e) { // the store, or a bug: others go on
      failed(id);
      LOG.warn("approval {}: its card is not settled yet: {}", id, Crash.describe(e));
    } finally {
      places.release();
      running.remove(id);
    }
  }

  /** The part that has the buttons; empty until it has arrived. */
  private Optional<Reply> posted(String id) {
    return store
        .outbox()
        .find(id + QUESTION + 1)
        .flatMap(first -> store.outbox().find(id + QUESTION + first.reply().parts()))
        .filter(last -> last.state() == ReplyState.SENT || last.state() == ReplyState.RESENT);
  }

  private void settle(Approval question, Reply posted) throws StoreException {
    Ending ending = posted.detail().isEmpty() ? Ending.REFUSED : edit(question, posted);
    switch (ending) {
      case DONE, REFUSED -> store.approvals().closeCard(question.id());
      case FAILED -> failed(question.id());
      case CROWDED, CLOSED -> {} // at the next look
    }
  }

  private Ending edit(Approval question, Reply posted) {
    NewReply reply = posted.reply();
    String[] source = reply.source().split(":", 2);
    String text = texts.of(question, time.now(), reply.text(), who(question));
    return calls.make(
        source[0],
        source[1],
        adapter ->
            adapter.settle(
                new SettledPost(
                    source[1],
                    reply.address(),
                    posted.detail(),
                    fitting(text, adapter.textUnitsMax()))));
  }

  /** What does not fit is cut off in front: how it ended stands at the end. */
  static String fitting(String text, int unitsMax) {
    if (text.length() <= unitsMax) {
      return text;
    }
    int from = text.length() - unitsMax;
    return text.substring(Character.isLowSurrogate(text.charAt(from)) ? from + 1 : from);
  }

  private void failed(String id) {
    failed.compute(
        id,
        (_, before) -> {
          int times = before == null ? 1 : before.times() + 1;
          return new Failed(times, time.nanos() + RETRY.after(times).toNanos());
        });
  }

  /** Whoever decided it: the name that the message of this person came with, else the id. */
  private String who(Approval question) {
    String by = question.decidedBy().substring(question.decidedBy().indexOf(':') + 1);
    return store
        .inbox()
        .find(question.eventId())
        .flatMap(event -> message(event.payload()))
        .filter(message -> question.decidedBy().equals("person:" + message.sender()))
        .map(message -> message.origin().senderName())
        .filter(name -> !name.isBlank())
        .orElse(by);
  }

  private static Optional<InboundMessage> message(String payload) {
    try {
      return Optional.of(InboundPayload.read(payload));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // a wake-up, or a damaged row
    }
  }
}
