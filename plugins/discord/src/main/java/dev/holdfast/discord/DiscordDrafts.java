package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Draft;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.kit.DraftMessages;
import dev.holdfast.kit.DraftPace;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Shows what answers of one account say so far, as messages that are edited. Blocks the calling
 * thread. Thread-safe.
 */
final class DiscordDrafts {
  /** Where a draft keeps the id of its message. */
  static final String MESSAGE = "message";

  private static final String CHANNEL = "channel";

  /** Discord takes 50 calls a second of a bot, most of which are to be left to replies. */
  private static final Duration PER_ACCOUNT = Duration.ofMillis(100);

  /** And 5 edits within 5 s in a channel. */
  private static final Duration PER_CHANNEL = Duration.ofMillis(1200);

  /** The server interrupts a draft after 5 s, and a reply waits for its draft that long. */
  private static final Duration CALL_MAX = Duration.ofSeconds(4);

  private final DiscordBot bot;
  private final DraftMessages messages;
  private final OpenInteractions interactions;
  private final DraftPace pace;

  DiscordDrafts(DiscordBot bot, DraftMessages messages, OpenInteractions interactions) {
    this.bot = bot;
    this.messages = messages;
    this.interactions = interactions;
    this.pace = new DraftPace(PER_ACCOUNT, bot.context()::nanos);
  }

  /** Leaves out what comes too soon. */
  void show(Draft draft) throws CallFailedException, InterruptedException {
    if (interactions.isThinking(bot.name(), draft.thread()) // Discord says so
        || interactions.isPrivate(bot.name(), draft.thread())) { // it might be shown to all
      return;
    }
    messages.show(
        draft.eventId(),
        before -> {
          String text = DiscordMarkup.draft(draft.text(), draft.activity());
          if (text.isBlank() || !pace.tryTake(draft.thread(), PER_CHANNEL)) {
            return;
          }
          if (before.isEmpty()) {
            begin(draft, text);
          } else {
            edit(before.get(), text);
          }
        });
  }

  private void begin(Draft draft, String text) throws CallFailedException, InterruptedException {
    Map<String, Object> message = DiscordMarkup.message("", List.of());
    message.put("content", text);
    String path = "/channels/" + draft.thread() + "/messages";
    if (isHeld("POST", path, draft.thread())) {
      return;
    }
    DiscordAnswer answer;
    try {
      answer = bot.api().post(path, message, CALL_MAX);
    } catch (CallFailedException e) {
      if (!e.failure().isUnsent()) {
        messages.giveUp(draft.eventId()); // there is to be no second one
      }
      throw e;
    } catch (InterruptedException e) {
      messages.giveUp(draft.eventId());
      throw e;
    }
    Optional<String> posted = answer.message(draft.thread());
    if (posted.isEmpty() && !isSurelyLater(answer, draft.thread())) {
      messages.giveUp(draft.eventId());
    }
    if (judge(answer, draft.thread()) && posted.isPresent()) {
      String id = posted.get();
      bot.messages().posted(id);
      messages.shown(
          DraftMessages.Shown.of(
              draft.eventId(), bot.name(), Map.of(CHANNEL, draft.thread(), MESSAGE, id)));
    }
  }

  /** Whether nothing was posted, and another try may do it; a refusal stays one. */
  private static boolean isSurelyLater(DiscordAnswer answer, String channel) {
    return answer.outcome(channel) instanceof PostOutcome.NotDelivered(Failure failure)
        && failure.isPassing();
  }

  private void edit(DraftMessages.Shown shown, String text)
      throws CallFailedException, InterruptedException {
    String path = path(shown);
    if (isHeld("PATCH", path, shown.text(CHANNEL))) {
      return;
    }
    Map<String, Object> message = DiscordMarkup.edit("", List.of());
    message.put("content", text);
    judge(bot.api().patch(path, message, CALL_MAX), shown.text(CHANNEL));
  }

  private static String path(DraftMessages.Shown shown) {
    return "/channels/" + shown.text(CHANNEL) + "/messages/" + shown.text(MESSAGE);
  }

  /** A draft does not wait: the next one says more. */
  private boolean isHeld(String method, String path, String channel) {
    Duration left = bot.api().pace().left(DiscordApi.route(method, path));
    if (!left.isZero()) {
      pace.hold(channel, left);
    }
    return !left.isZero();
  }

  /** A draft that is refused is left out; a wait that was asked for holds up drafts alone. */
  private boolean judge(DiscordAnswer answer, String channel) throws CallFailedException {
    if (answer.isOk()) {
      return true;
    }
    if (answer.failure().code() == FailureCode.RATE_LIMITED) {
      pace.hold(channel, answer.failure().retryAfter());
    } else if (answer.failure().isPassing()) {
      throw new CallFailedException(answer.failure());
    }
    return false;
  }

  /** Shows for about 10 s that an answer is being made. */
  void showTyping(String channel) throws CallFailedException, InterruptedException {
    if (interactions.isThinking(bot.name(), channel)) {
      return;
    }
    DiscordAnswer answer = bot.api().post("/channels/" + channel + "/typing", CALL_MAX);
    if (!answer.isOk()) {
      throw new CallFailedException(answer.failure());
    }
  }

  /** The message that a reply is to take the place of; no draft of it comes after it. */
  Optional<DraftMessages.Shown> finish(String eventId) throws InterruptedException {
    return messages.finish(eventId);
  }

  /** The reply surely does not stand there. */
  void release(DraftMessages.Shown draft) {
    messages.release(draft);
  }

  void forget(String eventId) {
    messages.forget(eventId);
  }

  /** Deletes one that got no reply; false when another try may do it. */
  boolean delete(DraftMessages.Shown shown) throws InterruptedException {
    try {
      DiscordAnswer answer = bot.api().delete(path(shown), CALL_MAX);
      return answer.isOk() || !answer.failure().isPassing();
    } catch (CallFailedException e) {
      return !e.failure().isPassing();
    }
  }
}
