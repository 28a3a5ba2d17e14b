package dev.holdfast.matrix;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Draft;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.FakeSink;
import dev.holdfast.kit.testing.HomeserverDouble;
import dev.holdfast.kit.testing.PlainHttp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A homeserver, and the plugin, started, on the other side. */
final class MatrixRig extends HomeserverDouble {
  static final String ME = BOT;
  static final String ANN = "@ann:hs.example";
  static final String ROOM = "!room:hs.example";
  static final String SYNC = "GET /_matrix/client/v3/sync";
  static final String SEND = "/send/m.room.message/";
  static final String MESSAGES = "/messages?";
  static final String MEMBERS = "/joined_members";
  static final String JOIN = "/join\n";

  /** An answer that comes too late. */
  static final Said LATE = new Said(599, Map.of(), "");

  private static final PlainHttp HTTP = new PlainHttp();

  private final FakeContext context = new FakeContext(MatrixRig::send);
  private final FakeSink sink = new FakeSink();
  private final Map<String, Object> account = new LinkedHashMap<>();
  private ChannelAdapter channel;

  MatrixRig(Map<String, ?> keys, Path folder) {
    account.put("access_token", TOKEN);
    account.putAll(keys);
    context.stateFolder(folder);
    always(SYNC, refused(401, "M_UNKNOWN_TOKEN"));
    String _ = room("room", ANN);
    start();
  }

  /** An account that answers Ann. */
  static MatrixRig syncing(Path folder) {
    return new MatrixRig(Map.of("allow", Map.of("users", List.of(ANN))), folder);
  }

  /** Starts the plugin, again if it runs. */
  void start() {
    Map<String, Object> section = new LinkedHashMap<>();
    section.put("base_url", url());
    section.put("sync_secs", 1);
    section.put("accounts", Map.of("main", account));
    FakeConfig config = new FakeConfig(section);
    context.channelConfig(config);
    try {
      new MatrixPlugin().start(context);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!config.problems().isEmpty()) {
      throw new AssertionError(config.problems().toString());
    }
    channel = context.channels().getLast();
  }

  private static PluginHttp.Answer send(PluginHttp.Request request)
      throws CallFailedException, InterruptedException {
    PluginHttp.Answer answer = HTTP.send(request);
    if (answer.status() == LATE.status()) {
      throw new CallFailedException(Failure.of(FailureCode.TIMEOUT, "no answer in time"));
    }
    return answer;
  }

  static Said ok(String body) {
    return Said.json(200, body);
  }

  static Said refused(int status, String code) {
    return refused(status, code, "");
  }

  MatrixRig always(String part, String body) {
    always(part, ok(body));
    return this;
  }

  /** Values that JSON does not allow, or that nobody can read. */
  static List<String> oddValues() {
    return List.of(
        "\"\\ud800 lone\"",
        "NaN",
        "-Infinity",
        "1e999",
        "9".repeat(5000),
        "\"a\u0001b\"",
        "\"a\nb\"",
        "\"a\\x\"",
        "01");
  }

  /** Listens until these answers of {@code /sync} are used up. */
  CallFailedException listen(Said... syncs) {
    next(SYNC, syncs);
    try {
      channel.listen("main", sink);
    } catch (CallFailedException e) {
      return e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("it returned");
  }

  /** Listens with a token from before; the end of the answers is its only failure. */
  FakeSink receive(Said... syncs) {
    if (sink.position().isEmpty()) {
      sink.savePosition("s0");
    }
    CallFailedException end = listen(syncs);
    if (end.failure().code() != FailureCode.AUTH) {
      throw new AssertionError(end);
    }
    return sink;
  }

  /** An answer of {@code /sync} with these events in the room. */
  static Said sync(String next, String... events) {
    return synced(next, "\"events\":[" + String.join(",", events) + "]", "");
  }

  /** One that leaves out what came before these events. */
  static Said limited(String... events) {
    String list = String.join(",", events);
    return synced("s1", "\"limited\":true,\"prev_batch\":\"t9\",\"events\":[" + list + "]", "");
  }

  /** With other parts of the timeline and of the room. */
  static Said synced(String next, String timeline, String more) {
    return ok(
        "{\"next_batch\":\"%s\",\"rooms\":{\"join\":{\"%s\":{\"timeline\":{%s}%s}}}}"
            .formatted(next, ROOM, timeline, more));
  }

  static Said invite(String next, String room, String inviter, boolean isDirect) {
    String event =
        member(inviter, ME, "invite")
            .replace("\"content\":{", "\"content\":{\"is_direct\":" + isDirect + ",");
    return ok(
        "{\"next_batch\":\"%s\",\"rooms\":{\"invite\":{\"%s\":{\"invite_state\":{\"events\":[%s]}}}}}"
            .formatted(next, room, event));
  }

  static String member(String sender, String whose, String membership) {
    return """
    {"type":"m.room.member","event_id":"$m%d","sender":"%s","state_key":"%s",\
    "content":{"membership":"%s","displayname":"Name of %s"}}\
    """
        .formatted(
            Math.floorMod((sender + whose + membership).hashCode(), 1_000_000),
            sender,
            whose,
            membership,
            whose);
  }

  /** A text of Ann. */
  static String text(String id, String body) {
    return message(id, ANN, "\"msgtype\":\"m.text\",\"body\":" + JsonText.write(body));
  }

  static String message(String id, String sender, String content) {
    return event("m.room.message", id, sender, content);
  }

  static String event(String type, String id, String sender, String content) {
    return "{\"type\":\"%s\",\"event_id\":\"$%s\",\"sender\":\"%s\",\"content\":{%s}}"
        .formatted(type, id, sender, content);
  }

  static OutboundReply reply(String thread, String text) {
    return new OutboundReply("r1", "e1", "main", thread, ROOM + "|$asked", text, 1, 1, false);
  }

  static OutboundReply again(OutboundReply reply) {
    return new OutboundReply(
        reply.id(),
        reply.eventId(),
        reply.account(),
        reply.thread(),
        reply.inReplyTo(),
        reply.text(),
        reply.part(),
        reply.parts(),
        true,
        reply.files(),
        reply.choices());
  }

  void draft(String text) throws Exception {
    channel.showDraft(new Draft("main", ROOM, "e1", text, ""));
  }

  /** What was sent to the room, in its order; repeats too. */
  List<Map<String, Object>> sent() {
    return bodies(SEND);
  }

  static String decodedPath(Asked asked) {
    return URLDecoder.decode(asked.path(), StandardCharsets.UTF_8);
  }

  /** Does what is left for a quiet moment. */
  void doBackground() throws Exception {
    ((MatrixChannel) channel).user("main").bot().background().doAll();
  }

  FakeContext context() {
    return context;
  }

  FakeSink sink() {
    return sink;
  }

  ChannelAdapter channel() {
    return channel;
  }
}
