package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.PlainHttp;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client whose connections to the Gateway a test feeds. Thread-safe. */
final class FakeDiscordSockets implements PluginHttp {
  static final String HELLO = "{\"op\":10,\"d\":{\"heartbeat_interval\":41250}}";

  private final PlainHttp http = new PlainHttp();
  private final BlockingQueue<FakeGatewaySocket> connected = new LinkedBlockingQueue<>();
  private volatile boolean refuses;
  private volatile String first = HELLO;
  private volatile @Nullable FakeContext clock;

  void clock(FakeContext context) {
    clock = context;
  }

  /** What connections begin with from now on. */
  void begin(String frame) {
    first = frame;
  }

  void refuse(boolean whether) {
    refuses = whether;
  }

  /** The next connection that was opened, after its hello; waits for it. */
  FakeGatewaySocket take() throws InterruptedException {
    @Nullable FakeGatewaySocket socket = connected.poll(10, TimeUnit.SECONDS);
    if (socket == null) {
      throw new AssertionError("no connection was opened");
    }
    return socket;
  }

  boolean hasMore() {
    return !connected.isEmpty();
  }

  @Override
  public Answer send(Request request) throws CallFailedException, InterruptedException {
    return http.send(request);
  }

  @Override
  public PluginSocket connect(PluginSocket.Request request) throws CallFailedException {
    if (refuses) {
      throw new CallFailedException(Failure.of(FailureCode.NETWORK, "refused").unsent());
    }
    FakeGatewaySocket socket = new FakeGatewaySocket(request.url(), clock);
    socket.say(first);
    connected.add(socket);
    return socket;
  }

  /** One connection. */
  static final class FakeGatewaySocket implements PluginSocket {
    private final String url;
    private final @Nullable FakeContext clock;
    private final BlockingQueue<Next> events = new LinkedBlockingQueue<>();

    /** What a wait for an event ends with; without an event it ends in silence. */
    private record Next(@Nullable Event event) {}

    private final List<Map<String, Object>> sent = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Map<String, Object>> frames = new LinkedBlockingQueue<>();
    private volatile int closedWith;

    private FakeGatewaySocket(String url, @Nullable FakeContext clock) {
      this.url = url;
      this.clock = clock;
    }

    String url() {
      return url;
    }

    void say(String frame) {
      events.add(new Next(new Text(frame)));
    }

    void dispatch(long seq, String type, Map<String, ?> data) {
      Map<String, Object> frame = new LinkedHashMap<>();
      frame.put("op", 0);
      frame.put("s", seq);
      frame.put("t", type);
      frame.put("d", data);
      say(JsonText.write(frame));
    }

    void ready(String session) {
      dispatch(
          1, "READY", Map.of("session_id", session, "resume_gateway_url", "wss://resume.example/"));
    }

    void ack() {
      say("{\"op\":11}");
    }

    void drop(int code) {
      events.add(new Next(new Closed(code, "")));
    }

    /** Lets a wait for the next event end without one; its time passes at once. */
    void quiet() {
      events.add(new Next(null));
    }

    /** The next frame that was sent; waits for it. */
    Map<String, Object> takeSent() throws InterruptedException {
      @Nullable Map<String, Object> frame = frames.poll(10, TimeUnit.SECONDS);
      if (frame == null) {
        throw new AssertionError("nothing was sent");
      }
      return frame;
    }

    boolean hasSent() {
      return !frames.isEmpty();
    }

    /** 0 while it is open. */
    int closedWith() {
      return closedWith;
    }

    @Override
    public Optional<Event> receive(Duration wait) throws InterruptedException {
      if (closedWith != 0) {
        return Optional.of(new Closed(closedWith, ""));
      }
      @Nullable Next head = events.peek();
      if (wait.isZero() && head != null && head.event() == null) {
        return Optional.empty(); // there is something else to do first
      }
      @Nullable Next next = events.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
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
      if (closedWith != 0) {
        throw new CallFailedException(Failure.of(FailureCode.NETWORK, "it is closed"));
      }
      Map<String, Object> frame = JsonText.object(text);
      sent.add(frame);
      frames.add(frame);
    }

    List<Map<String, Object>> sent() {
      return List.copyOf(sent);
    }

    @Override
    public void close(int code, String reason) {
      if (closedWith == 0) {
        closedWith = code;
        events.add(new Next(new Closed(code, reason)));
      }
    }
  }
}
