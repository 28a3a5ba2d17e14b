package dev.holdfast.mattermost;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.MessageSink;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.RecentMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Reads out of the history what was posted while there was no connection, in the channels that the
 * bot is in. What was taken before comes again, and is known by its id. For one thread.
 */
final class MissedPosts {
  /** Nobody waits for an answer any longer. */
  static final Duration AGE_MAX = Duration.ofHours(24);

  /** Posts of several servers of a cluster are not stored in the order of their times. */
  static final Duration OVERLAP = Duration.ofSeconds(30);

  static final int PAGES_MAX = 10;
  static final int CHANNELS_MAX = 500;

  /** How often a page is asked for that fails for now. */
  static final int TRIES = 3;

  /** How often a page waits for the limit of the server: together less than a silence may last. */
  static final int WAITS_MAX = 3;

  static final Duration WAIT_MAX = Duration.ofSeconds(30);
  private static final Duration WAIT_LEAST = Duration.ofSeconds(1);
  private static final String CHANNELS = "/users/me/channels?include_deleted=false";
  private static final Duration CALL_MAX = Duration.ofSeconds(30);

  private final MattermostBot bot;
  private final MessageSink sink;
  private final MattermostIdentity me;
  private final MattermostSocket live;

  /** A channel with posts that may be new. */
  private record Stale(String id, ChannelKind kind, long lastPostAt) {}

  /**
   * @param live what it brings meanwhile is held
   */
  MissedPosts(MattermostBot bot, MessageSink sink, MattermostIdentity me, MattermostSocket live) {
    this.bot = bot;
    this.sink = sink;
    this.me = me;
    this.live = live;
  }

  /**
   * Where an account begins that has never read: after all that stands there already. Asked before
   * its first connection is opened, so that what is posted from now on is never lost.
   *
   * @return in milliseconds since 1970, by Mattermost's clock
   * @throws CallFailedException when another try may succeed
   */
  static long beginning(MattermostBot bot) throws CallFailedException, InterruptedException {
    MattermostAnswer answer = bot.api().get(CHANNELS, CALL_MAX);
    if (!answer.isOk()) {
      passOnOrWarn(bot, answer);
      return bot.context().now().toEpochMilli();
    }
    long newest = 0;
    for (Map<String, Object> channel : answer.items()) {
      newest = Math.max(newest, JsonText.whole(channel, "last_post_at", 0));
    }
    return newest == 0 ? 1 : newest + OVERLAP.toMillis() + 1; // the overlap is taken off again
  }

  /**
   * Hands over what was posted since the position.
   *
   * @param position in milliseconds since 1970
   * @return the position from now on
   * @throws CallFailedException when another try may succeed
   */
  long take(long position) throws CallFailedException, InterruptedException {
    MattermostAnswer answer = bot.api().get(CHANNELS, CALL_MAX);
    if (!answer.isOk()) {
      passOnOrWarn(bot, answer);
      return position;
    }
    sink.received();
    long now = bot.context().now().toEpochMilli();
    long since = Math.max(position - OVERLAP.toMillis(), now - AGE_MAX.toMillis());
    long newest = position;
    List<Stale> stale = new ArrayList<>();
    for (Map<String, Object> channel : answer.items()) {
      String id = JsonText.text(channel, "id");
      ChannelKind kind = ChannelKind.of(channel);
      if (MattermostPlace.isId(id) && kind.isKnown()) {
        bot.noteKind(id, kind);
        long lastPostAt = JsonText.whole(channel, "last_post_at", 0);
        newest = Math.max(newest, lastPostAt);
        if (lastPostAt >= since) {
          stale.add(new Stale(id, kind, lastPostAt));
        }
      }
    }
    takeAll(stale, since, bot.readSince(position));
    bot.allRead();
    return Math.max(position, Math.min(newest, now));
  }

  private void takeAll(List<Stale> stale, long since, RecentMap<Long> done)
      throws CallFailedException, InterruptedException {
    stale.sort(Comparator.comparingLong(Stale::lastPostAt).reversed());
    if (stale.size() > CHANNELS_MAX) {
      bot.warn(
          "%d channels have new posts; only the %d written to last are read"
              .formatted(stale.size(), CHANNELS_MAX));
    }
    for (Stale channel : stale.subList(0, Math.min(stale.size(), CHANNELS_MAX))) {
      long until = done.find(channel.id()).orElse(0L);
      if (until < channel.lastPostAt()) {
        long from = Math.max(since, until - OVERLAP.toMillis());
        hand(read(channel, from), channel.kind());
        done.put(channel.id(), channel.lastPostAt());
      }
    }
  }

  private List<Map<String, Object>> read(Stale channel, long since)
      throws CallFailedException, InterruptedException {
    List<Map<String, Object>> newestFirst = new ArrayList<>();
    String before = "";
    for (int page = 1; page <= PAGES_MAX; page++) {
      MattermostAnswer answer = page(HistoryPage.path(channel.id(), before));
      if (!answer.isOk()) {
        skip(answer, channel.id());
        return newestFirst;
      }
      sink.received();
      live.hold();
      HistoryPage history = HistoryPage.of(answer);
      for (Map<String, Object> post : history.newestFirst()) {
        if (JsonText.whole(post, "create_at", 0) < since) {
          return newestFirst;
        }
        newestFirst.add(post);
      }
      if (history.isLast()) {
        return newestFirst;
      }
      before = history.oldest();
    }
    bot.warn(
        "more than %d posts of the channel %s were missed; the oldest of them are left out"
            .formatted(newestFirst.size(), channel.id()));
    return newestFirst;
  }

  /**
   * Asks for a page as often as is of use.
   *
   * @return one that is ok, refused or unreadable
   * @throws CallFailedException when it fails for now each time
   */
  private MattermostAnswer page(String path) throws CallFailedException, InterruptedException {
    int tries = 0;
    int waits = 0;
    while (true) {
      Failure failure;
      tries++;
      try {
        MattermostAnswer answer = bot.api().get(path, CALL_MAX);
        if (answer.isOk() || answer.isRefused() || (answer.isUnreadable() && tries >= TRIES)) {
          return answer;
        }
        failure = answer.failure();
      } catch (CallFailedException e) {
        failure = e.failure();
      }
      boolean isLimited = failure.code() == FailureCode.RATE_LIMITED;
      if (isLimited && waits < WAITS_MAX) {
        waits++;
        tries--;
        pause(failure.retryAfter());
      } else if (!isLimited && failure.isPassing() && tries < TRIES) {
        pause(WAIT_LEAST);
      } else {
        throw new CallFailedException(failure);
      }
    }
  }

  /** Waits as long as was asked for, within bounds; what the connection brings is held. */
  private void pause(Duration asked) throws InterruptedException {
    Duration least = asked.compareTo(WAIT_LEAST) < 0 ? WAIT_LEAST : asked;
    bot.context().sleep(least.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : least);
    live.hold();
  }

  private void skip(MattermostAnswer answer, String channel) {
    String why =
        answer.isUnreadable()
            ? "a page of them is too long or is not JSON"
            : answer.failure().summary();
    bot.warn(
        "the posts of the channel %s cannot be read, so what was missed there is not fetched: %s"
            .formatted(channel, why));
  }

  private void hand(List<Map<String, Object>> newestFirst, ChannelKind kind)
      throws InterruptedException {
    bot.learnNames(newestFirst.stream().map(post -> JsonText.text(post, "user_id")).toList());
    List<InboundMessage> messages = new ArrayList<>();
    for (Map<String, Object> post : newestFirst.reversed()) {
      // Who is dropped was dropped before, or is the bot itself: counted once is enough.
      String name = bot.nameOf(JsonText.text(post, "user_id"));
      if (bot.reader().post(post, kind, name, false, me)
          instanceof MattermostEvent.Said(InboundMessage message)) {
        messages.add(message);
      }
    }
    if (!messages.isEmpty()) {
      try {
        sink.accept(messages);
      } catch (CallFailedException e) {
        bot.warn("a message is dropped: " + e.getMessage());
      }
    }
  }

  /** What is refused is refused the next time too: the connection goes on without it. */
  private static void passOnOrWarn(MattermostBot bot, MattermostAnswer answer)
      throws CallFailedException {
    if (answer.isUnreadable()) { // it would be the next time too
      bot.warn("the list of channels is too long to be read, so what was missed is not fetched");
      return;
    }
    if (!answer.isRefused()) {
      throw new CallFailedException(answer.failure());
    }
    bot.warn(
        "the list of channels cannot be read, so what was missed is not fetched: "
            + answer.failure().summary());
  }
}
