package dev.holdfast.slack;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the sockets of one account open, for one call of {@code listen}. A socket that is about to
 * end goes on being read until its successor says hello: Slack sends each event over one of those
 * that are open, so that two at once lose and repeat nothing.
 */
final class SocketMode {
  /**
   * A socket that has brought nothing for so long may be dead, although nobody has told: Slack's
   * pings are answered below of what a plugin sees. A new one is cheap, and its hello proves that
   * it lives. What Slack sent to a dead one meanwhile was not acknowledged, so it comes again: at
   * once, after 1 min and after 5.
   */
  static final Duration QUIET_MAX = Duration.ofMinutes(2);

  private static final Duration IDENTITY_MAX = Duration.ofSeconds(20);
  private static final Duration HELLO_MAX = Duration.ofSeconds(10);
  private static final Duration WAIT_FIRST = Duration.ofSeconds(1);
  private static final Duration WAIT_MAX = Duration.ofSeconds(60);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
  private static final Duration SAVE_EVERY = Duration.ofSeconds(10);

  /** A socket that ends earlier than that is a failure, whoever closed it. */
  static final Duration LIFE_LEAST = Duration.ofSeconds(10);

  /** So many tries in a row without a socket that is there to stay are told to the server. */
  private static final int FAILURES_FEW = 2;

  private static final int MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

  private final SlackBot bot;
  private final MessageSink sink;
  private final Duration quietMax;
  private final List<SocketReader> readers = new CopyOnWriteArrayList<>();
  private final Semaphore news = new Semaphore(0);
  private volatile boolean ended;
  private volatile @Nullable Exception fatal;
  private volatile boolean isFilling;
  private int failures;

  /** The supervising thread's. */
  private long savedAt;

  private Optional<String> saved = Optional.empty();

  SocketMode(SlackBot bot, MessageSink sink, Duration quietMax) {
    this.bot = bot;
    this.sink = sink;
    this.quietMax = quietMax;
    this.savedAt = bot.context().nanos();
  }

  /**
   * Runs until it is interrupted.
   *
   * @throws CallFailedException when none can be opened, or none lasts, and those that are open, if
   *     any, are about to end, or Slack wants none
   */
  void run() throws Exception {
    SlackIdentity me = bot.identity(IDENTITY_MAX);
    sink.listensAs(me.team() + " " + me.user());
    bot.marks().load(sink.position().orElse(""));
    MissedMessages missed = MissedMessages.since(bot, sink, me);
    PluginContext.@Nullable Background filling = null;
    try {
      while (true) {
        @Nullable Exception seen = fatal;
        if (seen != null) {
          throw seen;
        }
        forgetEnded();
        if (serving() < bot.account().sockets()) {
          open(me);
        } else {
          if (!isFilling && !bot.marks().missing().isEmpty()) {
            isFilling = true; // what is said from now on comes by itself
            filling = bot.context().run("slack-missed-" + bot.name(), () -> take(missed));
          }
          boolean _ = news.tryAcquire(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
          news.drainPermits();
          save();
        }
      }
    } finally {
      ended = true;
      if (filling != null) {
        filling.cancel();
      }
      readers.forEach(SocketReader::end);
    }
  }

  private void take(MissedMessages missed) throws InterruptedException {
    try {
      missed.take();
    } catch (RuntimeException e) {
      if (!ended) {
        fail(e);
      }
    } finally {
      isFilling = false;
      wake(); // another absence may have begun and ended
    }
  }

  private void save() throws InterruptedException {
    long now = bot.context().nanos();
    if (now - savedAt >= SAVE_EVERY.toNanos()) {
      savedAt = now;
      Optional<String> position = bot.marks().position();
      if (position.isPresent() && !position.equals(saved)) {
        sink.savePosition(position.get());
        saved = position;
      }
    }
  }

  /**
   * @throws CallFailedException when the last one is gone that ended soon: some proxy may end each
   *     of them after its hello, and the server is to know that
   */
  private void forgetEnded() throws CallFailedException {
    String why = "";
    for (SocketReader reader : List.copyOf(readers)) {
      boolean hasEnded = reader.hasEnded();
      if (reader.takeLeft()) {
        failures = reader.served().compareTo(LIFE_LEAST) < 0 ? failures + 1 : 0;
      }
      if (hasEnded) {
        readers.remove(reader);
        why = reader.why();
      }
    }
    if (!why.isEmpty() && readers.isEmpty() && failures > 0) {
      throw noUse(why + " right after its hello");
    }
  }

  private int serving() {
    return (int) readers.stream().filter(SocketReader::isServing).count();
  }

  /** Whether there are as many sockets as there are to be, without those that are about to end. */
  boolean isComplete() {
    return serving() >= bot.account().sockets();
  }

  boolean hasEnded() {
    return ended;
  }

  Duration quietMax() {
    return quietMax;
  }

  /** A reader has left or ended. */
  void wake() {
    news.release();
  }

  /** What ends the whole call. */
  void fail(Exception why) {
    fatal = why;
    news.release();
  }

  private void open(SlackIdentity me) throws CallFailedException, InterruptedException {
    if (failures > 0) {
      bot.context().sleep(backoff());
      forgetEnded();
    }
    try {
      PluginSocket socket = connect();
      SocketReader reader = new SocketReader(this, bot, me, socket, sink);
      readers.add(reader);
      reader.start();
    } catch (CallFailedException e) {
      failures++;
      // A socket that is about to end may be dead already: it speaks for the account only briefly.
      boolean isAlone = readers.isEmpty() || (serving() == 0 && failures > FAILURES_FEW);
      if (isAlone || !e.failure().isPassing()) {
        throw e;
      }
      bot.context()
          .logger()
          .log(
              Level.WARNING,
              "account {0}: no further socket yet: {1}",
              bot.name(),
              e.failure().summary());
      bot.context().sleep(e.failure().retryAfter());
    }
  }

  private Duration backoff() {
    Duration wait = WAIT_FIRST.multipliedBy(1L << Math.min(failures - 1, 10));
    return wait.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : wait;
  }

  private PluginSocket connect() throws CallFailedException, InterruptedException {
    String url = address(bot);
    PluginSocket socket =
        bot.context()
            .http()
            .connect(new PluginSocket.Request(url, Map.of(), HELLO_MAX, MESSAGE_BYTES_MAX));
    boolean isOpen = false;
    try {
      awaitHello(socket);
      isOpen = true;
    } finally {
      if (!isOpen) {
        socket.close();
      }
    }
    sink.received();
    bot.marks().heard(bot.context().now());
    return socket;
  }

  /** Asks where to connect to; each address is good for one socket. */
  static String address(SlackBot bot) throws CallFailedException, InterruptedException {
    SlackAnswer answer = bot.appApi().call("apps.connections.open", Map.of(), IDENTITY_MAX);
    if (!answer.isOk() && answer.failure().code() == FailureCode.AUTH) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.AUTH,
              ("Slack does not take app_token (%s): it must be an App-Level Token with the scope"
                      + " connections:write, shown under Basic Information")
                  .formatted(answer.error())));
    }
    String url = JsonText.text(answer.orThrow(), "url");
    if (!url.startsWith("wss://") && !url.startsWith("ws://")) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE,
              "apps.connections.open names no address: check base_url"));
    }
    return url;
  }

  private static void awaitHello(PluginSocket socket)
      throws CallFailedException, InterruptedException {
    Optional<PluginSocket.Event> first = socket.receive(HELLO_MAX);
    String said = "it says nothing";
    if (first.isPresent()) {
      switch (first.get()) {
        case PluginSocket.Closed(int code, String _) -> said = "it was closed (" + code + ")";
        case PluginSocket.Text(String text) -> {
          Map<String, Object> frame = SocketReader.frame(text);
          if (JsonText.text(frame, "type").equals("hello")) {
            return;
          }
          Optional<CallFailedException> refusal = refusal(frame);
          if (refusal.isPresent()) {
            throw refusal.get();
          }
          said = "it does not begin with hello";
        }
      }
    }
    throw noUse(said);
  }

  private static CallFailedException noUse(String why) {
    return new CallFailedException(
        Failure.of(FailureCode.BACKEND_FAILURE, "Slack's socket is of no use: " + why));
  }

  /** Whether Slack wants no sockets of the app at all. */
  static Optional<CallFailedException> refusal(Map<String, Object> frame) {
    return JsonText.text(frame, "type").equals("disconnect")
            && JsonText.text(frame, "reason").equals("link_disabled")
        ? Optional.of(
            new CallFailedException(
                Failure.of(
                    FailureCode.INVALID_REQUEST,
                    "Socket Mode is turned off for this app: turn it on under Socket Mode, or set"
                        + " mode: events")))
        : Optional.empty();
  }
}
