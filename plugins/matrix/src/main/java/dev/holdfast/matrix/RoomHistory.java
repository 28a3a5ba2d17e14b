package dev.holdfast.matrix;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.kit.JsonAnswer;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * What was said in a room since an earlier {@code /sync}: what this one brings, and before it, when
 * it does not bring everything, what the room's history has. Blocks the calling thread. For one
 * thread.
 */
final class RoomHistory {
  private static final Duration PAGE_MAX = Duration.ofSeconds(30);
  private static final int BYTES_MAX = 16 * 1024 * 1024;

  /** Each with less than the one before; one event is always short enough. */
  private static final List<Integer> PAGES = List.of(100, 10, 1);

  private static final int EVENTS_MAX = 1000;
  private static final int CALLS_MAX = 200;

  /** One room whose history cannot be read must not hold up all others. */
  private static final int FAILURES_MAX = 5;

  private final MatrixBot bot;
  private final Runnable received;

  /** {@code received}: called after each page. */
  RoomHistory(MatrixBot bot, Runnable received) {
    this.bot = bot;
    this.received = received;
  }

  /**
   * Oldest first.
   *
   * @param timeline of the room, as {@code /sync} has it
   * @param since the token of the earlier one
   */
  List<Map<String, Object>> since(
      String room, Map<String, Object> timeline, String since, String me)
      throws CallFailedException, InterruptedException {
    List<Map<String, Object>> events = JsonText.maps(timeline, "events");
    String before = JsonText.text(timeline, "prev_batch");
    int from = beginning(events, me);
    if (from > 0 || !JsonText.flag(timeline, "limited") || before.isEmpty()) {
      return events.subList(from, events.size());
    }
    List<Map<String, Object>> all = new ArrayList<>(earlier(room, before, since, me));
    Collections.reverse(all);
    all.addAll(events);
    return all.subList(beginning(all, me), all.size());
  }

  /**
   * Where the account's time in the room begins: after the last invitation to it, else after it has
   * joined; 0 when it was there all the time.
   */
  private static int beginning(List<Map<String, Object>> events, String me) {
    int from = 0;
    boolean isInvited = false;
    for (int at = 0; at < events.size(); at++) {
      String membership = change(events.get(at), me);
      boolean isFirst = membership.equals("join") && !isInvited;
      if (isFirst || membership.equals("invite") || membership.equals("leave")) {
        from = at + 1;
      }
      isInvited = membership.equals("invite") || (isInvited && membership.isEmpty());
    }
    return from;
  }

  /** What became of the account's own membership; empty when nothing did. */
  private static String change(Map<String, Object> event, String me) {
    if (!JsonText.text(event, "type").equals("m.room.member")
        || !JsonText.text(event, "state_key").equals(me)) {
      return "";
    }
    String now = JsonText.text(JsonText.map(event, "content"), "membership");
    Map<String, Object> before = JsonText.map(JsonText.map(event, "unsigned"), "prev_content");
    return now.equals(JsonText.text(before, "membership")) ? "" : now;
  }

  /** Newest first. */
  private List<Map<String, Object>> earlier(String room, String before, String since, String me)
      throws CallFailedException, InterruptedException {
    List<Map<String, Object>> found = new ArrayList<>();
    String from = before;
    int size = 0;
    String flaw = "";
    for (int call = 1; call <= CALLS_MAX && found.size() < EVENTS_MAX; call++) {
      Page page;
      try {
        page = page(room, from, since, PAGES.get(size));
      } catch (CallFailedException e) {
        if (isOfTheAnswer(e.failure().code()) && failsAgainAndAgain(room)) {
          return found;
        }
        throw e;
      }
      MatrixAnswer answer = page.answer();
      if (answer.isOk() && !page.flaw().isEmpty()) {
        if (size + 1 == PAGES.size()) {
          flaw = page.flaw();
          break;
        }
        size++;
        continue;
      }
      if (!answer.isOk() && isHopeless(room, answer)) {
        return found;
      }
      Map<String, Object> body = answer.orThrow();
      bot.failedHistories().put(room, 0);
      received.run();
      List<Map<String, Object>> chunk = JsonText.maps(body, "chunk");
      found.addAll(chunk);
      String end = JsonText.text(body, "end");
      boolean hasBeginning = chunk.stream().anyMatch(event -> !change(event, me).isEmpty());
      if (end.isEmpty() || end.equals(from) || end.equals(since) || hasBeginning) {
        return found;
      }
      from = end;
    }
    bot.context()
        .logger()
        .log(
            Level.WARNING,
            "account {0}: not all that was said in {1} while it was not read is answered: {2}",
            bot.name(),
            room,
            flaw.isEmpty()
                ? "it is more than is looked through, and the oldest of it is left out"
                : "the history before what was found cannot be read: " + flaw);
    return found;
  }

  /** Whether another room may fare better. */
  private static boolean isOfTheAnswer(FailureCode code) {
    return code == FailureCode.TIMEOUT || code == FailureCode.BACKEND_FAILURE;
  }

  /** The account is not in the room any more, or its history fails again and again. */
  private boolean isHopeless(String room, MatrixAnswer answer) {
    if (answer.status() < 500) {
      return !answer.failure().isPassing() && answer.status() != 401;
    }
    return failsAgainAndAgain(room);
  }

  private boolean failsAgainAndAgain(String room) {
    int failed = bot.failedHistories().find(room).orElse(0) + 1;
    bot.failedHistories().put(room, failed % FAILURES_MAX);
    if (failed < FAILURES_MAX) {
      return false;
    }
    bot.context()
        .logger()
        .log(
            Level.WARNING,
            "account {0}: the homeserver fails to show the history of {1}: what was said there"
                + " while it was not read is not answered",
            bot.name(),
            room);
    return true;
  }

  /**
   * A part of the history.
   *
   * @param flaw why it cannot be read; empty when it can
   */
  private record Page(MatrixAnswer answer, String flaw) {}

  private Page page(String room, String from, String to, int size)
      throws CallFailedException, InterruptedException {
    String path =
        MatrixApi.room(room, "/messages?dir=b&limit=" + size)
            + "&from="
            + MatrixIds.encoded(from)
            + "&to="
            + MatrixIds.encoded(to)
            + "&filter="
            + MatrixIds.encoded(SyncFilter.page());
    JsonAnswer raw;
    try {
      raw = bot.api().raw(path, PAGE_MAX, BYTES_MAX);
    } catch (CallFailedException e) {
      if (e.failure().code() == FailureCode.BACKEND_FAILURE && size > 1) {
        return new Page(MatrixAnswer.done(), "it is too long");
      }
      throw e;
    }
    MatrixAnswer answer = MatrixAnswer.of(raw, bot.context().now());
    if (answer.isOk() && !raw.text().stripLeading().startsWith("{")) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE,
              "what answers for the history of a room is no homeserver: look at proxies on the way"));
    }
    return new Page(answer, answer.body().isEmpty() ? raw.flaw() : "");
  }
}
