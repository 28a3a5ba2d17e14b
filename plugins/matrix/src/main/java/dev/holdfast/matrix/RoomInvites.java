package dev.holdfast.matrix;

import dev.holdfast.api.Access;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.RecentMap;
import dev.holdfast.kit.StateFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;

/**
 * Accepts the invitations of one account: those from people, or to rooms, that are allowed. They
 * are on disk until the account is in the room, because a homeserver tells of each only once.
 * Others are left alone. Blocks the calling thread. Thread-safe.
 */
final class RoomInvites {
  static final int WAITING_MAX = 1000;
  private static final Duration JOIN_MAX = Duration.ofSeconds(30);
  private static final int TRIES_MAX = 50;
  private static final Duration WAIT_FIRST = Duration.ofSeconds(2);
  private static final Duration WAIT_MAX = Duration.ofMinutes(5);

  /** A stranger may ask for a code; thousands may not make the account join thousands of rooms. */
  private static final int STRANGERS_PER_HOUR = 20;

  private static final String ROOM = "room";
  private static final String ACCOUNT = "account";
  private static final String TRIES = "tries";

  private final MatrixBot bot;
  private final StateFile waiting;

  /** When strangers were followed within the last hour. */
  private final Deque<Long> strangers = new ArrayDeque<>();

  /** By room: when a join of it is tried again. */
  private final RecentMap<Long> nextTries = new RecentMap<>();

  private long restUntil = Long.MIN_VALUE;

  /** {@code waiting}: of all accounts. */
  RoomInvites(MatrixBot bot, StateFile waiting) {
    this.bot = bot;
    this.waiting = waiting;
  }

  /** Whether the account is going to accept it. */
  synchronized boolean consider(MatrixEvent.Invited invite) {
    if (!mayJoin(invite)) {
      return false;
    }
    keep(invite.room(), 0);
    return true;
  }

  private boolean mayJoin(MatrixEvent.Invited invite) {
    Access access = bot.account().access();
    String server = MatrixIds.serverOf(invite.inviter());
    if (!access.teams().isEmpty() && !access.teams().contains(server)) {
      return false;
    }
    return has(access.users(), invite.inviter())
        || has(access.chats(), invite.room())
        || (invite.isDirect()
            && access.strangers() == Access.Strangers.PAIR
            && mayFollowStranger());
  }

  private static boolean has(Set<String> ids, String id) {
    return ids.contains(id) || ids.contains("*");
  }

  private boolean mayFollowStranger() {
    long now = bot.context().nanos();
    while (!strangers.isEmpty() && now - strangers.peekFirst() >= Duration.ofHours(1).toNanos()) {
      strangers.removeFirst();
    }
    if (strangers.size() >= STRANGERS_PER_HOUR) {
      return false;
    }
    strangers.addLast(now);
    return true;
  }

  private String key(String room) {
    return bot.name() + " " + room;
  }

  private void keep(String room, long tries) {
    try {
      waiting.put(key(room), Map.of(ACCOUNT, bot.name(), ROOM, room, TRIES, tries));
    } catch (IOException e) {
      notWritten(e);
    }
  }

  private void forget(String room) {
    try {
      waiting.remove(key(room));
    } catch (IOException e) {
      notWritten(e);
    }
  }

  private void notWritten(IOException e) {
    bot.context()
        .logger()
        .log(Level.WARNING, "the list of invitations could not be written: {0}", e.toString());
  }

  /**
   * Joins the rooms that wait, unless the homeserver wants some time. One that fails holds up no
   * other.
   */
  void join() throws InterruptedException {
    for (Map<String, Object> entry : waiting.all().values()) {
      String room = JsonText.text(entry, ROOM);
      if (JsonText.text(entry, ACCOUNT).equals(bot.name()) && !isResting() && isDue(room)) {
        join(room, JsonText.whole(entry, TRIES, 0) + 1);
      }
    }
  }

  private boolean isDue(String room) {
    return nextTries.find(room).filter(next -> bot.context().nanos() - next < 0).isEmpty();
  }

  private synchronized boolean isResting() {
    return restUntil != Long.MIN_VALUE && bot.context().nanos() - restUntil < 0;
  }

  private synchronized void rest(Duration wait) {
    restUntil = bot.context().nanos() + wait.toNanos();
  }

  private void join(String room, long tries) throws InterruptedException {
    Failure failure;
    try {
      MatrixAnswer answer = bot.api().post(MatrixApi.room(room, "/join"), Map.of(), JOIN_MAX);
      if (answer.isOk()) {
        bot.context().logger().log(Level.INFO, "account {0}: joined {1}", bot.name(), room);
        forget(room);
        return;
      }
      failure = answer.failure();
    } catch (CallFailedException e) {
      failure = e.failure();
    }
    boolean isLasting = !failure.isPassing() && failure.code() != FailureCode.AUTH;
    if (isLasting || tries >= TRIES_MAX) {
      forget(room);
      bot.context()
          .logger()
          .log(
              Level.WARNING,
              "account {0}: cannot join {1}: {2}; it has to be invited again",
              bot.name(),
              room,
              failure.summary());
      return;
    }
    keep(room, tries);
    Duration asked = failure.retryAfter();
    Duration own = WAIT_FIRST.multipliedBy(1L << Math.min(tries - 1, 10));
    Duration most = own.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : own;
    Duration wait = asked.compareTo(most) > 0 ? asked : most;
    nextTries.put(room, bot.context().nanos() + wait.toNanos());
    if (failure.code() == FailureCode.RATE_LIMITED) {
      rest(wait);
    }
  }
}
