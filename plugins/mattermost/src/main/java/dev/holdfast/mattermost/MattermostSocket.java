package dev.holdfast.mattermost;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One connection to the WebSocket of a server. Its events are numbered; a number that is missing
 * ends it. When nothing comes it asks whether anybody is there: a connection may be dead without a
 * word, and one whose token was revoked brings no events any more. For one thread.
 */
final class MattermostSocket implements AutoCloseable {
  static final Duration PING_AFTER = Duration.ofSeconds(30);
  static final Duration PONG_MAX = Duration.ofSeconds(15);
  private static final Duration CONNECT_MAX = Duration.ofSeconds(15);
  private static final Duration HELLO_MAX = Duration.ofSeconds(10);
  private static final Duration WAIT_LEAST = Duration.ofMillis(100);
  private static final int MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

  /** What is kept while the history is read. */
  private static final int HELD_MAX = 1000;

  private static final int HELD_UNITS_MAX = 8 * 1024 * 1024;
  private static final long CHALLENGE = 1;

  private final MattermostBot bot;
  private final PluginSocket socket;
  private final Deque<PluginSocket.Event> held = new ArrayDeque<>();
  private int heldUnits;
  private String connection = "";

  /** The number of the next event; negative when events have none. */
  private long nextEvent;

  private boolean isResumed;
  private long heardAt;

  /** The number of the last request. */
  private long request = CHALLENGE;

  /** The number of the ping that is not answered yet; zero when all are. */
  private long pinged;

  private long pingedAt;

  private MattermostSocket(MattermostBot bot, PluginSocket socket) {
    this.bot = bot;
    this.socket = socket;
    this.heardAt = bot.context().nanos();
  }

  /**
   * Connects, where the last connection ended if Mattermost still has it; else anew.
   *
   * @throws CallFailedException AUTH when Mattermost does not take the token
   */
  static MattermostSocket open(MattermostBot bot, ReadPosition from)
      throws CallFailedException, InterruptedException {
    if (from.isResumable()) {
      MattermostSocket resumed = connect(bot, from);
      if (resumed.begin(from)) {
        return resumed;
      }
    }
    MattermostSocket fresh = connect(bot, from.withoutConnection());
    if (!fresh.begin(from.withoutConnection())) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE,
              "Mattermost's WebSocket does not say hello: a proxy in front of it must pass"
                  + " /api/v4/websocket on"));
    }
    return fresh;
  }

  private static MattermostSocket connect(MattermostBot bot, ReadPosition from)
      throws CallFailedException, InterruptedException {
    MattermostAccount account = bot.account();
    String query =
        from.isResumable()
            ? "?connection_id=%s&sequence_number=%d".formatted(from.connection(), from.nextEvent())
            : "";
    // Only by this header a connection can be resumed; the challenge is for proxies that drop it.
    Map<String, String> headers = Map.of("authorization", "Bearer " + account.token());
    MattermostSocket opened =
        new MattermostSocket(
            bot,
            bot.context()
                .http()
                .connect(
                    new PluginSocket.Request(
                        account.socketUrl() + query, headers, CONNECT_MAX, MESSAGE_BYTES_MAX)));
    boolean isSent = false;
    try {
      opened.send(
          CHALLENGE, "authentication_challenge", Map.of("data", Map.of("token", account.token())));
      isSent = true;
    } finally {
      if (!isSent) {
        opened.close();
      }
    }
    return opened;
  }

  private void send(long number, String action, Map<String, ?> more)
      throws CallFailedException, InterruptedException {
    Map<String, Object> frame = new LinkedHashMap<>();
    frame.put("seq", number);
    frame.put("action", action);
    frame.putAll(more);
    socket.send(JsonText.write(frame));
  }

  /**
   * Waits for the hello of a new connection, or for anything that an old one goes on with: it says
   * no hello. False when neither comes; then it is closed.
   */
  private boolean begin(ReadPosition from) throws CallFailedException, InterruptedException {
    boolean isOpen = false;
    try {
      if (from.isResumable()) {
        ping();
      }
      isOpen = awaitBegin(from);
      return isOpen;
    } finally {
      if (!isOpen) {
        socket.close();
      }
    }
  }

  private boolean awaitBegin(ReadPosition from) throws CallFailedException, InterruptedException {
    long end = bot.context().nanos() + HELLO_MAX.toNanos();
    for (Duration left = HELLO_MAX;
        left.isPositive();
        left = Duration.ofNanos(end - bot.context().nanos())) {
      Optional<PluginSocket.Event> event = socket.receive(left);
      if (event.isEmpty() || !(event.get() instanceof PluginSocket.Text(String text))) {
        return false;
      }
      Map<String, Object> frame = frame(text);
      String name = JsonText.text(frame, "event");
      if (name.equals("hello")) {
        hello(frame);
        return true;
      }
      boolean isAnswer = name.isEmpty() && answer(frame) instanceof SocketFrame.Alive;
      if (!name.isEmpty() || isAnswer) {
        return from.isResumable() && resume(from, event.get(), frame, name);
      }
    }
    return false;
  }

  private void hello(Map<String, Object> frame) {
    Map<String, Object> data = JsonText.map(frame, "data");
    String id = JsonText.text(data, "connection_id");
    connection = MattermostPlace.isId(id) ? id : "";
    long number = JsonText.whole(frame, "seq", -1);
    nextEvent = number < 0 ? -1 : number + 1;
  }

  /** An event that is not the one that was asked for is of no use. */
  private boolean resume(
      ReadPosition from, PluginSocket.Event event, Map<String, Object> frame, String name) {
    if (!name.isEmpty()) {
      if (JsonText.whole(frame, "seq", -1) != from.nextEvent()) {
        return false;
      }
      held.add(event);
    }
    connection = from.connection();
    nextEvent = from.nextEvent();
    isResumed = true;
    return true;
  }

  /** Whether it goes on where the last one ended, so that nothing was missed. */
  boolean isResumed() {
    return isResumed;
  }

  /** Where to go on if this connection broke now. */
  ReadPosition position(long until) {
    return nextEvent < 0 || connection.isEmpty()
        ? new ReadPosition(until, "", 0)
        : new ReadPosition(until, connection, nextEvent);
  }

  private static Map<String, Object> frame(String text) {
    try {
      return JsonText.object(text);
    } catch (IllegalArgumentException _) {
      return Map.of();
    }
  }

  /** Takes what has come, without a wait: a socket that nobody reads is closed in the end. */
  void hold() throws InterruptedException {
    while (held.size() < HELD_MAX && heldUnits < HELD_UNITS_MAX) {
      Optional<PluginSocket.Event> event = socket.receive(Duration.ZERO);
      if (event.isEmpty()) {
        return;
      }
      held.add(event.get());
      if (!(event.get() instanceof PluginSocket.Text(String text))) {
        return;
      }
      heldUnits += text.length();
    }
  }

  /**
   * The next frame.
   *
   * @param mayWait whether to wait for it, for 30 s at most
   * @throws CallFailedException AUTH when the token is no longer taken; TIMEOUT when nobody answers
   */
  SocketFrame next(boolean mayWait) throws CallFailedException, InterruptedException {
    Optional<PluginSocket.Event> event =
        held.isEmpty()
            ? socket.receive(mayWait ? patience() : Duration.ZERO)
            : Optional.of(held.remove());
    if (event.isEmpty()) {
      if (mayWait) {
        pingWhenQuiet();
      }
      return new SocketFrame.Quiet();
    }
    return switch (event.get()) {
      case PluginSocket.Text(String text) -> {
        heardAt = bot.context().nanos();
        yield read(frame(text));
      }
      case PluginSocket.Closed(int code, String _) ->
          new SocketFrame.Ended("it was closed (" + code + ")");
    };
  }

  private Duration patience() {
    long now = bot.context().nanos();
    Duration left =
        pinged > 0 ? PONG_MAX.minusNanos(now - pingedAt) : PING_AFTER.minusNanos(now - heardAt);
    return left.compareTo(WAIT_LEAST) < 0 ? WAIT_LEAST : left;
  }

  private void pingWhenQuiet() throws CallFailedException, InterruptedException {
    long now = bot.context().nanos();
    if (pinged > 0) {
      if (now - pingedAt >= PONG_MAX.toNanos()) {
        throw new CallFailedException(
            Failure.of(FailureCode.TIMEOUT, "Mattermost's WebSocket answers no pings"));
      }
    } else if (now - heardAt >= PING_AFTER.toNanos()) {
      ping();
    }
  }

  /** Asks whether anybody is there; {@link #next} brings the answer. */
  void ping() throws CallFailedException, InterruptedException {
    request++;
    pinged = request;
    pingedAt = bot.context().nanos();
    send(pinged, "ping", Map.of());
  }

  private SocketFrame read(Map<String, Object> frame) throws CallFailedException {
    String name = JsonText.text(frame, "event");
    if (name.isEmpty()) {
      return answer(frame);
    }
    long number = JsonText.whole(frame, "seq", -1);
    if (nextEvent >= 0 && number >= 0 && number != nextEvent) {
      return new SocketFrame.Ended("an event is missing: the history will tell it");
    }
    nextEvent = number < 0 ? -1 : number + 1;
    return new SocketFrame.Happened(name, JsonText.map(frame, "data"));
  }

  /**
   * Only a request of somebody whom Mattermost knows is answered by OK: this is what tells a quiet
   * connection from one that will never bring anything again.
   */
  private SocketFrame answer(Map<String, Object> frame) throws CallFailedException {
    long answered = JsonText.whole(frame, "seq_reply", 0);
    if (JsonText.text(frame, "status").equals("FAIL")) {
      throw new CallFailedException(refusal(JsonText.map(frame, "error")));
    }
    if (pinged == 0 || answered != pinged) {
      return new SocketFrame.Quiet();
    }
    pinged = 0;
    return new SocketFrame.Alive();
  }

  private static Failure refusal(Map<String, Object> error) {
    long status = JsonText.whole(error, "status_code", 0);
    return status == 401
        ? Failure.of(
            FailureCode.AUTH,
            "Mattermost no longer takes the token (401): create a new one for the bot and write it"
                + " into the configuration")
        : Failure.of(
            FailureCode.BACKEND_FAILURE, "Mattermost's WebSocket refuses a ping (" + status + ")");
  }

  @Override
  public void close() {
    socket.close();
  }
}
