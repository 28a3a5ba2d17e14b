package dev.holdfast.slack;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads one socket, on a thread of its own, from its hello to its end. An envelope is acknowledged
 * when what it brings is on disk; envelopes that came at once are one commit.
 */
final class SocketReader {
  private static final int BATCH_MAX = 100;
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  /** Once its successor is there, a socket that is to end brings only what was under way. */
  private static final Duration LEAVING_MAX = Duration.ofSeconds(10);

  private final SocketMode mode;
  private final SlackBot bot;
  private final SlackIdentity me;
  private final PluginSocket socket;
  private final MessageSink sink;
  private final PluginContext context;
  private final long openedAt;
  private PluginContext.@Nullable Background job;
  private volatile State state = State.SERVING;
  private volatile long leftAt;
  private volatile String why = "it was given up";

  /** The supervising thread's. */
  private boolean leftTaken;

  /** When the last frame came; its own thread's. */
  private long heardAt;

  /** What was read and is not acknowledged yet; its own thread's. */
  private final List<Envelope> pending = new ArrayList<>();

  private enum State {
    SERVING,
    /** It is to end: another one takes its place. */
    LEAVING,
    ENDED
  }

  private record Envelope(String id, SlackEvent event) {}

  SocketReader(
      SocketMode mode, SlackBot bot, SlackIdentity me, PluginSocket socket, MessageSink sink) {
    this.mode = mode;
    this.bot = bot;
    this.me = me;
    this.socket = socket;
    this.sink = sink;
    this.context = bot.context();
    this.openedAt = context.nanos();
    this.leftAt = openedAt;
    this.heardAt = openedAt;
  }

  void start() {
    job = context.run("slack-socket-" + bot.name(), this::run);
  }

  boolean isServing() {
    return state == State.SERVING;
  }

  boolean hasEnded() {
    return state == State.ENDED;
  }

  /** Whether it no longer serves; true once. */
  boolean takeLeft() {
    boolean isNew = !isServing() && !leftTaken;
    leftTaken |= isNew;
    return isNew;
  }

  /** For how long it has served; when it no longer does. */
  Duration served() {
    return Duration.ofNanos(leftAt - openedAt);
  }

  /** How it has ended, in a few words. */
  String why() {
    return why;
  }

  /** Ends it from another thread. */
  void end() {
    if (job != null) {
      job.cancel();
    }
    socket.close();
  }

  /** Its thread's. */
  void run() throws InterruptedException {
    try {
      while (step()) {
        // what there is to do is done in the condition
      }
    } catch (InterruptedException e) {
      if (!mode.hasEnded()) {
        throw e;
      }
    } catch (RuntimeException e) {
      if (!mode.hasEnded()) {
        mode.fail(e);
      }
    } finally {
      move(State.ENDED);
      socket.close();
    }
  }

  private void move(State to) {
    if (state == State.SERVING) {
      leftAt = context.nanos();
    }
    state = to;
    mode.wake();
  }

  /** Takes one event; false when there will be none any more. */
  private boolean step() throws InterruptedException {
    Optional<PluginSocket.Event> event =
        socket.receive(pending.isEmpty() ? patience() : Duration.ZERO);
    if (event.isEmpty()) {
      return pending.isEmpty() ? goesOnAfterSilence() : flush();
    }
    return switch (event.get()) {
      case PluginSocket.Text(String text) -> {
        heardAt = context.nanos();
        read(frame(text));
        yield pending.size() < BATCH_MAX || flush();
      }
      case PluginSocket.Closed(int code, String _) -> {
        boolean _ = flush(); // they come again, and are known then
        why = "it was closed (" + code + ")";
        context
            .logger()
            .log(Level.DEBUG, "account {0}: a socket was closed ({1})", bot.name(), code);
        yield false;
      }
    };
  }

  /** How long to wait for the next event. */
  private Duration patience() {
    if (state == State.LEAVING) {
      return LOOK_EVERY;
    }
    Duration left = mode.quietMax().minusNanos(context.nanos() - heardAt);
    return left.compareTo(LOOK_EVERY) < 0 ? LOOK_EVERY : left;
  }

  private boolean goesOnAfterSilence() {
    long now = context.nanos();
    if (state == State.SERVING) {
      if (now - heardAt >= mode.quietMax().toNanos()) {
        move(State.LEAVING);
      }
      return true;
    }
    return now - leftAt < LEAVING_MAX.toNanos() || !mode.isComplete();
  }

  /** A frame; an empty one when it cannot be understood. */
  static Map<String, Object> frame(String text) {
    try {
      return JsonText.object(text);
    } catch (IllegalArgumentException _) {
      return Map.of();
    }
  }

  private void read(Map<String, Object> frame) throws InterruptedException {
    String type = JsonText.text(frame, "type");
    if (type.equals("disconnect")) {
      boolean _ = flush();
      SocketMode.refusal(frame).ifPresent(mode::fail);
      if (state == State.SERVING) {
        move(State.LEAVING);
      }
      return;
    }
    String id = JsonText.text(frame, "envelope_id");
    if (id.isEmpty()) {
      return; // hello, and whatever else needs no answer
    }
    sink.received();
    bot.marks().heard(context.now());
    SlackEvent event = bot.reader().envelope(type, JsonText.map(frame, "payload"), me);
    if (event instanceof SlackEvent.Clicked(Click click)) {
      boolean _ = flush();
      String answer = sink.clicked(click);
      acknowledge(id);
      bot.whisper(click.thread(), click.sender(), answer);
    } else {
      pending.add(new Envelope(id, event));
    }
  }

  /** Hands over what was read, then acknowledges it; true. */
  private boolean flush() throws InterruptedException {
    List<InboundMessage> messages = new ArrayList<>();
    List<DropReason> dropped = new ArrayList<>();
    for (Envelope envelope : pending) {
      switch (envelope.event()) {
        case SlackEvent.Said(InboundMessage message) -> messages.add(message);
        case SlackEvent.Dropped(DropReason reason) -> dropped.add(reason);
        case SlackEvent.HeldBack _ -> bot.warnOfHeldBack();
        case SlackEvent.Clicked _, SlackEvent.Ignored _ -> {}
      }
    }
    if (!messages.isEmpty()) {
      try {
        sink.accept(List.copyOf(messages));
      } catch (CallFailedException e) {
        // It would come again and again.
        context
            .logger()
            .log(
                Level.WARNING,
                "account {0}: a message is dropped: {1}",
                bot.name(),
                e.getMessage());
      }
      messages.forEach(bot.marks()::committed);
    }
    if (!dropped.isEmpty()) {
      sink.dropped(dropped);
    }
    for (Envelope envelope : pending) {
      acknowledge(envelope.id());
    }
    pending.clear();
    return true;
  }

  /** What is not acknowledged comes again, over another socket. */
  private void acknowledge(String id) throws InterruptedException {
    try {
      socket.send(JsonText.write(Map.of("envelope_id", id)));
    } catch (CallFailedException e) {
      context
          .logger()
          .log(
              Level.DEBUG,
              "account {0}: an envelope was not acknowledged: {1}",
              bot.name(),
              e.failure().summary());
    }
  }
}
