package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads what was written while no session was there, page by page, oldest first: of the channels in
 * which something was taken in before, at most 500 messages each and none older than a day. For one
 * thread.
 */
final class BackFill {
  private static final Duration AGE_MAX = Duration.ofHours(24);
  private static final Duration CALL_MAX = Duration.ofSeconds(5);

  /** During a longer one, what comes live is not held up. */
  private static final Duration WAIT_MAX = Duration.ofMinutes(1);

  /** Discord asks for no more than that. */
  private static final Duration POSTPONED_MAX = Duration.ofHours(1);

  private static final int PAGE = 100;
  private static final int PAGES_MAX = 5;
  private static final int TRIES_MAX = 3;

  private final DiscordBot bot;
  private final DiscordIdentity me;
  private final TalkedChannels talked;
  private final Deque<Part> left = new ArrayDeque<>();
  private long notBefore;
  private boolean isPostponed;

  private record Part(String channel, long after, int page, int tries) {}

  BackFill(DiscordBot bot, DiscordIdentity me, TalkedChannels talked) {
    this.bot = bot;
    this.me = me;
    this.talked = talked;
    this.notBefore = bot.context().nanos();
    Instant oldest = bot.context().now().minus(AGE_MAX);
    talked
        .all()
        .forEach(
            (channel, last) ->
                left.add(new Part(channel, Math.max(last, Snowflake.at(oldest)), 1, 1)));
  }

  boolean isDone() {
    return left.isEmpty();
  }

  /** Whether Discord asks for so long a wait that nothing else is to wait with it. */
  boolean isPostponed() {
    return isPostponed;
  }

  /** Whether a part of that channel is not read yet. */
  boolean isLeft(String channel) {
    return left.stream().anyMatch(part -> part.channel().equals(channel));
  }

  /** How long Discord asks to wait before the next step. */
  Duration pause() {
    return Duration.ofNanos(Math.max(0, notBefore - bot.context().nanos()));
  }

  /**
   * Reads one page, with one call or two. A channel that Discord refuses to show is left out.
   *
   * @return what it has brought, in the order of writing
   * @throws CallFailedException when it is of no use to go on now: all of it is to be read again
   */
  List<DiscordEvent> step() throws CallFailedException, InterruptedException {
    Part part = left.removeFirst();
    isPostponed = false;
    try {
      return read(part);
    } catch (CallFailedException e) {
      Failure failure = e.failure();
      if (failure.code() == FailureCode.RATE_LIMITED
          && failure.retryAfter().compareTo(WAIT_MAX) > 0) {
        postpone(part, failure);
        return List.of();
      }
      boolean isTriedAgain = failure.isPassing() && part.tries() < TRIES_MAX;
      if (!isTriedAgain && failure.kind() != FailureKind.INVALID) {
        throw e;
      }
      if (!isTriedAgain) {
        bot.context()
            .logger()
            .log(
                Level.WARNING,
                "account {0}: what was missed in channel {1} is not read: {2}",
                bot.name(),
                part.channel(),
                failure.summary());
      } else {
        notBefore =
            bot.context().nanos()
                + Math.max(failure.retryAfter().toNanos(), Duration.ofSeconds(1).toNanos());
        left.addFirst(new Part(part.channel(), part.after(), part.page(), part.tries() + 1));
      }
      return List.of();
    }
  }

  private void postpone(Part part, Failure failure) {
    Duration wait = failure.retryAfter();
    Duration bounded = wait.compareTo(POSTPONED_MAX) > 0 ? POSTPONED_MAX : wait;
    bot.context()
        .logger()
        .log(
            Level.WARNING,
            "account {0}: what was missed is read in {1} s only: {2}",
            bot.name(),
            bounded.toSeconds(),
            failure.summary());
    isPostponed = true;
    notBefore = bot.context().nanos() + bounded.toNanos();
    left.addFirst(part);
  }

  private List<DiscordEvent> read(Part part) throws CallFailedException, InterruptedException {
    String path =
        "/channels/%s/messages?limit=%d&after=%d".formatted(part.channel(), PAGE, part.after());
    DiscordAnswer answer = bot.api().get(path, CALL_MAX);
    Optional<KnownChannels.ChannelFacts> facts =
        answer.status() == 403 || answer.status() == 404
            ? Optional.empty()
            : bot.channels().find(part.channel());
    if (facts.isEmpty()) {
      talked.forget(part.channel());
      return List.of();
    }
    List<Map<String, Object>> page = new ArrayList<>(answer.listOrThrow());
    page.sort(Comparator.comparingLong(message -> Snowflake.number(JsonText.id(message, "id"))));
    List<DiscordEvent> events = new ArrayList<>();
    for (Map<String, Object> message : page) {
      events.add(bot.messages().message(inServer(message, facts.get().guild()), me));
    }
    if (page.size() == PAGE && part.page() < PAGES_MAX) {
      long last = Snowflake.number(JsonText.id(page.getLast(), "id"));
      left.addFirst(new Part(part.channel(), last, part.page() + 1, 1));
    }
    return events;
  }

  /** In the history a message does not say in which server it is. */
  private static Map<String, Object> inServer(Map<String, Object> message, String guild) {
    Map<String, Object> whole = new LinkedHashMap<>(message);
    if (!guild.isEmpty()) {
      whole.put("guild_id", guild);
    }
    return whole;
  }
}
