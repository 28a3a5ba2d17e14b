package dev.holdfast.telegram;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Draft;
import dev.holdfast.api.Failure;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.DraftMessages;
import dev.holdfast.kit.DraftPace;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Shows what answers say so far, for one bot. In a private chat it is a draft of Telegram's own,
 * which goes away by itself; in a group, and where Telegram has no drafts, a message that is
 * edited. Blocks the calling thread. Thread-safe.
 */
final class DraftPoster {
  /** Telegram lets a bot write about 30 messages a second; posts need some of them. */
  private static final Duration PER_ACCOUNT = Duration.ofMillis(50);

  private static final Duration PER_CHAT = Duration.ofSeconds(1);

  /** A group takes 20 messages a minute; 15 drafts leave 5 for posts. */
  private static final Duration PER_GROUP = Duration.ofSeconds(4);

  /** The server interrupts a draft after 5 s, and a reply waits for its draft that long. */
  private static final Duration CALL_MAX = Duration.ofSeconds(4);

  /** Where a draft stands. */
  static final String CHAT = "chat";

  static final String MESSAGE = "message";

  private final PluginContext context;
  private final BotAccount bot;
  private final DraftMessages drafts;
  private final DraftPace pace;
  private volatile boolean hasDrafts = true;

  DraftPoster(PluginContext context, BotAccount bot, DraftMessages drafts) {
    this.context = context;
    this.bot = bot;
    this.drafts = drafts;
    this.pace = new DraftPace(PER_ACCOUNT, context::nanos);
  }

  /** Leaves out what comes too soon. */
  void show(Draft draft) throws CallFailedException, InterruptedException {
    drafts.show(
        draft.eventId(),
        before -> {
          ChatAddress to = bot.address(draft.thread());
          if (pace.tryTake(to.chat(), to.isGroup() ? PER_GROUP : PER_CHAT)) {
            show(draft, before, to);
          }
        });
  }

  private void show(Draft draft, Optional<DraftMessages.Shown> before, ChatAddress to)
      throws CallFailedException, InterruptedException {
    PostText text = PostText.ofDraft(draft.text(), draft.activity(), context);
    if (text.isBlank()) {
      return;
    }
    if (!to.isGroup() && hasDrafts) {
      showOwn(draft.eventId(), text, to);
    } else {
      showAsMessage(draft, before, text, to);
    }
  }

  private void showOwn(String eventId, PostText text, ChatAddress to)
      throws CallFailedException, InterruptedException {
    Map<String, Object> parameters = to.parameters();
    parameters.put("draft_id", Math.max(1, eventId.hashCode() & Integer.MAX_VALUE));
    text.into(parameters);
    BotAnswer answer = bot.api().call("sendMessageDraft", parameters, CALL_MAX);
    boolean isUnknown = answer.code() == 404 || answer.code() == 400;
    if (isUnknown && !text.isRefusedAsHtml(answer)) {
      hasDrafts = false; // from the next one on
      return;
    }
    if (answer.code() == 429) {
      pace.hold(to.chat(), answer.failure().retryAfter()); // replies are no such drafts
    } else {
      judge(answer, to);
    }
  }

  private void showAsMessage(
      Draft draft, Optional<DraftMessages.Shown> before, PostText text, ChatAddress to)
      throws CallFailedException, InterruptedException {
    Map<String, Object> parameters = to.parameters();
    text.into(parameters);
    parameters.put("link_preview_options", Map.of("is_disabled", true));
    if (before.isPresent()) {
      parameters.put("message_id", ChatAddress.number(before.get().text(MESSAGE)));
      judge(bot.api().call("editMessageText", parameters, CALL_MAX), to);
      return;
    }
    parameters.put("disable_notification", true);
    BotAnswer answer = bot.api().call("sendMessage", parameters, CALL_MAX);
    String message = JsonText.id(answer.result(), "message_id");
    if (judge(answer, to) && !message.isEmpty()) {
      Map<String, Object> place = Map.of(CHAT, to.chat(), MESSAGE, message);
      drafts.shown(DraftMessages.Shown.of(draft.eventId(), draft.account(), place));
    }
  }

  /** A message that is refused is left out; a wait that was asked for counts for replies too. */
  private boolean judge(BotAnswer answer, ChatAddress to) throws CallFailedException {
    if (!answer.migratedTo().isEmpty()) {
      bot.note(new TelegramUpdate.Migrated(to.chat(), answer.migratedTo()));
    } else if (answer.code() == 429) {
      pace.holdReplies(to.chat(), answer.failure().retryAfter());
    } else if (!answer.isOk() && answer.code() != 400) {
      throw new CallFailedException(answer.failure());
    }
    return answer.isOk();
  }

  /** Why nothing can be written there yet; empty when nothing is known of it. */
  Optional<Failure> waitAsked(ChatAddress to) {
    return pace.waitAsked(to.chat());
  }

  /** The draft that a reply is to take the place of; no draft of it comes after it. */
  Optional<DraftMessages.Shown> finish(String eventId) throws InterruptedException {
    return drafts.finish(eventId);
  }

  /** The reply was not posted there, and may be later. */
  void refused(DraftMessages.Shown draft, OutboundReply reply) {
    drafts.refused(draft, reply);
  }

  void forget(String eventId) {
    drafts.forget(eventId);
  }

  /**
   * Deletes the message of a draft.
   *
   * @return false when another try may succeed
   */
  boolean delete(DraftMessages.Shown draft) throws InterruptedException {
    Map<String, Object> parameters = new ChatAddress(draft.text(CHAT), "").parameters();
    parameters.put("message_id", ChatAddress.number(draft.text(MESSAGE)));
    try {
      BotAnswer answer = bot.api().call("deleteMessage", parameters, CALL_MAX);
      return answer.isOk() || answer.code() == 400 || answer.code() == 403;
    } catch (CallFailedException _) {
      return false;
    }
  }
}
