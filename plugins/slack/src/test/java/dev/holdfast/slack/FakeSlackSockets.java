package dev.holdfast.slack;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.PlainHttp;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client whose sockets a test feeds. Thread-safe. */
final class FakeSlackSockets implements PluginHttp {
  private final PlainHttp http = new PlainHttp();
  private final BlockingQueue<FakeSlackSocket> connected = new LinkedBlockingQueue<>();
  private volatile String first = "{\"type\":\"hello\",\"num_connections\":1}";
  private volatile boolean refuses;
  private volatile @Nullable FakeContext clock;

  void clock(FakeContext context) {
    clock = context;
  }

  /** What a socket says first. */
  void beginWith(String frame) {
    first = frame;
  }

  void refuse(boolean whether) {
    refuses = whether;
  }

  /** The next socket that was opened; waits for it. */
  FakeSlackSocket take() throws InterruptedException {
    @Nullable FakeSlackSocket socket = connected.poll(10, TimeUnit.SECONDS);
    if (socket == null) {
      throw new AssertionError("no socket was opened");
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
    FakeSlackSocket socket = new FakeSlackSocket(clock);
    socket.say(first);
    connected.add(socket);
    return socket;
  }

  /** One socket. */
  static final class FakeSlackSocket implements PluginSocket {
    private final @Nullable FakeContext clock;
    private final BlockingQueue<Next> events = new LinkedBlockingQueue<>();

    /** What a wait for an event ends with; without an event it ends in silence. */
    private record Next(@Nullable Event event) {}

    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final BlockingQueue<String> acks = new LinkedBlockingQueue<>();
    private final CountDownLatch served = new CountDownLatch(2); // its hello, and what comes then
    private volatile boolean closed;

    private FakeSlackSocket(@Nullable FakeContext clock) {
      this.clock = clock;
    }

    /** Waits until its hello was read and the next event is waited for. */
    void awaitServed() throws InterruptedException {
      if (!served.await(10, TimeUnit.SECONDS)) {
        throw new AssertionError("nobody reads the socket");
      }
    }

    void say(String frame) {
      events.add(new Next(new Text(frame)));
    }

    void drop() {
      events.add(new Next(new Closed(1006, "broken")));
    }

    /** Lets a wait for the next event end without one; its time passes at once. */
    void quiet() {
      events.add(new Next(null));
    }

    /** The next frame that was sent; waits for it. */
    String takeSent() throws InterruptedException {
      @Nullable String frame = acks.poll(10, TimeUnit.SECONDS);
      if (frame == null) {
        throw new AssertionError("nothing was sent");
      }
      return frame;
    }

    List<String> sent() {
      return List.copyOf(sent);
    }

    boolean isClosed() {
      return closed;
    }

    @Override
    public Optional<Event> receive(Duration wait) throws InterruptedException {
      served.countDown();
      if (closed) {
        return Optional.of(new Closed(1000, ""));
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
      if (closed) {
        throw new CallFailedException(Failure.of(FailureCode.NETWORK, "it is closed"));
      }
      sent.add(text);
      acks.add(text);
    }

    @Override
    public void close(int code, String reason) {
      closed = true;
      events.add(new Next(new Closed(code, reason)));
    }
  }
}
