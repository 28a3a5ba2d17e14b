package dev.holdfast.kit.testing;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.PluginSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A client whose WebSockets a test feeds. Thread-safe. */
public final class FakeSockets implements PluginHttp {
  private final PlainHttp http = new PlainHttp();
  private final FakeContext clock = new FakeContext(this);
  private final BlockingQueue<FakeSocket> connected = new LinkedBlockingQueue<>();
  private volatile Consumer<FakeSocket> onOpen;
  private volatile @Nullable Failure refusal;

  public FakeSockets(Consumer<FakeSocket> onOpen) {
    this.onOpen = onOpen;
  }

  /** Of a plugin that has this client; waits of its sockets move its clock. */
  public FakeContext context() {
    return clock;
  }

  /** What is done to sockets that are opened from now on. */
  public void onOpen(Consumer<FakeSocket> job) {
    onOpen = job;
  }

  public static Failure network() {
    return Failure.of(FailureCode.NETWORK, "refused").unsent();
  }

  /** Fails connections from now on; null ends that. */
  public void refuse(@Nullable Failure failure) {
    refusal = failure;
  }

  /** The next socket that was opened; waits for it. */
  public FakeSocket take() throws InterruptedException {
    @Nullable FakeSocket socket = connected.poll(10, TimeUnit.SECONDS);
    if (socket == null) {
      throw new AssertionError("no socket was opened");
    }
    return socket;
  }

  public boolean hasMore() {
    return !connected.isEmpty();
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
    FakeSocket socket = new FakeSocket(request, clock);
    onOpen.accept(socket);
    connected.add(socket);
    return socket;
  }
}
