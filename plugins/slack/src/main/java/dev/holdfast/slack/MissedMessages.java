package dev.holdfast.slack;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.MessageSink;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Asks for what was said while the account did not listen, in one or several absences. Slack itself
 * sends an event again for 5 min; what is older is in the history. At most a day, 200 channels and
 * threads, and 1,000 messages of each. What is known already is known by its key.
 */
final class MissedMessages {
  /** Within that, Slack sends everything again itself. */
  static final Duration GAP_LEAST = Duration.ofMinutes(3);

  static final Duration AGE_MAX = Duration.ofHours(24);
  private static final int PAGE = 100;
  private static final int PAGES_MAX = 10;
  private static final int TRIES_MAX = 5;
  private static final Duration CALL_MAX = Duration.ofSeconds(20);
  private static final Duration WAIT_LEAST = Duration.ofSeconds(5);
  private static final Duration WAIT_MAX = Duration.ofMinutes(5);

  private final SlackBot bot;
  private final MessageSink sink;
  private final SlackIdentity me;

  private MissedMessages(SlackBot bot, MessageSink sink, SlackIdentity me) {
    this.bot = bot;
    this.sink = sink;
    this.me = me;
  }

  /** To be called before a socket is read: its messages move the marks. */
  static MissedMessages since(SlackBot bot, MessageSink sink, SlackIdentity me) {
    bot.marks().missIfAway(bot.context().now());
    return new MissedMessages(bot, sink, me);
  }

  /**
   * Blocks until all of it is on disk, or cannot be asked for. What fails and may pass is asked for
   * again every 5 min, for a day.
   */
  void take() throws InterruptedException {
    Instant begun = bot.context().now();
    List<String> unknown = new ArrayList<>();
    boolean isComplete = false;
    while (!isComplete) {
      boolean isLast = !bot.context().now().isBefore(begun.plus(AGE_MAX));
      boolean isToWait = false;
      for (ReadMarks.Mark mark : bot.marks().missing()) {
        try {
          hand(mark.place(), read(mark, begun.minus(AGE_MAX)));
          bot.marks().filled(mark);
        } catch (CallFailedException e) {
          if (e.failure().isPassing() && !isLast) {
            isToWait = true;
          } else {
            unknown.add(mark.place().thread() + ": " + e.failure().summary());
            bot.marks().filled(mark);
          }
        }
      }
      if (isToWait) {
        bot.context().sleep(WAIT_MAX);
      }
      isComplete = bot.marks().missing().isEmpty();
    }
    if (!unknown.isEmpty()) {
      warn(
          "what was missed in %d channels and threads is not known; the first is %s"
              .formatted(unknown.size(), unknown.getFirst()));
    }
  }

  /** What was said since, oldest first. */
  private List<Map<String, Object>> read(ReadMarks.Mark mark, Instant from)
      throws CallFailedException, InterruptedException {
    String oldest = from.getEpochSecond() + ".000000";
    String since = ReadMarks.isAfter(mark.ts(), oldest) ? mark.ts() : oldest;
    boolean isThread = !mark.place().threadTs().isEmpty();
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("channel", mark.place().channel());
    if (isThread) {
      parameters.put("ts", mark.place().threadTs());
    }
    parameters.put("oldest", since);
    parameters.put("limit", PAGE);
    String method = isThread ? "conversations.replies" : "conversations.history";
    List<Map<String, Object>> missed = new ArrayList<>();
    for (int page = 1; page <= PAGES_MAX; page++) {
      Map<String, Object> body = ask(method, parameters);
      for (Map<String, Object> message : JsonText.maps(body, "messages")) {
        String ts = JsonText.text(message, "ts");
        if (SlackEventReader.isTs(ts)
            && ReadMarks.isAfter(ts, since)) { // a thread's first is there
          missed.add(message);
        }
      }
      String cursor = JsonText.text(JsonText.map(body, "response_metadata"), "next_cursor");
      if (cursor.isEmpty()) {
        return inOrder(missed);
      }
      parameters.put("cursor", cursor);
    }
    warn(
        "more than %d messages of a channel were missed: not all are read"
            .formatted(missed.size()));
    return inOrder(missed);
  }

  private static List<Map<String, Object>> inOrder(List<Map<String, Object>> messages) {
    messages.sort(Comparator.comparing(message -> new BigDecimal(JsonText.text(message, "ts"))));
    return messages;
  }

  /** Waits as Slack asks for, and a while when it fails. */
  private Map<String, Object> ask(String method, Map<String, Object> parameters)
      throws CallFailedException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      Failure failure;
      try {
        SlackAnswer answer = bot.api().call(method, parameters, CALL_MAX);
        if (answer.isOk()) {
          return answer.body();
        }
        failure = answer.failure();
      } catch (CallFailedException e) {
        failure = e.failure();
      }
      if (attempt == TRIES_MAX || !failure.isPassing()) {
        throw new CallFailedException(failure);
      }
      bot.context().sleep(pause(failure));
    }
  }

  private static Duration pause(Failure failure) {
    Duration asked = failure.code() == FailureCode.RATE_LIMITED ? failure.retryAfter() : WAIT_LEAST;
    if (asked.compareTo(WAIT_LEAST) < 0) {
      return WAIT_LEAST;
    }
    return asked.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : asked;
  }

  private void hand(SlackPlace place, List<Map<String, Object>> missed)
      throws InterruptedException {
    List<InboundMessage> messages = new ArrayList<>();
    for (Map<String, Object> message : missed) {
      if (bot.reader().fromHistory(message, place.channel(), me)
          instanceof SlackEvent.Said(InboundMessage said)) {
        messages.add(said);
      }
    }
    if (!messages.isEmpty()) {
      try {
        sink.accept(List.copyOf(messages));
      } catch (CallFailedException e) {
        warn("a message is dropped: " + e.getMessage());
      }
      messages.forEach(bot.marks()::committed);
    }
  }

  private void warn(String sentence) {
    bot.context().logger().log(Level.WARNING, "account {0}: {1}", bot.name(), sentence);
  }
}
