package dev.holdfast.matrix;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the events of rooms for one account, whichever way they came. What makes no sense is
 * ignored. Blocks the calling thread. Thread-safe.
 */
final class MatrixEventReader {
  /** The types of events that mean something. */
  static final List<String> TYPES =
      List.of("m.room.message", "m.room.encrypted", "m.room.member", "m.reaction");

  private static final Set<String> TEXTS = Set.of("m.text", "m.emote");
  private static final Set<String> FILES = Set.of("m.image", "m.file", "m.audio", "m.video");
  private static final Set<String> STOPS = Set.of("\uD83D\uDED1", "❌");

  private final MatrixBot bot;

  MatrixEventReader(MatrixBot bot) {
    this.bot = bot;
  }

  /**
   * Reads one event.
   *
   * @param me the account's own id
   * @param timeout for a question to the homeserver, from 1 s
   * @throws CallFailedException when it cannot be judged now and may be later
   */
  MatrixEvent read(String room, Map<String, Object> event, String me, Duration timeout)
      throws CallFailedException, InterruptedException {
    String sender = JsonText.text(event, "sender");
    if (!MatrixIds.isRoom(room)
        || !MatrixIds.isEvent(JsonText.text(event, "event_id"))
        || !MatrixIds.isUser(sender)) {
      return new MatrixEvent.Ignored();
    }
    String type = JsonText.text(event, "type");
    if (type.equals("m.room.member")) {
      return member(room, event, me);
    }
    if (event.containsKey("state_key")) {
      return new MatrixEvent.Ignored();
    }
    boolean isOwn = sender.equals(me);
    return switch (type) {
      case "m.room.message" ->
          isOwn
              ? new MatrixEvent.Dropped(DropReason.OWN_ECHO)
              : message(room, event, me, sender, timeout);
      case "m.reaction" ->
          isOwn ? new MatrixEvent.Ignored() : reaction(room, event, sender, timeout);
      case "m.room.encrypted" ->
          isOwn ? new MatrixEvent.Ignored() : new MatrixEvent.Encrypted(room);
      default -> new MatrixEvent.Ignored();
    };
  }

  private MatrixEvent member(String room, Map<String, Object> event, String me) {
    String whose = JsonText.text(event, "state_key");
    Map<String, Object> content = JsonText.map(event, "content");
    String membership = JsonText.text(content, "membership");
    String name = JsonText.text(content, "displayname");
    if (!name.isBlank() && MatrixIds.isUser(whose)) {
      bot.talk().called(whose, name);
    }
    bot.sizes().changed(room);
    if (!whose.equals(me)) {
      return new MatrixEvent.Ignored();
    }
    return switch (membership) {
      case "invite" ->
          new MatrixEvent.Invited(
              room, JsonText.text(event, "sender"), JsonText.flag(content, "is_direct"));
      case "leave", "ban" -> new MatrixEvent.Left(room, membership);
      default -> new MatrixEvent.Ignored();
    };
  }

  private MatrixEvent message(
      String room, Map<String, Object> event, String me, String sender, Duration timeout)
      throws CallFailedException, InterruptedException {
    Map<String, Object> content = JsonText.map(event, "content");
    Map<String, Object> relation = JsonText.map(content, "m.relates_to");
    String kind = JsonText.text(content, "msgtype");
    // What was redacted has no type; notices are what programs say, and programs do not answer.
    boolean isText = TEXTS.contains(kind);
    if ((!isText && !FILES.contains(kind))
        || JsonText.text(relation, "rel_type").equals("m.replace")) {
      return new MatrixEvent.Ignored();
    }
    boolean isAnswer = relation.containsKey("m.in_reply_to");
    String raw = isText ? JsonText.text(content, "body") : MatrixFiles.caption(content);
    String body = isAnswer ? MatrixText.withoutQuotation(raw) : raw;
    Optional<Attachment> file = isText ? Optional.empty() : MatrixFiles.of(content);
    boolean isMentioned = MatrixText.mentions(content, body, me);
    String text = isMentioned ? MatrixText.withoutName(content, body, me) : body;
    if (text.isBlank() && file.isEmpty()) {
      return new MatrixEvent.Dropped(DropReason.EMPTY);
    }
    String answered = JsonText.text(JsonText.map(relation, "m.in_reply_to"), "event_id");
    boolean isToOwn =
        isAnswer
            && !JsonText.flag(relation, "is_falling_back")
            && bot.talk().threadOf(room, answered).isPresent();
    MatrixPlace place = new MatrixPlace(room, root(relation));
    String id = JsonText.text(event, "event_id");
    Origin origin =
        origin(
            place,
            sender,
            isMentioned || isToOwn,
            content.containsKey(MatrixContent.REPLY),
            timeout);
    // The server of another could let its people write at any time that it likes.
    boolean isOfOwnServer = MatrixIds.serverOf(sender).equals(MatrixIds.serverOf(me));
    if (origin.addressed()) {
      bot.talk().said(place.thread(), id);
    }
    return new MatrixEvent.Said(
        new InboundMessage(
            bot.name(),
            place.thread(),
            sender,
            text,
            file.map(List::of).orElse(List.of()),
            MatrixPlace.key(room, id),
            origin.at(isOfOwnServer ? JsonText.whole(event, "origin_server_ts", 0) : 0)));
  }

  private static String root(Map<String, Object> relation) {
    String root = JsonText.text(relation, "event_id");
    boolean isThread = JsonText.text(relation, "rel_type").equals("m.thread");
    return isThread && MatrixIds.isEvent(root) ? root : "";
  }

  /** In a room that the configuration names, everybody is answered, and two may be alone there. */
  private Origin origin(
      MatrixPlace place, String sender, boolean isAddressed, boolean isBot, Duration timeout)
      throws CallFailedException, InterruptedException {
    String name = bot.talk().name(sender);
    String server = MatrixIds.serverOf(sender);
    boolean isDirect = bot.sizes().isDirect(place.room(), timeout);
    if (isDirect && !bot.account().access().chats().contains(place.room())) {
      return new Origin(Origin.Place.DIRECT, "", server, name, isBot, true);
    }
    return new Origin(
        place.root().isEmpty() ? Origin.Place.GROUP : Origin.Place.THREAD,
        place.room(),
        server,
        name,
        isBot,
        isAddressed || isDirect);
  }

  /** A stop sign on a post of the account stops what is being done in its conversation. */
  private MatrixEvent reaction(
      String room, Map<String, Object> event, String sender, Duration timeout)
      throws CallFailedException, InterruptedException {
    Map<String, Object> relation = JsonText.map(JsonText.map(event, "content"), "m.relates_to");
    String sign = JsonText.text(relation, "key").replace("\uFE0F", "");
    Optional<String> thread = bot.talk().threadOf(room, JsonText.text(relation, "event_id"));
    if (!STOPS.contains(sign)
        || !JsonText.text(relation, "rel_type").equals("m.annotation")
        || thread.isEmpty()) {
      return new MatrixEvent.Ignored();
    }
    return new MatrixEvent.Said(
        new InboundMessage(
            bot.name(),
            thread.get(),
            sender,
            "/stop",
            List.of(),
            MatrixPlace.key(room, JsonText.text(event, "event_id")),
            origin(MatrixPlace.ofThread(thread.get()), sender, true, false, timeout)));
  }
}
