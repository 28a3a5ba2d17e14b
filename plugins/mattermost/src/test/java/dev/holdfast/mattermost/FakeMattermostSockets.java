package dev.holdfast.mattermost;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.PlainHttp;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client whose sockets a test feeds. Each says hello, unless it is to resume, and answers pings,
 * unless it is told otherwise. Thread-safe.
 */
final class FakeMattermostSockets implements PluginHttp {
  private final PlainHttp http = new PlainHttp();
  private final BlockingQueue<FakeMattermostSocket> connected = new LinkedBlockingQueue<>();
  private final List<String> urls = new CopyOnWriteArrayList<>();
  private volatile @Nullable FakeContext clock;
  private volatile boolean resumes;
  private volatile boolean saysHello = true;
  private volatile boolean answersPings = true;
  private volatile @Nullable Failure refusal;

  void clock(FakeContext context) {
    clock = context;
  }

  /** A connection that is asked to resume says no hello. */
  void resume(boolean whether) {
    resumes = whether;
  }

  void sayHello(boolean whether) {
    saysHello = whether;
  }

  /** Whether sockets that are opened from now on answer. */
  void answerPings(boolean whether) {
    answersPings = whether;
  }

  /** Fails connections from now on; null ends that. */
  void refuse(@Nullable Failure failure) {
    refusal = failure;
  }

  /** Where connections were opened. */
  List<String> urls() {
    return List.copyOf(urls);
  }

  /** The next socket that was opened; waits for it. */
  FakeMattermostSocket take() throws InterruptedException {
    @Nullable FakeMattermostSocket socket = connected.poll(10, TimeUnit.SECONDS);
    if (socket == null) {
      throw new AssertionError("no socket was opened");
    }
    return socket;
  }

  @Override
  public Answer send(Request request) throws CallFailedException, InterruptedException {
    return http.send(request);
  }

  @Override
  public PluginSocket connect(PluginSocket.Request request) throws CallFailedException {
    @Nullable Failure failure = refusal;
    if (failure != null) {
      throw new CallFailedException(failure);
    }
    urls.add(request.url());
    FakeMattermostSocket socket =
        new FakeMattermostSocket(clock, request.headers().getOrDefault("authorization", ""));
    socket.answerPings(answersPings);
    boolean isResumed = resumes && request.url().contains("connection_id=");
    if (saysHello && !isResumed) {
      socket.say(hello("conn" + urls.size()));
    }
    connected.add(socket);
    return socket;
  }

  static String hello(String connection) {
    return JsonText.write(
        Map.of(
            "event",
            "hello",
            "data",
            Map.of("connection_id", connection, "server_version", "10.5.0"),
            "seq",
            0));
  }

  static Failure network() {
    return Failure.of(FailureCode.NETWORK, "refused").unsent();
  }

  /** One socket. */
  static final class FakeMattermostSocket implements PluginSocket {
    private final @Nullable FakeContext clock;
    private final String authorization;
    private final BlockingQueue<Next> events = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> sent = new LinkedBlockingQueue<>();
    private volatile boolean closed;
    private volatile boolean answersPings = true;
    private volatile @Nullable String refusal;

    /** What a wait for an event ends with; without an event it ends in silence. */
    private record Next(@Nullable Event event) {}

    private FakeMattermostSocket(@Nullable FakeContext clock, String authorization) {
      this.clock = clock;
      this.authorization = authorization;
    }

    String authorization() {
      return authorization;
    }

    void answerPings(boolean whether) {
      answersPings = whether;
    }

    /** Pings are answered by this status from now on. */
    void refusePings(int status) {
      refusal = ",\"status\":\"FAIL\",\"error\":{\"status_code\":" + status + "}}";
    }

    void say(String frame) {
      events.add(new Next(new Text(frame)));
    }

    void event(int seq, String name, Map<String, ?> data) {
      say(JsonText.write(Map.of("event", name, "data", data, "seq", seq)));
    }

    /** A post, as everybody in the channel is told of it. */
    void posted(int seq, Map<String, ?> post, String type) {
      event(
          seq,
          "posted",
          Map.of(
              "post",
              JsonText.write(post),
              "channel_type",
              type,
              "team_id",
              type.equals("D") ? "" : "team1",
              "sender_name",
              "@ann"));
    }

    void drop() {
      events.add(new Next(new Closed(1006, "broken")));
    }

    /** Lets a wait for the next event end without one; its time passes at once. */
    void quiet() {
      events.add(new Next(null));
    }

    /** The next frame that was sent; waits for it. */
    Map<String, Object> takeSent() throws InterruptedException {
      @Nullable String frame = sent.poll(10, TimeUnit.SECONDS);
      if (frame == null) {
        throw new AssertionError("nothing was sent");
      }
      return JsonText.object(frame);
    }

    boolean isClosed() {
      return closed;
    }

    @Override
    public Optional<Event> receive(Duration wait) throws InterruptedException {
      @Nullable Next next =
          closed
              ? new Next(new Closed(1000, ""))
              : events.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
      if (next == null) {
        return Optional.empty();
      }
      if (next.event() == null && clock != null) {
        clock.advance(wait);
      }
      return Optional.ofNullable(next.event());
    }

    @Override
    public void send(String text) throws CallFailedException {
      if (closed) {
        throw new CallFailedException(network());
      }
      Map<String, Object> frame = JsonText.object(text);
      if (JsonText.text(frame, "action").equals("ping") && answersPings) {
        @Nullable String refused = refusal;
        say(
            "{\"seq_reply\":"
                + JsonText.whole(frame, "seq", 0)
                + (refused == null ? ",\"status\":\"OK\",\"data\":{\"text\":\"pong\"}}" : refused));
      }
      sent.add(text); // whoever waits for a ping may count on its answer
    }

    @Override
    public void close(int code, String reason) {
      closed = true;
      events.add(new Next(new Closed(code, reason)));
    }
  }
}
