package dev.holdfast.discord;

import dev.holdfast.api.Access;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.Origin;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the Gateway, from its hello to its end. An event counts as taken when what it
 * brings is on disk: heartbeats and a resume name the last one of those. Events that came at once
 * are one commit. For one thread.
 */
final class GatewayConnection {
  private static final Duration HELLO_MAX = Duration.ofSeconds(10);
  private static final Duration READY_MAX = Duration.ofSeconds(60);
  private static final Duration LOOK_MAX = Duration.ofMinutes(1);
  private static final long BEAT_LEAST = 1000;
  private static final long BEAT_USUAL = 41_250;
  private static final long BEAT_MOST = 90_000;
  private static final int BATCH_MAX = 100;

  /** What may wait while the history is read. */
  private static final int WAITING_MAX = 5000;

  /** Heartbeats go on. */
  private static final Duration FULL_WAIT = Duration.ofSeconds(1);

  private static final int DISPATCH = 0;
  private static final int HEARTBEAT = 1;
  private static final int IDENTIFY = 2;
  private static final int RESUME = 6;
  private static final int RECONNECT = 7;
  private static final int INVALID_SESSION = 9;
  private static final int HELLO = 10;
  private static final int ACK = 11;

  private static final int GUILDS = 1;
  private static final int GUILD_MESSAGES = 1 << 9;
  private static final int GUILD_REACTIONS = 1 << 10;
  private static final int DIRECT_MESSAGES = 1 << 12;
  private static final int DIRECT_REACTIONS = 1 << 13;
  private static final int MESSAGE_CONTENT = 1 << 15;

  private final DiscordBot bot;
  private final DiscordIdentity me;
  private final PluginSocket socket;
  private final Optional<GatewaySession> resumed;
  private final GatewayState state;
  private final TalkedChannels talked;
  private final OpenInteractions interactions;
  private final SentPosts sent;
  private final MessageSink sink;
  private final PluginContext context;
  private final long openedAt;

  /** What was read and is not on disk yet. */
  private final List<Numbered> pending = new ArrayList<>();

  private Duration beatEvery = Duration.ofMillis(BEAT_USUAL);
  private long nextBeat;
  private boolean isAnswered = true;
  private boolean hasAsked;
  private boolean isReady;
  private @Nullable BackFill backFill;

  private record Numbered(long seq, DiscordEvent event) {}

  GatewayConnection(
      DiscordBot bot,
      DiscordIdentity me,
      PluginSocket socket,
      Optional<GatewaySession> resumed,
      GatewayState state,
      TalkedChannels talked,
      OpenInteractions interactions,
      SentPosts sent,
      MessageSink sink) {
    this.bot = bot;
    this.me = me;
    this.socket = socket;
    this.resumed = resumed;
    this.state = state;
    this.talked = talked;
    this.interactions = interactions;
    this.sent = sent;
    this.sink = sink;
    this.context = bot.context();
    this.openedAt = context.nanos();
    this.nextBeat = openedAt;
  }

  /** Whether events have come, or could have. */
  boolean isReady() {
    return isReady;
  }

  /** Whether it was asked to resume a session, and has not done so. */
  boolean hasAskedInVain() {
    return resumed.isPresent() && hasAsked && !isReady;
  }

  /**
   * Runs until it ends.
   *
   * @throws CallFailedException when another connection would not help, or when what an event needs
   *     cannot be asked now: it comes again
   */
  GatewayEnd run() throws CallFailedException, InterruptedException {
    Optional<GatewayEnd> end = begin();
    while (end.isEmpty()) {
      end = step();
    }
    talked.save();
    return end.get();
  }

  private Optional<GatewayEnd> begin() throws CallFailedException, InterruptedException {
    Optional<PluginSocket.Event> first = socket.receive(HELLO_MAX);
    if (first.isEmpty()) {
      return Optional.of(GatewayEnd.resumable("it says nothing"));
    }
    switch (first.get()) {
      case PluginSocket.Closed(int code, String _) -> {
        return Optional.of(GatewayEnd.ofClose(code));
      }
      case PluginSocket.Text(String text) -> {
        Map<String, Object> frame = frame(text);
        if (!isHello(frame)) {
          return Optional.of(GatewayEnd.resumable("it does not begin with hello"));
        }
        long millis = JsonText.whole(JsonText.map(frame, "d"), "heartbeat_interval", BEAT_USUAL);
        beatEvery = Duration.ofMillis(Math.clamp(millis, BEAT_LEAST, BEAT_MOST));
      }
    }
    // The first one at random, so that not all clients beat at once after an outage.
    nextBeat =
        context.nanos() + (long) (beatEvery.toNanos() * ThreadLocalRandom.current().nextDouble());
    if (resumed.isPresent() && state.hasMissed()) {
      // Before anything comes: what is taken in live is not to hide what was missed before it.
      backFill = new BackFill(bot, me, talked);
    }
    Optional<GatewayEnd> broken =
        send(
            resumed.isPresent() ? RESUME : IDENTIFY,
            resumed.map(this::resume).orElseGet(this::identify));
    hasAsked = broken.isEmpty();
    return broken;
  }

  private static boolean isHello(Map<String, Object> frame) {
    return JsonText.whole(frame, "op", -1) == HELLO;
  }

  /** Whether a connection begins as Discord's do. */
  static boolean isHello(String text) {
    return isHello(frame(text));
  }

  private Map<String, Object> resume(GatewaySession session) {
    return Map.of("token", bot.account().token(), "session_id", session.id(), "seq", session.seq());
  }

  private Map<String, Object> identify() {
    int intents = GUILDS | GUILD_MESSAGES | GUILD_REACTIONS | DIRECT_MESSAGES | DIRECT_REACTIONS;
    return Map.of(
        "token",
        bot.account().token(),
        "intents",
        bot.account().readsAll() ? intents | MESSAGE_CONTENT : intents,
        "properties",
        Map.of("os", "linux", "browser", "holdfast", "device", "holdfast"));
  }

  /** Empty, unless the connection is broken. */
  private Optional<GatewayEnd> send(int op, @Nullable Object data) throws InterruptedException {
    Map<String, Object> frame = new LinkedHashMap<>();
    frame.put("op", op);
    frame.put("d", data == null ? JsonText.NULL : data);
    try {
      socket.send(JsonText.write(frame));
      return Optional.empty();
    } catch (CallFailedException e) {
      return Optional.of(GatewayEnd.resumable("it takes nothing: " + e.failure().message()));
    }
  }

  /** A frame; an empty one when it cannot be understood. */
  private static Map<String, Object> frame(String text) {
    try {
      return JsonText.object(text);
    } catch (IllegalArgumentException _) {
      return Map.of();
    }
  }

  private Optional<GatewayEnd> step() throws CallFailedException, InterruptedException {
    boolean isFull = pending.size() >= WAITING_MAX;
    Optional<PluginSocket.Event> event = isFull ? Optional.empty() : socket.receive(patience());
    long now = context.nanos();
    if (now - nextBeat >= 0 && (isAnswered || (event.isEmpty() && !isFull))) {
      if (!isAnswered) {
        return Optional.of(GatewayEnd.resumable("a heartbeat was not answered"));
      }
      Optional<GatewayEnd> broken = beat();
      if (broken.isPresent()) {
        return broken;
      }
      talked.save();
      state.save(sink);
    }
    if (event.isEmpty()) {
      if (!isReady && now - openedAt >= READY_MAX.toNanos()) {
        return Optional.of(GatewayEnd.resumable("it does not become ready"));
      }
      work(isFull);
      return Optional.empty();
    }
    return switch (event.get()) {
      case PluginSocket.Text(String text) -> read(frame(text));
      case PluginSocket.Closed(int code, String _) -> {
        flushUnlessHolding();
        yield Optional.of(GatewayEnd.ofClose(code));
      }
    };
  }

  /** What there is to do when nothing comes, or no more is taken. */
  private void work(boolean isFull) throws CallFailedException, InterruptedException {
    @Nullable BackFill filling = backFill;
    if (filling == null) {
      flush();
    } else if (filling.isDone()) {
      caughtUp();
    } else if (filling.pause().isZero()) {
      takeIn(filling.step(), false);
    } else if (!isHolding()) {
      flush();
    } else if (isFull) {
      Duration pause = filling.pause();
      context.sleep(pause.compareTo(FULL_WAIT) < 0 ? pause : FULL_WAIT);
    }
  }

  private void caughtUp() throws InterruptedException {
    backFill = null;
    state.caughtUp();
    flush();
    talked.save();
    state.save(sink);
  }

  /** How long to wait for the next event. */
  private Duration patience() {
    @Nullable BackFill filling = backFill;
    if (!isHolding() && !pending.isEmpty()) {
      return Duration.ZERO;
    }
    Duration left = Duration.ofNanos(Math.max(0, nextBeat - context.nanos()));
    Duration wait = left.compareTo(LOOK_MAX) > 0 ? LOOK_MAX : left;
    if (filling == null) {
      return wait;
    }
    return filling.isDone() || filling.pause().compareTo(wait) < 0 ? filling.pause() : wait;
  }

  private Optional<GatewayEnd> beat() throws InterruptedException {
    isAnswered = false;
    nextBeat = context.nanos() + beatEvery.toNanos();
    return send(HEARTBEAT, state.seq() < 0 ? null : state.seq());
  }

  private Optional<GatewayEnd> read(Map<String, Object> frame)
      throws CallFailedException, InterruptedException {
    switch ((int) JsonText.whole(frame, "op", -1)) {
      case DISPATCH -> dispatch(frame);
      case HEARTBEAT -> {
        return beat();
      }
      case RECONNECT -> {
        flushUnlessHolding();
        return Optional.of(GatewayEnd.resumable("Discord asks for another one"));
      }
      case INVALID_SESSION -> {
        flushUnlessHolding();
        return Optional.of(
            new GatewayEnd("Discord does not know the session", !JsonText.flag(frame, "d")));
      }
      case ACK -> {
        isAnswered = true;
        if (isReady) {
          sink.received();
        }
      }
      default -> {
        // Nothing that matters.
      }
    }
    return Optional.empty();
  }

  /** Whether what comes waits for what was missed before it. */
  private boolean isHolding() {
    @Nullable BackFill filling = backFill;
    return filling != null && !filling.isPostponed();
  }

  private void flushUnlessHolding() throws InterruptedException {
    if (!isHolding()) {
      flush();
    }
  }

  private void dispatch(Map<String, Object> frame)
      throws CallFailedException, InterruptedException {
    Map<String, Object> data = JsonText.map(frame, "d");
    long seq = JsonText.whole(frame, "s", -1);
    String type = JsonText.text(frame, "t");
    switch (type) {
      case "READY" -> {
        state.begun(
            new GatewaySession(
                JsonText.text(data, "session_id"), JsonText.text(data, "resume_gateway_url"), seq));
        ready();
      }
      case "RESUMED" -> {
        state.resumed();
        ready();
      }
      default -> {}
    }
    if (isReady) {
      sink.received();
    }
    DiscordEvent event = event(type, seq, data);
    boolean isHasty = type.equals("INTERACTION_CREATE"); // it waits for 3 s only
    if (isHasty && isHolding()) {
      takeIn(List.of(event), true);
      event = new DiscordEvent.Ignored();
    }
    keep(new Numbered(seq, event));
    if (!isHolding() && (pending.size() >= BATCH_MAX || isHasty)) {
      flush();
    }
  }

  private void keep(Numbered next) {
    if (!pending.isEmpty()
        && pending.getLast().event() instanceof DiscordEvent.Ignored
        && next.event() instanceof DiscordEvent.Ignored) {
      pending.removeLast(); // its number is all that there is to it
    }
    pending.add(next);
  }

  private void ready() throws InterruptedException {
    isReady = true;
    sink.received();
    if (state.hasMissed() && backFill == null) {
      backFill = new BackFill(bot, me, talked);
    }
    state.save(sink);
  }

  private DiscordEvent event(String type, long seq, Map<String, Object> data)
      throws CallFailedException, InterruptedException {
    return switch (type) {
      case "MESSAGE_CREATE" -> bot.messages().message(data, me);
      case "MESSAGE_REACTION_ADD" ->
          bot.messages().reaction(data, state.sessionId() + ":" + seq, me);
      case "INTERACTION_CREATE" -> bot.interactions().read(data, me);
      case "GUILD_DELETE" -> {
        if (!JsonText.flag(data, "unavailable")) {
          context
              .logger()
              .log(
                  Level.WARNING,
                  "account {0}: the bot was removed from the server {1}",
                  bot.name(),
                  JsonText.id(data, "id").replaceAll("[^0-9]", ""));
        }
        yield new DiscordEvent.Ignored();
      }
      default -> new DiscordEvent.Ignored();
    };
  }

  /** Hands over what was read; then it counts as taken. */
  private void flush() throws InterruptedException {
    if (pending.isEmpty()) {
      return;
    }
    for (int from = 0; from < pending.size(); from += BATCH_MAX) {
      int to = Math.min(pending.size(), from + BATCH_MAX);
      takeIn(pending.subList(from, to).stream().map(Numbered::event).toList(), true);
    }
    long last = pending.getLast().seq();
    boolean matters =
        pending.stream().anyMatch(each -> !(each.event() instanceof DiscordEvent.Ignored));
    pending.clear();
    talked.saveNew(); // or a crash would not read its history
    state.committed(last);
    if (matters) {
      state.save(sink);
    }
  }

  /** {@code isLive}: not out of the history, which is read in the order of writing. */
  private void takeIn(List<DiscordEvent> events, boolean isLive) throws InterruptedException {
    List<InboundMessage> messages = new ArrayList<>();
    List<DropReason> dropped = new ArrayList<>();
    List<Deferred> commands = new ArrayList<>();
    for (DiscordEvent event : events) {
      switch (event) {
        case DiscordEvent.Said(InboundMessage message, String _) -> messages.add(message);
        case DiscordEvent.Commanded(InboundMessage message, Deferred deferred) -> {
          interactions.open(bot.name(), deferred);
          commands.add(deferred);
          messages.add(message);
        }
        case DiscordEvent.Dropped(DropReason reason) -> dropped.add(reason);
        case DiscordEvent.Posted(String nonce, String id) -> sent.heard(nonce, id);
        case DiscordEvent.Clicked _, DiscordEvent.Misused _, DiscordEvent.Ignored _ -> {}
      }
    }
    accept(messages);
    if (!dropped.isEmpty()) {
      sink.dropped(dropped);
    }
    for (DiscordEvent event : events) {
      switch (event) {
        case DiscordEvent.Said(InboundMessage message, String id)
            when !id.isEmpty() && isOfOurs(message) && !(isLive && isLeft(message.thread())) ->
            talked.taken(message.thread(), id);
        case DiscordEvent.Commanded(InboundMessage message, Deferred deferred)
            when backFill == null && !talked.has(message.thread()) ->
            talked.taken(message.thread(), deferred.id());
        case DiscordEvent.Clicked(var click, Deferred deferred) -> {
          boolean _ = bot.callback(deferred, DeferredAnswer.saying(sink.clicked(click)));
        }
        case DiscordEvent.Misused(String text, Deferred deferred) -> {
          boolean _ = bot.callback(deferred, DeferredAnswer.saying(text));
        }
        default -> {}
      }
    }
    for (Deferred deferred : commands) {
      if (!bot.callback(deferred, DeferredAnswer.thinking(deferred))) {
        interactions.end(bot.name(), deferred); // its reply cannot stand there
      }
    }
  }

  /** Whether messages before it are to be read still: after a crash they are found by the mark. */
  private boolean isLeft(String channel) {
    @Nullable BackFill filling = backFill;
    return filling != null && filling.isLeft(channel);
  }

  /** Others would push out those that may be answered. */
  private boolean isOfOurs(InboundMessage message) {
    return talked.has(message.thread())
        || message.origin().place() == Origin.Place.DIRECT
        || message.origin().addressed()
        || bot.account().access().groups() == Access.Groups.ALL;
  }

  private void accept(List<InboundMessage> messages) throws InterruptedException {
    if (messages.isEmpty()) {
      return;
    }
    try {
      sink.accept(List.copyOf(messages));
    } catch (CallFailedException e) {
      // It would come again and again.
      context
          .logger()
          .log(Level.WARNING, "account {0}: a message is dropped: {1}", bot.name(), e.getMessage());
    }
  }
}
