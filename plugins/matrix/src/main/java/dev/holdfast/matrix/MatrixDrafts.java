package dev.holdfast.matrix;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Draft;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.kit.DraftMessages;
import dev.holdfast.kit.DraftMessages.Shown;
import dev.holdfast.kit.DraftPace;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.RecentMap;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Shows what answers say so far, for one account: a message that is edited. Each edit is an event
 * that every homeserver in the room keeps, so the longer an answer takes, the rarer they are.
 * Blocks the calling thread. Thread-safe.
 */
final class MatrixDrafts {
  /** Of all rooms together; a homeserver counts what an account sends, wherever that is. */
  private static final Duration PER_ACCOUNT = Duration.ofSeconds(1);

  /** After as many edits of a draft the time between two is as long again as at first. */
  private static final int EDITS_PER_STEP = 10;

  private static final Duration EDIT_MOST = Duration.ofSeconds(30);

  /** After a refusal the homeserver has some room again for replies. */
  private static final Duration REST_LEAST = Duration.ofSeconds(10);

  /** The server interrupts a draft after 5 s, and a reply waits for its draft that long. */
  private static final Duration CALL_MAX = Duration.ofSeconds(4);

  private static final String ROOM = "room";
  private static final String EVENT = "event";
  private static final String TRANSACTION = "transaction";

  private final MatrixBot bot;
  private final DraftMessages messages;
  private final Duration every;
  private final DraftPace pace;

  /** What a draft says, by event; and how often it was edited. */
  private final RecentMap<String> texts = new RecentMap<>();

  private final RecentMap<Integer> edits = new RecentMap<>();
  private volatile long restUntil;
  private volatile boolean rests;

  /** {@code every}: the least time between two drafts of a room. */
  MatrixDrafts(MatrixBot bot, DraftMessages messages, Duration every) {
    this.bot = bot;
    this.messages = messages;
    this.every = every;
    this.pace = new DraftPace(PER_ACCOUNT, bot.context()::nanos);
  }

  /** Leaves out what comes too soon. */
  void show(Draft draft) throws CallFailedException, InterruptedException {
    messages.show(draft.eventId(), before -> show(draft, before));
  }

  private void show(Draft draft, Optional<Shown> before)
      throws CallFailedException, InterruptedException {
    MatrixPlace to = MatrixPlace.ofThread(draft.thread());
    MatrixContent.Words words =
        MatrixContent.Words.ofDraft(draft.text(), draft.activity(), bot.context());
    boolean isSame = texts.find(draft.eventId()).equals(Optional.of(words.text()));
    if (words.isBlank() || isSame || isResting() || !pace.tryTake(to.room(), wait(draft))) {
      return;
    }
    String event = before.map(shown -> shown.text(EVENT)).orElse("");
    if (event.isEmpty()) {
      String kept = before.map(shown -> shown.text(TRANSACTION)).orElse("");
      begin(draft, to, words, kept);
    } else {
      edit(draft, to, words, event);
    }
  }

  private Duration wait(Draft draft) {
    int steps = 1 + edits.find(draft.eventId()).orElse(0) / EDITS_PER_STEP;
    Duration most = every.compareTo(EDIT_MOST) > 0 ? every : EDIT_MOST;
    Duration wait = every.multipliedBy(steps);
    return wait.compareTo(most) > 0 ? most : wait;
  }

  private boolean isResting() {
    return rests && bot.context().nanos() - restUntil < 0;
  }

  /**
   * Its transaction is on disk before it is sent: the next one, or the reply, finds out by it
   * whether it is there. One that begins again after it was taken away has another.
   *
   * @param kept the transaction of one that may be there; empty for the first
   */
  private void begin(Draft draft, MatrixPlace to, MatrixContent.Words words, String kept)
      throws CallFailedException, InterruptedException {
    Map<String, Object> content = MatrixContent.message(words, "", to, answered(to));
    String transaction = kept.isEmpty() ? "holdfast-draft-" + UUID.randomUUID() : kept;
    keep(draft, to, "", transaction);
    MatrixAnswer answer;
    try {
      answer = bot.api().sendEvent(to.room(), transaction, content, CALL_MAX);
    } catch (CallFailedException e) {
      if (e.failure().isUnsent() && kept.isEmpty()) {
        messages.forget(draft.eventId());
      }
      throw e;
    }
    switch (answer.outcome()) {
      case PostOutcome.Sent(String event) -> {
        bot.talk().posted(to, event);
        texts.put(draft.eventId(), words.text());
        keep(draft, to, event, transaction);
      }
      case PostOutcome.Unknown _ -> judge(draft, answer);
      case PostOutcome.NotDelivered _ -> {
        if (kept.isEmpty()) {
          messages.forget(draft.eventId());
        }
        judge(draft, answer);
      }
    }
  }

  /**
   * A thread's draft names an event of the thread, for clients that know no threads. Elsewhere it
   * names nothing: what was said last may be another person's.
   */
  private String answered(MatrixPlace to) {
    return to.root().isEmpty() ? "" : bot.talk().lastSaid(to.thread()).orElse("");
  }

  private void keep(Draft draft, MatrixPlace to, String event, String transaction) {
    Map<String, Object> place = Map.of(ROOM, to.room(), EVENT, event, TRANSACTION, transaction);
    messages.shown(Shown.of(draft.eventId(), bot.name(), place));
  }

  private void edit(Draft draft, MatrixPlace to, MatrixContent.Words words, String event)
      throws CallFailedException, InterruptedException {
    edits.put(draft.eventId(), edits.find(draft.eventId()).orElse(0) + 1);
    MatrixAnswer answer =
        bot.api()
            .sendEvent(
                to.room(),
                "holdfast-edit-" + UUID.randomUUID(),
                MatrixContent.edit(words, "", event),
                CALL_MAX);
    if (answer.isOk()) {
      texts.put(draft.eventId(), words.text());
    }
    judge(draft, answer);
  }

  /**
   * A draft that is refused is left out; a wait that was asked for counts for replies too, and for
   * drafts somewhat longer.
   */
  private void judge(Draft draft, MatrixAnswer answer) throws CallFailedException {
    if (answer.isOk()) {
      return;
    }
    if (answer.failure().code() == FailureCode.RATE_LIMITED) {
      Duration asked = answer.failure().retryAfter();
      Duration rest = asked.compareTo(REST_LEAST) > 0 ? asked : REST_LEAST;
      pace.holdReplies(asked);
      restUntil = bot.context().nanos() + rest.toNanos();
      rests = true;
    } else if (answer.failure().isPassing()) {
      throw new CallFailedException(answer.failure());
    } else {
      messages.giveUp(draft.eventId());
    }
  }

  /** Why nothing can be written there yet; empty when nothing is known of it. */
  Optional<Failure> waitAsked(MatrixPlace to) {
    return pace.waitAsked(to.room());
  }

  /**
   * The message that a reply is to take the place of; no draft of it comes after it. Waits for one
   * that is on its way.
   */
  Optional<Shown> finish(String eventId) throws InterruptedException {
    return messages.finish(eventId);
  }

  /**
   * The event of a draft. When its answer was lost, it is sent again, as the same event, to learn
   * its id; if it was not there, it says this now.
   *
   * @param content of the reply
   * @return how that ended; {@code Sent} names the event
   */
  PostOutcome eventOf(Shown draft, Map<String, Object> content)
      throws CallFailedException, InterruptedException {
    String known = draft.text(EVENT);
    return known.isEmpty()
        ? bot.api().sendEvent(draft.text(ROOM), draft.text(TRANSACTION), content).outcome()
        : new PostOutcome.Sent(known);
  }

  /** The reply was not posted there, and may be later. */
  void release(Shown draft) {
    messages.release(draft);
  }

  /** The same, unless an earlier try of the reply stands there. */
  void refused(Shown draft, OutboundReply reply) {
    messages.refused(draft, reply);
  }

  void forget(String eventId) {
    messages.forget(eventId);
  }

  /**
   * Takes the message of a draft away.
   *
   * @return false when another try may succeed
   */
  boolean delete(Shown draft) throws InterruptedException {
    String event = draft.text(EVENT);
    if (event.isEmpty()) {
      return true; // whether it is there was never known
    }
    String path =
        MatrixApi.room(
            draft.text(ROOM),
            "/redact/" + MatrixIds.encoded(event) + "/holdfast-" + UUID.randomUUID());
    try {
      MatrixAnswer answer = bot.api().put(path, Map.of(), CALL_MAX);
      if (answer.isOk()) {
        return true;
      }
      if (answer.failure().isPassing()) {
        return false;
      }
      messages.giveUp(draft.eventId()); // it stays, and there are to be no two
      return true;
    } catch (CallFailedException _) {
      return false;
    }
  }

  /** Takes a draft away that is not its reply by then; whether that succeeds does not matter. */
  void takeAway(String eventId) throws InterruptedException {
    messages.takeAway(eventId, this::delete);
  }

  /** Shows that an answer is being made, and that what it answers was seen. */
  void showTyping(String thread, String me) throws CallFailedException, InterruptedException {
    MatrixPlace to = MatrixPlace.ofThread(thread);
    Optional<String> seen = bot.talk().lastSaid(thread);
    if (!bot.talk().isTyping(to.room()) && seen.isPresent()) {
      String path = MatrixApi.room(to.room(), "/receipt/m.read/" + MatrixIds.encoded(seen.get()));
      bot.background().add(() -> bot.api().post(path, Map.of(), CALL_MAX));
    }
    bot.talk().isTyping(to.room(), true);
    MatrixAnswer answer = typing(to.room(), me, true);
    if (!answer.isOk() && answer.failure().isPassing()) {
      throw new CallFailedException(answer.failure());
    }
  }

  /** When the answer is there, nobody types any more. */
  void endTyping(String room) {
    if (bot.talk().isTyping(room)) {
      bot.talk().isTyping(room, false);
      bot.background().add(() -> typing(room, bot.user(CALL_MAX), false));
    }
  }

  private MatrixAnswer typing(String room, String me, boolean is)
      throws CallFailedException, InterruptedException {
    Map<String, Object> body =
        is
            ? Map.of("typing", true, "timeout", MatrixChannel.TYPING_SHOWN.toMillis())
            : Map.of("typing", false);
    return bot.api().put(MatrixApi.room(room, "/typing/" + MatrixIds.encoded(me)), body, CALL_MAX);
  }

  /** What the answer's body says of a post; for the look at what has arrived. */
  static String idOf(Map<String, Object> event) {
    return JsonText.text(JsonText.map(event, "content"), MatrixContent.REPLY);
  }
}
