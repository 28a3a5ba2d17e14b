package dev.holdfast.mattermost;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.MessageSink;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One call of {@code listen}: one connection, from its beginning to its end. Mattermost has no
 * acknowledgements; what was delivered and is not on disk is asked for again, by the number of its
 * event or out of the history. For one thread.
 */
final class MattermostListener {
  private static final Duration IDENTITY_MAX = Duration.ofSeconds(20);
  private static final Duration REACTION_MAX = Duration.ofSeconds(5);

  /** What lies between comes again after a crash, and is known then. */
  private static final Duration SAVE_EVERY = Duration.ofSeconds(5);

  /** Anybody can react to anything, and nothing is read while a post is looked up. */
  private static final Duration LOOK_UP_EVERY = Duration.ofSeconds(1);

  /** A connection that ends earlier has failed, whoever closed it. */
  static final Duration LIFE_LEAST = Duration.ofSeconds(10);

  private static final int BATCH_MAX = 100;

  private final MattermostBot bot;
  private final MessageSink sink;

  /** What was read and is not on disk yet. */
  private final List<InboundMessage> messages = new ArrayList<>();

  private final List<DropReason> dropped = new ArrayList<>();

  /** When the last post that was read was written. */
  private long readUntil;

  private ReadPosition saved = ReadPosition.NONE;
  private long savedAt;
  private long lookedUpAt;
  private long openedAt;

  MattermostListener(MattermostBot bot, MessageSink sink) {
    this.bot = bot;
    this.sink = sink;
    this.lookedUpAt = bot.context().nanos() - LOOK_UP_EVERY.toNanos();
  }

  /**
   * Returns when the connection has ended; then it is to be called again.
   *
   * @throws CallFailedException AUTH when the token is not taken; BACKEND_FAILURE when the
   *     connection has not lasted
   */
  void run() throws CallFailedException, InterruptedException {
    MattermostIdentity me = bot.ask(IDENTITY_MAX); // here a revoked token is told by its name
    sink.listensAs(me.user());
    saved = ReadPosition.of(sink.position());
    readUntil = saved.until();
    if (readUntil == 0) {
      readUntil = MissedPosts.beginning(bot);
      sink.savePosition(new ReadPosition(readUntil, "", 0).text());
    }
    try (MattermostSocket socket = MattermostSocket.open(bot, saved)) {
      savedAt = bot.context().nanos();
      openedAt = savedAt;
      if (socket.isResumed()) {
        sink.received();
      } else {
        readUntil = new MissedPosts(bot, sink, me, socket).take(readUntil);
        save(socket);
        bot.places().changed(); // nobody has told of it meanwhile
        socket.ping(); // a hello alone proves nothing: some proxy may end each connection after it
      }
      boolean goesOn = true;
      while (goesOn) {
        goesOn = step(socket, me);
        if (goesOn) {
          bot.places().look(sink);
        }
      }
    }
  }

  /** Takes one frame; false when there will be none any more. */
  private boolean step(MattermostSocket socket, MattermostIdentity me)
      throws CallFailedException, InterruptedException {
    return switch (socket.next(!hasPending())) {
      case SocketFrame.Happened(String event, Map<String, Object> data) -> {
        sink.received();
        happened(event, data, me);
        if (messages.size() + dropped.size() >= BATCH_MAX) {
          flush();
        }
        saveAtTimes(socket);
        yield true;
      }
      case SocketFrame.Alive _ -> {
        sink.received();
        yield true;
      }
      case SocketFrame.Quiet _ -> {
        flush();
        saveAtTimes(socket);
        yield true;
      }
      case SocketFrame.Ended(String why) -> {
        flush();
        save(socket);
        bot.context()
            .logger()
            .log(Level.INFO, "account {0}: the connection has ended: {1}", bot.name(), why);
        checkThatLasted(why);
        yield false;
      }
    };
  }

  private void checkThatLasted(String why) throws CallFailedException {
    if (bot.context().nanos() - openedAt < LIFE_LEAST.toNanos()) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE,
              "Mattermost's WebSocket ends right after its beginning: " + why));
    }
  }

  private boolean hasPending() {
    return !messages.isEmpty() || !dropped.isEmpty();
  }

  private void happened(String event, Map<String, Object> data, MattermostIdentity me)
      throws InterruptedException {
    switch (event) {
      case "posted" -> posted(data, me);
      case "reaction_added" -> reaction(object(JsonText.text(data, "reaction")), me);
      case "user_removed" -> removed(data);
      case "leave_team" -> left(data, me);
      case "user_added", "added_to_team" -> added(data, me);
      case "channel_deleted", "channel_restored" -> archived(data);
      default -> {} // what is typed, seen, edited, and so on
    }
  }

  /** An event holds what it is about as JSON in a text. */
  private static Map<String, Object> object(String text) {
    try {
      return JsonText.object(text);
    } catch (IllegalArgumentException _) {
      return Map.of();
    }
  }

  private void posted(Map<String, Object> data, MattermostIdentity me) {
    Map<String, Object> post = object(JsonText.text(data, "post"));
    String channel = JsonText.text(post, "channel_id");
    if (!MattermostPlace.isId(channel)) {
      return;
    }
    ChannelKind kind =
        ChannelKind.of(JsonText.text(data, "channel_type"), JsonText.text(data, "team_id"));
    bot.noteKind(channel, kind);
    boolean isMentioned = PostReader.isMentioned(data, JsonText.text(post, "message"), me);
    String name = JsonText.text(data, "sender_name");
    keep(bot.reader().post(post, kind, name, isMentioned, me));
    // A clock of Mattermost that is ahead must not hide what comes after it.
    long now = bot.context().now().toEpochMilli();
    readUntil = Math.max(readUntil, Math.min(JsonText.whole(post, "create_at", 0), now));
  }

  private void reaction(Map<String, Object> reaction, MattermostIdentity me)
      throws InterruptedException {
    String post = JsonText.text(reaction, "post_id");
    if (!PostReader.isStop(reaction) || !MattermostPlace.isId(post)) {
      return;
    }
    if (!bot.knows(post) && !mayLookUp()) {
      return;
    }
    flush(); // what was read does not wait for the answer
    try {
      Optional<MattermostPlace> place = bot.placeOf(post, me, REACTION_MAX);
      if (place.isPresent()) {
        ChannelKind kind = bot.kind(place.get().channel(), REACTION_MAX);
        keep(bot.reader().stop(reaction, place.get(), kind, me));
      }
    } catch (CallFailedException e) {
      bot.warn("a reaction is left out: " + e.failure().summary());
    }
  }

  private boolean mayLookUp() {
    long now = bot.context().nanos();
    boolean may = now - lookedUpAt >= LOOK_UP_EVERY.toNanos();
    if (may) {
      lookedUpAt = now;
    }
    return may;
  }

  /** Mattermost tells whom it concerns without naming the person, and the others with the name. */
  private void removed(Map<String, Object> data) {
    String channel = JsonText.text(data, "channel_id");
    if (MattermostPlace.isId(channel) && JsonText.text(data, "user_id").isEmpty()) {
      bot.warn(
          "the bot was removed from the channel %s: it hears nothing there until it is added again"
              .formatted(channel));
      bot.places().changed();
    }
  }

  private void added(Map<String, Object> data, MattermostIdentity me) {
    if (JsonText.text(data, "user_id").equals(me.user())) {
      bot.places().changed();
    }
  }

  private void archived(Map<String, Object> data) {
    if (bot.account().access().chats().contains(JsonText.text(data, "channel_id"))) {
      bot.places().changed();
    }
  }

  private void left(Map<String, Object> data, MattermostIdentity me) {
    String team = JsonText.text(data, "team_id");
    if (MattermostPlace.isId(team) && JsonText.text(data, "user_id").equals(me.user())) {
      bot.warn(
          "the bot was removed from the team %s: it hears nothing there until it is added again"
              .formatted(team));
      bot.places().changed();
    }
  }

  private void keep(MattermostEvent event) {
    switch (event) {
      case MattermostEvent.Said(InboundMessage message) -> messages.add(message);
      case MattermostEvent.Dropped(DropReason reason) -> dropped.add(reason);
      case MattermostEvent.Ignored _ -> {}
    }
  }

  private void flush() throws InterruptedException {
    if (!messages.isEmpty()) {
      try {
        sink.accept(List.copyOf(messages));
      } catch (CallFailedException e) {
        bot.warn("a message is dropped: " + e.getMessage()); // it would come again and again
      }
      messages.clear();
    }
    if (!dropped.isEmpty()) {
      sink.dropped(List.copyOf(dropped));
      dropped.clear();
    }
  }

  private void saveAtTimes(MattermostSocket socket) throws InterruptedException {
    boolean isTime = bot.context().nanos() - savedAt >= SAVE_EVERY.toNanos();
    if (isTime && !hasPending()) {
      save(socket);
    }
  }

  /** All that was read is on disk. */
  private void save(MattermostSocket socket) throws InterruptedException {
    ReadPosition now = socket.position(readUntil);
    if (!now.equals(saved)) {
      sink.savePosition(now.text());
      saved = now;
    }
    savedAt = bot.context().nanos();
  }
}
