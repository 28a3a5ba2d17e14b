package dev.holdfast.ingress.openai;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.api.Attachment;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.bus.News;
import dev.holdfast.bus.NewsItem;
import dev.holdfast.ingress.api.StoredAnswers;
import dev.holdfast.ingress.api.WebMessages;
import dev.holdfast.ingress.api.WebUploads;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.webhooks.MessageIntake;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.ModelCallRow;
import dev.holdfast.store.messages.Appended;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.StoryLine;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages to chat threads and follows what the agent answers. A message is on disk before
 * anything is said about it, and its answer does not need whoever follows. Thread-safe; blocks.
 */
final class ThreadAnswers {
  /** How long to wait for news before looking at the disk; the last is the heartbeat, too. */
  private static final List<Duration> LOOKS =
      List.of(Duration.ofMillis(50), Duration.ofSeconds(1), Duration.ofSeconds(10));

  private static final String NO_MODEL = "no model can be reached now";

  private static final int OPEN_MAX = 200;

  /** News and stories of one thread are told apart by these. */
  private static final String RUN = "turn.started";

  private final Store store;
  private final StoredAnswers answers;
  private final News news;
  private final ThreadAccess access;
  private final MessageIntake intake;
  private final WebUploads uploads;
  private final Time time;

  ThreadAnswers(
      Store store,
      News news,
      ThreadAccess access,
      MessageIntake intake,
      WebUploads uploads,
      Time time) {
    this.uploads = uploads;
    this.store = store;
    this.answers = new StoredAnswers(store);
    this.news = news;
    this.access = access;
    this.intake = intake;
    this.time = time;
  }

  /**
   * A message that was accepted.
   *
   * @param newsId its news come after it
   * @param isKnown whether it was accepted before, so that its news may be past or forgotten
   */
  record Sent(Event event, long newsId, boolean isKnown) {}

  /** When to stop before the end. */
  enum Patience {
    /** When a person must decide or no model is there. */
    UNTIL_IT_WAITS,
    UNTIL_THE_END
  }

  /**
   * Durable on return.
   *
   * @param user for whom the client speaks; empty for itself
   */
  Sent send(ApiRequest request, String threadId, String user, OpenAiMessages.PersonsWords words)
      throws RefusedRequestException, StoreException, InterruptedException {
    InboundMessage message =
        WebMessages.make(
            threadId,
            WebMessages.sender(request.caller(), user.isEmpty() ? null : user),
            words.text(),
            kept(request, threadId, words.files()),
            WebMessages.dedupeKey(request, threadId, ""));
    access.enter(request.caller(), threadId, null);
    long newsId = news.lastId();
    Appended appended = WebMessages.checkSame(intake.commit(WebMessages.CHANNEL, message), message);
    return appended.duplicate()
        ? again(appended.event())
        : new Sent(appended.event(), newsId, false);
  }

  private List<Attachment> kept(ApiRequest request, String threadId, SentFiles files)
      throws RefusedRequestException, StoreException {
    if (files.isEmpty()) {
      return List.of();
    }
    WebMessages.checkThread(threadId);
    access.enter(request.caller(), threadId, null);
    try {
      return files.keep(threadId, uploads);
    } catch (IOException e) {
      throw new StoreException(Failure.of(FailureCode.INTERNAL, "a file could not be kept: " + e));
    }
  }

  /** An event that the caller may see. */
  Optional<Event> find(ApiRequest request, String eventId) {
    return store
        .inbox()
        .find(eventId)
        .filter(event -> access.maySee(request.caller(), event.threadId()));
  }

  /** All that is remembered of it, and what comes. */
  Sent again(Event event) {
    return new Sent(event, news.forgottenId(), true);
  }

  /**
   * A message that decides a question has its own short answer; what it set going is what its
   * sender waits for.
   */
  Optional<Sent> resumedBy(Sent decision) {
    Event event = decision.event();
    return store.inbox().openOf(event.threadId(), 0, OPEN_MAX).stream()
        .filter(open -> open.seq() < event.seq())
        .filter(open -> store.approvals().waitingOf(open.id()).isEmpty())
        .findFirst()
        .map(open -> new Sent(open, decision.newsId(), false));
  }

  /** Follows a message until its end, or as long as it is worth it, but no longer than this. */
  FollowedAnswer follow(Sent sent, Duration most, Patience patience, AnswerProgress progress)
      throws InterruptedException {
    String eventId = sent.event().id();
    long until = time.nanos() + most.toNanos();
    int quiet = 0;
    if (sent.isKnown()) {
      progress.onMissed(); // until a run begins of which all is remembered
    }
    try (EventNews heard = new EventNews(news, sent.newsId(), eventId)) {
      while (true) {
        // The news of what ended before are heard first, for what was streamed of it.
        Optional<NewsItem> next = heard.next(LOOKS.get(quiet));
        Optional<FollowedAnswer> over =
            next.isEmpty()
                ? look(sent, quiet, patience, progress)
                : hear(sent, next.get(), patience, progress);
        if (over.isPresent()) {
          return over.get();
        }
        quiet = next.isEmpty() ? Math.min(quiet + 1, LOOKS.size() - 1) : Math.min(quiet, 1);
        if (time.nanos() - until >= 0) {
          return new FollowedAnswer.Later("the answer takes long");
        }
      }
    }
  }

  /** At what is on disk, when no news has come for a while; {@code quiet}: for how many looks. */
  private Optional<FollowedAnswer> look(
      Sent sent, int quiet, Patience patience, AnswerProgress progress)
      throws InterruptedException {
    Event event = sent.event();
    Optional<FollowedAnswer> end = end(event.id());
    if (end.isPresent() || quiet == 0) {
      return end;
    }
    Optional<FollowedAnswer> waits = waits(event);
    if (waits.isPresent()) {
      FollowedAnswer what = waits.get();
      if (patience == Patience.UNTIL_IT_WAITS || what instanceof FollowedAnswer.Behind) {
        return waits;
      }
      if (what instanceof FollowedAnswer.Asks(String question)) {
        progress.onWaiting(question, runs(event.id()));
      }
    }
    if (quiet == LOOKS.size() - 1) {
      progress.onQuiet();
    }
    return Optional.empty();
  }

  /** What a message waits for that may take long; empty when its turn goes on. */
  private Optional<FollowedAnswer> waits(Event event) {
    Event head = store.inbox().openOf(event.threadId(), 0, 1).stream().findFirst().orElse(event);
    boolean isNext = head.id().equals(event.id());
    if (!isNext && Incoming.of(event).overtakes()) {
      return Optional.empty();
    }
    Optional<String> question =
        store.approvals().waitingOf(head.id()).stream()
            .map(approval -> answers.question(head.id(), approval.id()))
            .filter(text -> !text.isEmpty())
            .findFirst();
    if (question.isPresent()) {
      return question.map(
          text -> isNext ? new FollowedAnswer.Asks(text) : new FollowedAnswer.Behind(text));
    }
    return head.state() == EventState.PARKED
        ? Optional.of(new FollowedAnswer.Later(NO_MODEL))
        : Optional.empty();
  }

  private Optional<FollowedAnswer> hear(
      Sent sent, NewsItem item, Patience patience, AnswerProgress progress)
      throws InterruptedException {
    JsonObject details = new JsonObject(item.json());
    switch (item.kind()) {
      case RUN -> progress.onRun(details.getInteger("run", 1));
      case "turn.text" -> progress.onText(details.getString("delta", ""));
      case "turn.restart" -> progress.onRestart();
      case "tool.started" -> progress.onRound();
      case "reply.planned" -> {
        String text = details.getString("text", "");
        if (StoredAnswers.isQuestion(details.getString("reply_id", ""))) {
          if (patience == Patience.UNTIL_IT_WAITS) {
            return sent.isKnown()
                ? waits(sent.event())
                : Optional.of(new FollowedAnswer.Asks(text));
          }
          progress.onQuestion(text);
        }
      }
      case "turn.parked" -> {
        if (patience == Patience.UNTIL_IT_WAITS) {
          return sent.isKnown()
              ? waits(sent.event())
              : Optional.of(new FollowedAnswer.Later(NO_MODEL));
        }
      }
      case EventNews.MISSED -> {
        progress.onMissed();
        return end(item.eventId());
      }
      case "event.finished" -> {
        return end(item.eventId());
      }
      default -> {}
    }
    return Optional.empty();
  }

  /** When its last end was; now while it has none. */
  Instant endedAt(String eventId) {
    return store.stories().of(eventId).reversed().stream()
        .filter(line -> line.what().equals("event.finished"))
        .findFirst()
        .map(StoryLine::at)
        .orElseGet(time::now);
  }

  /** How many runs its turn has had. */
  int runs(String eventId) {
    return store.stories().count(RUN, List.of(eventId)).getOrDefault(eventId, 0);
  }

  /** Whether no older message of its thread is open. */
  boolean isNext(Event event) {
    return store.inbox().openOf(event.threadId(), 0, 1).stream()
        .allMatch(open -> open.seq() >= event.seq());
  }

  /** From the store; empty while the event is open. */
  Optional<FollowedAnswer> end(String eventId) {
    return answers.find(eventId).map(found -> ended(eventId, found.failed()));
  }

  private FollowedAnswer ended(String eventId, @Nullable FailureCode failed) {
    String text = answers.said(eventId);
    if (failed != null) {
      return new FollowedAnswer.Failed(
          failed, text.isEmpty() ? "the message was not answered" : text);
    }
    Optional<String> joined = text.isEmpty() ? joinedTo(eventId) : Optional.empty();
    return new FollowedAnswer.Answered(
        new CompletedAnswer(joined.map(answers::said).orElse(text), usage(eventId)));
  }

  /** The event whose answer is for this one, too. */
  private Optional<String> joinedTo(String eventId) {
    return store.stories().of(eventId).reversed().stream()
        .filter(line -> line.what().equals("turn.joined"))
        .findFirst()
        .map(line -> new JsonObject(line.json()).getString("answered_with", ""));
  }

  private TokenUsage usage(String eventId) {
    long input = 0;
    long output = 0;
    long cacheRead = 0;
    long cacheWrite = 0;
    for (ModelCallRow call : store.usage().ofEvent(eventId)) {
      input += call.inputTokens();
      output += call.outputTokens();
      cacheRead += call.cacheReadTokens();
      cacheWrite += call.cacheWriteTokens();
    }
    return new TokenUsage(input, output, cacheRead, cacheWrite);
  }

  /** What people were asked about this event, and about nothing else. */
  List<String> questions(String eventId) {
    return answers.asked(eventId);
  }
}
