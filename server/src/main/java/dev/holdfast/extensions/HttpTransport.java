package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.net.HttpCaller.Limits;
import dev.holdfast.net.HttpCaller.Streamed;
import dev.holdfast.net.HttpFailedException;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * A remote server: each message is a POST of its own, whose answer is a message or a stream of
 * them. What the server says without being asked comes on a stream that is kept open.
 */
final class HttpTransport implements McpTransport {
  private static final Duration SHORT_MAX = Duration.ofSeconds(5);
  private static final Duration LEAVE_MAX = Duration.ofSeconds(2);
  private static final int ERRORS_MAX = 50;
  private static final int ERROR_UNITS_MAX = 500;

  /** Answers and cancellations under way at once: a server that asks too much is not answered. */
  private static final int SIDE_POSTS_MAX = 16;

  private final McpEndpoint endpoint;
  private final int messageBytesMax;
  private final Time time;
  private final Semaphore gate = new Semaphore(1);
  private final InboundQueue inbound = new InboundQueue();
  private final CompletableFuture<Failure> gone = new CompletableFuture<>();
  private final Map<Long, Thread> exchanges = new ConcurrentHashMap<>();
  private final Set<Thread> others = ConcurrentHashMap.newKeySet();
  private final Semaphore sidePosts = new Semaphore(SIDE_POSTS_MAX);
  private final Deque<String> errors = new ArrayDeque<>(); // under its own lock
  private volatile boolean closed;

  HttpTransport(McpEndpoint endpoint, int messageBytesMax, Time time) {
    this.endpoint = endpoint;
    this.messageBytesMax = messageBytesMax;
    this.time = time;
  }

  @Override
  public void send(JsonObject message, Duration timeout, Consumer<Failure> lost)
      throws CallFailedException, InterruptedException {
    Object method = message.getValue("method");
    if ("subscriptions/listen".equals(method)) {
      startOther(listener((_, limits) -> endpoint.post(message, limits)));
    } else if (method != null && message.getValue("id") instanceof Number id) {
      ask(message, id.longValue(), timeout, lost);
    } else if ("notifications/initialized".equals(method)) {
      post(message);
      startOther(listener(endpoint::listen));
    } else if (method == null || endpoint.hasGreeted()) {
      sidePost(message);
    }
    // Else it cancels, for which a server without a session sees that its stream is closed.
  }

  private void ask(JsonObject message, long id, Duration timeout, Consumer<Failure> lost) {
    HttpRequest request =
        new HttpRequest(endpoint, message, timeout, messageBytesMax, gate, inbound, time);
    Thread thread =
        Thread.ofVirtual()
            .name("extension request " + id)
            .unstarted(
                () -> {
                  try {
                    request.run();
                  } catch (CallFailedException e) {
                    failed(e, lost);
                  } catch (InterruptedException _) {
                    Thread.currentThread().interrupt(); // nobody waits for it
                  } finally {
                    exchanges.remove(id);
                  }
                });
    exchanges.put(id, thread);
    thread.start();
    if (closed) {
      thread.interrupt();
    }
  }

  private void failed(CallFailedException failed, Consumer<Failure> lost) {
    Failure failure = failed.failure();
    note(failure);
    boolean isOnly = exchanges.size() <= 1;
    boolean isDown =
        failed instanceof HttpFailedException unsent && unsent.surelyNotSent() && isOnly;
    if (failed instanceof SessionEndedException || isDown) {
      gone.complete(failure);
    }
    lost.accept(failure);
  }

  private void post(JsonObject message) throws CallFailedException, InterruptedException {
    Streamed answer = endpoint.post(message, HttpAnswers.limits(SHORT_MAX, messageBytesMax));
    answer.body().release();
    if (!HttpAnswers.isAccepted(answer)) {
      throw HttpAnswers.refusal(answer, !endpoint.session().isEmpty(), time.now());
    }
  }

  private void sidePost(JsonObject message) {
    if (!sidePosts.tryAcquire()) {
      note(Failure.of(FailureCode.OVERLOADED, "asks for more than is answered at once"));
      return;
    }
    startOther(
        () -> {
          try {
            post(message);
          } catch (CallFailedException e) {
            note(e.failure());
          } finally {
            sidePosts.release();
          }
        });
  }

  private NotificationStream listener(NotificationStream.Opening opening) {
    return new NotificationStream(opening, messageBytesMax, inbound, time);
  }

  /** Work besides requests, ended with the transport. */
  @FunctionalInterface
  interface Work {
    void run() throws InterruptedException;
  }

  private void startOther(Work work) {
    Thread thread =
        Thread.ofVirtual()
            .name("extension connection")
            .unstarted(
                () -> {
                  try {
                    work.run();
                  } catch (InterruptedException _) {
                    Thread.currentThread().interrupt(); // it was closed
                  } finally {
                    others.remove(Thread.currentThread());
                  }
                });
    others.add(thread);
    thread.start();
    if (closed) {
      thread.interrupt();
    }
  }

  private void note(Failure failure) {
    String line = Texts.cut(time.now() + " " + failure.summary(), ERROR_UNITS_MAX);
    synchronized (errors) {
      errors.addLast(line);
      if (errors.size() > ERRORS_MAX) {
        errors.removeFirst();
      }
    }
  }

  @Override
  public void forget(long request) {
    Thread exchange = exchanges.get(request);
    if (exchange != null) {
      exchange.interrupt();
    }
  }

  @Override
  public void agreed(String version) {
    endpoint.agreed(version);
  }

  @Override
  public Optional<Inbound> read(Duration timeout) throws CallFailedException, InterruptedException {
    return inbound.take(timeout);
  }

  @Override
  public CompletableFuture<Failure> gone() {
    return gone.copy();
  }

  @Override
  public List<String> errors() {
    synchronized (errors) {
      return List.copyOf(errors);
    }
  }

  @Override
  public long memory() {
    return 0;
  }

  /** It sees none of this machine's files. */
  @Override
  public List<Long> processes() {
    return List.of();
  }

  @Override
  public boolean isStopped() {
    return false;
  }

  @Override
  public boolean hidesSecrets() {
    return true;
  }

  @Override
  public void end() {
    closed = true;
    exchanges.values().forEach(Thread::interrupt);
    others.forEach(Thread::interrupt);
    inbound.close();
  }

  @Override
  public void close() {
    end();
    if (endpoint.session().isEmpty() || gone.isDone()) {
      return;
    }
    try {
      endpoint.delete(new Limits(LEAVE_MAX, LEAVE_MAX, LEAVE_MAX, LEAVE_MAX, messageBytesMax));
    } catch (HttpFailedException e) {
      note(e.failure());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
