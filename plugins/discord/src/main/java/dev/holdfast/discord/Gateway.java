package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps one account connected to the Gateway, for one call of {@code listen}. A connection that has
 * lasted is followed by the next at once, with its session; one that has not ends the call, so that
 * the server waits and tells why.
 */
final class Gateway {
  private static final Duration IDENTITY_MAX = Duration.ofSeconds(20);
  private static final Duration CONNECT_MAX = Duration.ofSeconds(10);
  private static final Duration WAIT_FIRST = Duration.ofSeconds(1);
  private static final Duration WAIT_MAX = Duration.ofSeconds(60);

  /** A connection that ends earlier is a failure, whoever closed it. */
  private static final Duration LIFE_LEAST = Duration.ofSeconds(30);

  private static final Duration LIMIT_WAIT = Duration.ofHours(1);

  /** Some of the day's identifications are kept for an operator. */
  private static final long IDENTIFIES_KEPT = 10;

  /** What a large server begins with. */
  private static final int MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

  /** Discord wants 1 s to 5 s before a session is begun in place of one that it has ended. */
  private static final Duration NEW_SESSION_WAIT = Duration.ofSeconds(3);

  private final DiscordBot bot;
  private final GatewayState state;
  private final TalkedChannels talked;
  private final OpenInteractions interactions;
  private final SentPosts sent;
  private final MessageSink sink;

  Gateway(
      DiscordBot bot,
      GatewayState state,
      TalkedChannels talked,
      OpenInteractions interactions,
      SentPosts sent,
      MessageSink sink) {
    this.bot = bot;
    this.state = state;
    this.talked = talked;
    this.interactions = interactions;
    this.sent = sent;
    this.sink = sink;
  }

  /**
   * Runs until it is interrupted.
   *
   * @throws CallFailedException when no connection stands, or Discord wants none
   */
  void run() throws Exception {
    DiscordIdentity me = bot.identity(IDENTITY_MAX);
    while (true) {
      Optional<GatewaySession> session = state.session(sink);
      String url = session.isPresent() ? session.get().url() : address(bot);
      connect(me, session, url);
    }
  }

  private void connect(DiscordIdentity me, Optional<GatewaySession> session, String url)
      throws CallFailedException, InterruptedException {
    long begun = bot.context().nanos();
    GatewayConnection connection;
    GatewayEnd end;
    try (PluginSocket socket = opened(url)) {
      connection =
          new GatewayConnection(bot, me, socket, session, state, talked, interactions, sent, sink);
      try {
        end = connection.run();
      } finally {
        socket.close(4000, ""); // with 1000 Discord would end the session, too
      }
    }
    if (connection.hasAskedInVain()) {
      state.refused();
    }
    Duration lived = Duration.ofNanos(bot.context().nanos() - begun);
    state.ended(end.isOver());
    state.lived(connection.isReady() && lived.compareTo(LIFE_LEAST) >= 0);
    bot.context()
        .logger()
        .log(Level.DEBUG, "account {0}: the connection has ended: {1}", bot.name(), end.why());
    if (end.isOver() && session.isPresent() && !connection.isReady()) {
      bot.context().sleep(NEW_SESSION_WAIT);
    } else if (state.shortLived() > 0) {
      throw new CallFailedException(
          Failure.of(
                  FailureCode.BACKEND_FAILURE,
                  "a connection to the Gateway is of no use: " + end.why())
              .withRetryAfter(backoff()));
    }
  }

  private Duration backoff() {
    Duration wait = WAIT_FIRST.multipliedBy(1L << Math.min(state.shortLived() - 1, 10));
    return wait.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : wait;
  }

  private PluginSocket opened(String url) throws CallFailedException, InterruptedException {
    try {
      PluginSocket socket = open(bot, url, CONNECT_MAX);
      state.opened();
      return socket;
    } catch (CallFailedException e) {
      state.unreachable(bot.context().nanos());
      throw e;
    }
  }

  /** Opens a connection, on which nothing was said yet. */
  static PluginSocket open(DiscordBot bot, String url, Duration timeout)
      throws CallFailedException, InterruptedException {
    if (!isUsable(bot, url)) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE,
              "Discord names no address of its Gateway: check base_url"));
    }
    String end = url.endsWith("/") || !URI.create(url).getPath().isEmpty() ? "" : "/";
    return bot.context()
        .http()
        .connect(
            new PluginSocket.Request(
                url + end + "?v=10&encoding=json",
                Map.of("user-agent", DiscordApi.USER_AGENT),
                timeout,
                MESSAGE_BYTES_MAX));
  }

  /** The token goes over plain connections only where its owner has chosen one. */
  private static boolean isUsable(DiscordBot bot, String url) {
    try {
      String scheme = String.valueOf(URI.create(url).getScheme());
      return URI.create(url).getHost() != null
          && (scheme.equals("wss")
              || (scheme.equals("ws") && bot.api().baseUrl().startsWith("http://")));
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  /**
   * Asks where to connect to for a new session, and whether Discord will take it: the number of
   * tries is limited.
   */
  static String address(DiscordBot bot) throws CallFailedException, InterruptedException {
    Map<String, Object> gateway = bot.api().get("/gateway/bot", IDENTITY_MAX).orThrow();
    Map<String, Object> limit = JsonText.map(gateway, "session_start_limit");
    if (JsonText.whole(limit, "remaining", Long.MAX_VALUE) < IDENTIFIES_KEPT) {
      Duration wait = Duration.ofMillis(Math.max(0, JsonText.whole(limit, "reset_after", 0)));
      throw new CallFailedException(
          Failure.of(
                  FailureCode.RATE_LIMITED,
                  "the bot has begun too many sessions today: stop other servers with its token")
              .withRetryAfter(wait.compareTo(LIMIT_WAIT) > 0 ? LIMIT_WAIT : wait));
    }
    // Asked each time: the portal's switch is to be seen at once, and costs no session.
    if (bot.account().readsAll() && !bot.ask(IDENTITY_MAX).mayReadAll()) {
      throw new CallFailedException(
          Failure.of(FailureCode.INVALID_REQUEST, GatewayEnd.noContent("an intent is turned off")));
    }
    return JsonText.text(gateway, "url");
  }
}
