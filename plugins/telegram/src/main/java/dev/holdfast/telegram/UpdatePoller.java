package dev.holdfast.telegram;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.JsonAnswer;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks for the updates of one bot, in their order. The offset of a poll tells Telegram which
 * updates have arrived; it is sent after they are on disk, and only once: Telegram may begin to
 * count anew after a week without updates, and an old offset would skip new ones. For the same
 * reason no position is saved. What comes twice after a crash is known by its key. For one call of
 * {@code listen}.
 */
final class UpdatePoller {
  /** What the connection may take besides the wait for updates. */
  private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

  private static final Duration CALL_MAX = Duration.ofSeconds(20);
  private static final int BATCH_MAX = 100;

  /** A server that does not wait for updates is not asked more often. */
  private static final Duration EMPTY_LEAST = Duration.ofSeconds(1);

  /** The poll of a process that has just ended is over soon. */
  private static final int CONFLICTS_MAX = 3;

  private static final Duration CONFLICT_FIRST = Duration.ofSeconds(1);

  /** Telegram's numbers are far below. */
  private static final long ID_LIMIT = 1_000_000_000_000_000_000L;

  private static final Pattern UPDATE_ID =
      Pattern.compile("\"update_id\"\\s*:\\s*([0-9]{1,18})\\b");

  private final PluginContext context;
  private final BotAccount bot;
  private final Duration wait;
  private final MessageSink sink;
  private boolean deletedWebhook;

  /** Refused polls in a row. */
  private int conflicts;

  /** The first update that Telegram is to send; 0 when it has nothing to be told. */
  private long offset;

  private int batchMax = BATCH_MAX;

  UpdatePoller(PluginContext context, BotAccount bot, Duration wait, MessageSink sink) {
    this.context = context;
    this.bot = bot;
    this.wait = wait;
    this.sink = sink;
  }

  /** Runs until it is interrupted. */
  void run() throws CallFailedException, InterruptedException {
    BotIdentity me = bot.api().identity(CALL_MAX);
    bot.announceCommands();
    while (true) {
      poll(me);
    }
  }

  void poll(BotIdentity me) throws CallFailedException, InterruptedException {
    long began = context.nanos();
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("timeout", wait.toSeconds());
    parameters.put("limit", batchMax);
    parameters.put("allowed_updates", UpdateReader.KINDS);
    if (offset > 0) {
      parameters.put("offset", offset);
    }
    JsonAnswer raw = bot.api().raw("getUpdates", parameters, wait.plus(ANSWER_MAX));
    BotAnswer answer = bot.api().answer(raw);
    if (raw.status() == 200 && answer.body().isEmpty()) {
      skipUnreadable(raw.text());
      return;
    }
    if (answer.code() == 409) {
      resolveConflict(answer);
      return;
    }
    Map<String, Object> _ = answer.orThrow();
    conflicts = 0;
    List<Map<String, Object>> updates = JsonText.maps(answer.body(), "result");
    long newest = updates.stream().mapToLong(UpdatePoller::id).max().orElse(-1);
    if (!updates.isEmpty()) {
      checkThatIsNew(newest);
    }
    sink.received();
    take(updates, me);
    offset = newest + 1;
    batchMax = BATCH_MAX;
    Duration spent = Duration.ofNanos(context.nanos() - began);
    if (updates.isEmpty() && spent.compareTo(EMPTY_LEAST) < 0) {
      context.sleep(EMPTY_LEAST.minus(spent));
    }
  }

  /** Its number; -1 when it has none that could be confirmed. */
  private static long id(Map<String, Object> update) {
    long id = JsonText.whole(update, "update_id", -1);
    return id < ID_LIMIT ? id : -1;
  }

  /**
   * What is below the offset was confirmed, and what has no number cannot be: it would come at once
   * and for ever. The server waits before the next call, each time longer.
   *
   * @param newest the highest number of an answer; -1 when no update has one
   */
  private void checkThatIsNew(long newest) throws CallFailedException {
    if (newest < offset || newest < 0) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE,
              "getUpdates brings nothing but updates %s, which Telegram never does: check base_url"
                  .formatted(newest < 0 ? "without a number" : "that were confirmed")));
    }
  }

  /** Messages that follow each other cost as much as one. */
  private void take(List<Map<String, Object>> updates, BotIdentity me) throws InterruptedException {
    List<InboundMessage> messages = new ArrayList<>();
    List<DropReason> dropped = new ArrayList<>();
    for (Map<String, Object> update : updates) {
      switch (bot.reader().read(update, me)) {
        case TelegramUpdate.Said(InboundMessage message) -> messages.add(message);
        case TelegramUpdate.Dropped(DropReason reason) -> dropped.add(reason);
        case TelegramUpdate.Clicked(var click) -> {
          accept(messages);
          bot.answerClick(click.reference(), sink.clicked(click));
        }
        case TelegramUpdate.Migrated moved -> bot.note(moved);
        case TelegramUpdate.Membership change -> bot.note(change);
        case TelegramUpdate.Ignored _ -> {}
      }
    }
    accept(messages);
    if (!dropped.isEmpty()) {
      sink.dropped(dropped);
    }
  }

  private void accept(List<InboundMessage> messages) throws InterruptedException {
    if (messages.isEmpty()) {
      return;
    }
    try {
      sink.accept(List.copyOf(messages));
    } catch (CallFailedException e) {
      // It would come again and again, and all after it never.
      context
          .logger()
          .log(Level.WARNING, "account {0}: a message is dropped: {1}", bot.name(), e.getMessage());
    }
    messages.clear();
  }

  /**
   * One of the updates is too much: finds it by asking for one at a time, and goes on behind it.
   */
  private void skipUnreadable(String text) throws CallFailedException {
    Matcher first = UPDATE_ID.matcher(text);
    if (!first.find()) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE,
              "what answers getUpdates is not the Bot API: check base_url"));
    }
    long number = Long.parseLong(first.group(1));
    if (batchMax > 1) {
      sink.received();
      batchMax = 1;
      return;
    }
    checkThatIsNew(number);
    sink.received();
    offset = number + 1;
    context
        .logger()
        .log(
            Level.WARNING,
            "account {0}: update {1} cannot be read and is skipped",
            bot.name(),
            first.group(1));
  }

  private void resolveConflict(BotAnswer answer) throws CallFailedException, InterruptedException {
    if (answer.says("webhook") && !deletedWebhook) {
      deletedWebhook = true;
      Map<String, Object> _ =
          bot.api().call("deleteWebhook", Map.of("drop_pending_updates", false)).orThrow();
      context
          .logger()
          .log(
              Level.INFO,
              "account {0}: deleted the webhook that was set: it polls, and Telegram does one of"
                  + " the two",
              bot.name());
      return;
    }
    conflicts++;
    if (conflicts <= CONFLICTS_MAX && !answer.says("webhook")) {
      context.sleep(CONFLICT_FIRST.multipliedBy(1L << (conflicts - 1)));
      return;
    }
    throw new CallFailedException(
        Failure.of(
            FailureCode.INVALID_REQUEST,
            answer.says("webhook")
                ? "a webhook is set again and again with this token: stop the other process, or set"
                    + " mode: webhook here"
                : "another process polls with this token: stop it, or take another bot's token"));
  }
}
