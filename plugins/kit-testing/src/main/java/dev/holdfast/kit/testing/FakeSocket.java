package dev.holdfast.kit.testing;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A WebSocket that a test feeds. Thread-safe. */
public final class FakeSocket implements PluginSocket {
  private final Request request;
  private final FakeContext clock;
  private final BlockingQueue<Next> events = new LinkedBlockingQueue<>();
  private final List<String> sent = new CopyOnWriteArrayList<>();
  private final BlockingQueue<String> frames = new LinkedBlockingQueue<>();
  private final CountDownLatch served = new CountDownLatch(2);
  private volatile Consumer<Map<String, Object>> onSend = _ -> {};
  private volatile int closedWith;

  /** What a wait for an event ends with; without an event it ends in silence. */
  private record Next(@Nullable Event event) {}

  FakeSocket(Request request, FakeContext clock) {
    this.request = request;
    this.clock = clock;
  }

  /** How it was opened. */
  public Request request() {
    return request;
  }

  /** What is done with each frame that is sent, before it counts as sent. */
  public void onSend(Consumer<Map<String, Object>> job) {
    onSend = job;
  }

  /** Waits until what it began with was read and the next event is waited for. */
  public void awaitServed() throws InterruptedException {
    if (!served.await(10, TimeUnit.SECONDS)) {
      throw new AssertionError("nobody reads the socket");
    }
  }

  public void say(String frame) {
    events.add(new Next(new Text(frame)));
  }

  public void say(Map<String, ?> frame) {
    say(JsonText.write(frame));
  }

  /** It is closed by the other side; 1006: it broke. */
  public void drop(int code) {
    events.add(new Next(new Closed(code, "")));
  }

  /** Lets a wait for the next event end without one; its time passes at once. */
  public void quiet() {
    events.add(new Next(null));
  }

  /** The next frame that was sent; waits for it. */
  public Map<String, Object> takeSent() throws InterruptedException {
    @Nullable String frame = frames.poll(10, TimeUnit.SECONDS);
    if (frame == null) {
      throw new AssertionError("nothing was sent");
    }
    return JsonText.object(frame);
  }

  /** Whether something was sent that was not taken yet. */
  public boolean hasSent() {
    return !frames.isEmpty();
  }

  public List<String> sent() {
    return List.copyOf(sent);
  }

  /** 0 while it is open. */
  public int closedWith() {
    return closedWith;
  }

  @Override
  public Optional<Event> receive(Duration wait) throws InterruptedException {
    served.countDown();
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
    if (next.event() == null) {
      clock.advance(wait);
    }
    return Optional.ofNullable(next.event());
  }

  @Override
  public void send(String text) throws CallFailedException {
    if (closedWith != 0) {
      throw new CallFailedException(FakeSockets.network());
    }
    onSend.accept(JsonText.object(text));
    sent.add(text);
    frames.add(text);
  }

  @Override
  public void close(int code, String reason) {
    if (closedWith == 0) {
      closedWith = code;
      events.add(new Next(new Closed(code, reason)));
    }
  }
}
