package dev.holdfast.matrix;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.MessageSink;
import dev.holdfast.kit.JsonAnswer;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks for what happens in the rooms of one account. The token that says how far it has come is
 * kept after everything before it is on disk. What comes twice after a crash is known by its key.
 * For one call of {@code listen}.
 */
final class SyncPoller {
  private static final String SYNC = MatrixApi.CLIENT + "/sync?timeout=";

  /** What the connection may take besides the wait for events. */
  private static final Duration ANSWER_MAX = Duration.ofSeconds(30);

  private static final Duration FIRST_MAX = Duration.ofMinutes(2);
  private static final Duration CALL_MAX = Duration.ofSeconds(20);
  private static final int BYTES_MAX = 16 * 1024 * 1024;
  private static final int BATCH_MAX = 500;

  /** A homeserver that does not wait for events is not asked more often. */
  private static final Duration EMPTY_LEAST = Duration.ofSeconds(1);

  /** What homeservers say of a token that they do not know. */
  private static final Set<String> FORGOTTEN = Set.of("M_UNKNOWN", "M_INVALID_PARAM");

  private static final Pattern NEXT_BATCH =
      Pattern.compile("\"next_batch\"\\s*:\\s*\"([^\"\\\\]{1,4000})\"");

  private final MatrixBot bot;
  private final MatrixEventReader reader;
  private final RoomInvites invites;
  private final EncryptedRooms encrypted;
  private final RoomHistory history;
  private final Duration wait;
  private final MessageSink sink;
  private final List<InboundMessage> messages = new ArrayList<>();
  private final List<DropReason> dropped = new ArrayList<>();

  /** One step for each answer that was too large; the first again after one that was not. */
  private int limit;

  private boolean hasBegunAnew;

  SyncPoller(MatrixChannel.ServedUser user, Duration wait, MessageSink sink) {
    this.bot = user.bot();
    this.reader = user.reader();
    this.invites = user.invites();
    this.encrypted = user.encrypted();
    this.wait = wait;
    this.sink = sink;
    this.history = new RoomHistory(user.bot(), sink::received);
  }

  /** Runs until it is interrupted. */
  void run() throws CallFailedException, InterruptedException {
    String me = bot.user(CALL_MAX);
    sink.listensAs(bot.account().baseUrl() + " " + me);
    Optional<String> kept = sink.position();
    String since = kept.isPresent() ? kept.get() : begin(me);
    while (true) {
      since = poll(since, me);
    }
  }

  /** What was said before the account was first used here is not answered. */
  private String begin(String me) throws CallFailedException, InterruptedException {
    String path = SYNC + "0&filter=" + MatrixIds.encoded(SyncFilter.first());
    JsonAnswer raw = bot.api().raw(path, FIRST_MAX, BYTES_MAX);
    MatrixAnswer answer = MatrixAnswer.of(raw, bot.context().now());
    if (answer.isOk() && answer.body().isEmpty()) {
      return skip(nextIn(raw.text()), raw.flaw());
    }
    Map<String, Object> body = answer.orThrow();
    String next = next(body);
    sink.received();
    takeInvites(body, me);
    flush();
    sink.savePosition(next);
    return next;
  }

  private static String next(Map<String, Object> body) throws CallFailedException {
    String next = JsonText.text(body, "next_batch");
    if (next.isEmpty()) {
      throw noHomeserver();
    }
    return next;
  }

  private static CallFailedException noHomeserver() {
    return new CallFailedException(
        Failure.of(
            FailureCode.BACKEND_FAILURE,
            "what answers /sync is no homeserver: check base_url, and proxies on the way"));
  }

  /** Returns the token for the next one. */
  String poll(String since, String me) throws CallFailedException, InterruptedException {
    long began = bot.context().nanos();
    JsonAnswer raw;
    try {
      raw = bot.api().raw(path(since), wait.plus(ANSWER_MAX), BYTES_MAX);
    } catch (CallFailedException e) {
      // It may be too long.
      if (e.failure().code() == FailureCode.BACKEND_FAILURE && isSmallerNow()) {
        return since;
      }
      throw e;
    }
    MatrixAnswer answer = MatrixAnswer.of(raw, bot.context().now());
    if (answer.isOk() && answer.body().isEmpty()) {
      return unreadable(raw, since);
    }
    if (answer.status() == 400 && FORGOTTEN.contains(answer.error()) && !hasBegunAnew) {
      return beginAnew(me, answer);
    }
    Map<String, Object> body = answer.orThrow();
    String next = next(body);
    Duration spent = Duration.ofNanos(bot.context().nanos() - began);
    boolean isHasty = spent.compareTo(EMPTY_LEAST) < 0;
    Map<String, Object> rooms = JsonText.map(body, "rooms");
    if (isHasty && !isEmpty(rooms) && next.equals(since)) {
      take(rooms, since, me);
      throw goesNotOn();
    }
    sink.received();
    limit = 0;
    take(rooms, since, me);
    if (!next.equals(since)) {
      sink.savePosition(next);
    }
    if (isHasty && isEmpty(rooms)) {
      bot.context().sleep(EMPTY_LEAST.minus(spent));
    }
    return next;
  }

  /** Some homeservers name the kinds of rooms although there are none. */
  private static boolean isEmpty(Map<String, Object> rooms) {
    return rooms.keySet().stream().allMatch(kind -> JsonText.map(rooms, kind).isEmpty());
  }

  /**
   * The same token would bring the same again, at once and for ever. The server waits before the
   * next call, each time longer.
   */
  private static CallFailedException goesNotOn() {
    return new CallFailedException(
        Failure.of(
            FailureCode.BACKEND_FAILURE,
            "/sync brings the same events again and again, as its token does not go on: check"
                + " base_url, and proxies on the way"));
  }

  private String path(String since) {
    return SYNC
        + wait.toMillis()
        + "&since="
        + MatrixIds.encoded(since)
        + "&filter="
        + MatrixIds.encoded(SyncFilter.usual(limit));
  }

  private boolean isSmallerNow() {
    if (limit + 1 >= SyncFilter.steps()) {
      return false;
    }
    limit++;
    return true;
  }

  /**
   * It is too much, or one of its events breaks it: of each room less is asked for, and the rest
   * page by page.
   */
  private String unreadable(JsonAnswer answer, String since)
      throws CallFailedException, InterruptedException {
    String next = nextIn(answer.text());
    if (isSmallerNow()) {
      sink.received();
      return since;
    }
    if (next.equals(since)) {
      throw goesNotOn();
    }
    return skip(next, answer.flaw());
  }

  private static String nextIn(String text) throws CallFailedException {
    Matcher next = NEXT_BATCH.matcher(text);
    if (!text.stripLeading().startsWith("{") || !next.find()) {
      throw noHomeserver();
    }
    return next.group(1);
  }

  private String skip(String next, String why) throws InterruptedException {
    sink.received();
    bot.context()
        .logger()
        .log(
            Level.WARNING,
            "account {0}: what /sync says cannot be read and is skipped with all its messages: {1}",
            bot.name(),
            why);
    sink.dropped(List.of(DropReason.UNREADABLE));
    sink.savePosition(next);
    return next;
  }

  private String beginAnew(String me, MatrixAnswer answer)
      throws CallFailedException, InterruptedException {
    hasBegunAnew = true;
    bot.context()
        .logger()
        .log(
            Level.WARNING,
            "account {0}: the homeserver does not know any more how far it was read ({1}): what was"
                + " said meanwhile is not answered",
            bot.name(),
            answer.error());
    return begin(me);
  }

  private void take(Map<String, Object> rooms, String since, String me)
      throws CallFailedException, InterruptedException {
    takeInvites(Map.of("rooms", rooms), me);
    Map<String, Object> left = JsonText.map(rooms, "leave");
    for (String room : left.keySet()) {
      bot.sizes().changed(room);
      bot.context()
          .logger()
          .log(Level.INFO, "account {0}: is no member of {1} any more", bot.name(), shown(room));
    }
    Map<String, Object> joined = JsonText.map(rooms, "join");
    for (String room : joined.keySet()) {
      take(room, JsonText.map(joined, room), since, me);
    }
    flush();
  }

  private static String shown(String room) {
    return MatrixIds.isRoom(room) ? room : "a room";
  }

  private void takeInvites(Map<String, Object> body, String me) {
    Map<String, Object> invited = JsonText.map(JsonText.map(body, "rooms"), "invite");
    for (String room : invited.keySet()) {
      Map<String, Object> state = JsonText.map(JsonText.map(invited, room), "invite_state");
      for (Map<String, Object> event : JsonText.maps(state, "events")) {
        String inviter = JsonText.text(event, "sender");
        Map<String, Object> content = JsonText.map(event, "content");
        boolean isInvite =
            JsonText.text(event, "type").equals("m.room.member")
                && JsonText.text(event, "state_key").equals(me)
                && JsonText.text(content, "membership").equals("invite");
        if (isInvite && MatrixIds.isRoom(room) && MatrixIds.isUser(inviter)) {
          consider(new MatrixEvent.Invited(room, inviter, JsonText.flag(content, "is_direct")));
        }
      }
    }
  }

  private void consider(MatrixEvent.Invited invite) {
    if (!invites.consider(invite)) {
      dropped.add(DropReason.NOT_ALLOWED);
    }
  }

  private void take(String room, Map<String, Object> synced, String since, String me)
      throws CallFailedException, InterruptedException {
    long size = JsonText.whole(JsonText.map(synced, "summary"), "m.joined_member_count", -1);
    JsonText.maps(JsonText.map(synced, "state"), "events").forEach(this::note);
    List<Map<String, Object>> events =
        history.since(room, JsonText.map(synced, "timeline"), since, me);
    if (size >= 0) {
      bot.sizes().told(room, size);
    }
    for (Map<String, Object> event : events) {
      if (size >= 0 && JsonText.text(event, "type").equals("m.room.member")) {
        note(event); // how many there are is said already
        continue;
      }
      switch (reader.read(room, event, me, CALL_MAX)) {
        case MatrixEvent.Said(InboundMessage message) -> messages.add(message);
        case MatrixEvent.Dropped(DropReason reason) -> dropped.add(reason);
        case MatrixEvent.Encrypted(String where) -> encrypted.noticed(bot, where);
        case MatrixEvent.Invited invite -> consider(invite);
        case MatrixEvent.Left _, MatrixEvent.Ignored _ -> {}
      }
      if (messages.size() >= BATCH_MAX || dropped.size() >= BATCH_MAX) {
        flush();
      }
    }
  }

  private void note(Map<String, Object> event) {
    String name = JsonText.text(JsonText.map(event, "content"), "displayname");
    String whose = JsonText.text(event, "state_key");
    if (JsonText.text(event, "type").equals("m.room.member")
        && !name.isBlank()
        && MatrixIds.isUser(whose)) {
      bot.talk().called(whose, name);
    }
  }

  private void flush() throws InterruptedException {
    if (!messages.isEmpty()) {
      try {
        sink.accept(List.copyOf(messages));
      } catch (CallFailedException e) {
        // It would come again and again, and all after it never.
        bot.context()
            .logger()
            .log(
                Level.WARNING,
                "account {0}: a message is dropped: {1}",
                bot.name(),
                e.getMessage());
      }
      messages.clear();
    }
    for (int from = 0; from < dropped.size(); from += BATCH_MAX) {
      int to = Math.min(from + BATCH_MAX, dropped.size());
      sink.dropped(List.copyOf(dropped.subList(from, to)));
    }
    dropped.clear();
  }
}
