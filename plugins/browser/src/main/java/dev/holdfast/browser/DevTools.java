package dev.holdfast.browser;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.kit.JsonText;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The Chrome DevTools Protocol over two pipes: each message is one JSON object that ends with a
 * zero byte. No port is open, and a browser whose pipe is closed ends. Thread-safe.
 */
final class DevTools implements AutoCloseable {
  /** No command of the browser takes longer. */
  static final Duration COMMAND_MAX = Duration.ofSeconds(15);

  /** A picture of the visible part has some 6 MB at most. */
  private static final int MESSAGE_BYTES_MAX = 8 << 20;

  /** How an answer begins. */
  private static final Pattern ID = Pattern.compile("\\{\"id\":([0-9]{1,18}),");

  private final InputStream in;
  private final OutputStream out;
  private final Events events;
  private final AtomicLong ids = new AtomicLong();
  private final Map<Long, Waiting> open = new ConcurrentHashMap<>();
  private final Set<String> crashed = ConcurrentHashMap.newKeySet();

  /** A browser that is stuck reads nothing, and whoever writes to it blocks: nobody else may. */
  private final ExecutorService sender =
      Executors.newSingleThreadExecutor(Thread.ofVirtual().name("chromium-send").factory());

  private volatile Failure end = Failure.of(FailureCode.IO, "the browser has ended");
  private volatile boolean ended;

  private record Waiting(String session, CompletableFuture<Map<String, Object>> answer) {
    void fail() {
      answer.completeExceptionally(new IOException("ended"));
    }
  }

  /** Hears what the browser says unasked; must not block. */
  @FunctionalInterface
  interface Events {
    void happened(String session, String method);
  }

  DevTools(InputStream in, OutputStream out, Events events) {
    this.in = new BufferedInputStream(in, 1 << 16);
    this.out = out;
    this.events = events;
  }

  /** Reads until the browser ends. Blocks. */
  void read() {
    try {
      while (true) {
        next();
      }
    } catch (IOException _) {
      // It has ended, or speaks another language: either way it cannot be used any more.
    } finally {
      close();
    }
  }

  private void next() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    boolean isWhole = true;
    for (int next = in.read(); next != 0; next = in.read()) {
      if (next < 0) {
        throw new IOException("there is no whole message");
      }
      isWhole &= bytes.size() < MESSAGE_BYTES_MAX;
      if (isWhole) {
        bytes.write(next);
      }
    }
    String text = bytes.toString(StandardCharsets.UTF_8);
    try {
      if (isWhole) {
        take(JsonText.object(text));
        return;
      }
    } catch (IllegalArgumentException _) {
      // It has too many values, or is no JSON.
    }
    leaveOut(text);
  }

  /** A page decides how large what it says is: that must not end the pages of others. */
  private void leaveOut(String text) throws IOException {
    if (!text.startsWith("{")) {
      throw new IOException("it speaks another language");
    }
    Matcher id = ID.matcher(text);
    Waiting waiting = id.lookingAt() ? open.remove(Long.parseLong(id.group(1))) : null;
    if (waiting != null) {
      waiting.answer().complete(Map.of("error", Map.of("message", "its answer is too large")));
    }
  }

  private void take(Map<String, Object> message) {
    double id = JsonText.number(message, "id", -1);
    if (id < 0) {
      events.happened(JsonText.text(message, "sessionId"), JsonText.text(message, "method"));
      return;
    }
    Waiting waiting = open.remove((long) id);
    if (waiting != null) {
      waiting.answer().complete(message);
    }
  }

  /**
   * One command. Blocks until it is answered.
   *
   * @param session of the page; empty for the browser itself
   * @return the result
   * @throws CallFailedException TIMEOUT after 15 s, BACKEND_FAILURE when the browser refuses or the
   *     page has crashed, IO when the browser has ended, or as {@link #end} was told
   */
  Map<String, Object> call(String session, String method, Map<String, ?> parameters)
      throws CallFailedException, InterruptedException {
    return call(session, method, parameters, COMMAND_MAX);
  }

  /** As the other one, with another limit. */
  Map<String, Object> call(String session, String method, Map<String, ?> parameters, Duration limit)
      throws CallFailedException, InterruptedException {
    long id = ids.incrementAndGet();
    CompletableFuture<Map<String, Object>> answer = new CompletableFuture<>();
    open.put(id, new Waiting(session, answer));
    try {
      send(id, session, method, parameters);
      if (!isOpen(session)) {
        throw gone(session);
      }
      Map<String, Object> message = answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (message.containsKey("error")) {
        throw new CallFailedException(
            Failure.of(
                FailureCode.BACKEND_FAILURE,
                "the browser refused: "
                    + JsonText.text(JsonText.map(message, "error"), "message")));
      }
      return JsonText.map(message, "result");
    } catch (TimeoutException e) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.TIMEOUT,
              (session.isEmpty() ? "the browser" : "the page")
                  + " did not react within "
                  + limit.toSeconds()
                  + " s"),
          e);
    } catch (ExecutionException e) {
      throw gone(session);
    } finally {
      open.remove(id);
    }
  }

  /** Says something and waits for no answer. */
  void tell(String session, String method, Map<String, ?> parameters) {
    send(ids.incrementAndGet(), session, method, parameters);
  }

  private void send(long id, String session, String method, Map<String, ?> parameters) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("id", id);
    message.put("method", method);
    message.put("params", parameters);
    if (!session.isEmpty()) {
      message.put("sessionId", session);
    }
    byte[] bytes = (JsonText.write(message) + '\0').getBytes(StandardCharsets.UTF_8);
    later(() -> write(bytes));
  }

  private void later(Runnable step) {
    try {
      sender.execute(step);
    } catch (RejectedExecutionException _) {
      // It has ended, which the caller sees.
    }
  }

  private void write(byte[] bytes) {
    try {
      out.write(bytes);
      out.flush();
    } catch (IOException _) {
      close();
    }
  }

  boolean isOpen() {
    return !ended;
  }

  /** Whether the page of that session can be used. */
  boolean isOpen(String session) {
    return !ended && !crashed.contains(session);
  }

  /** The process of that page has ended: its commands fail at once. */
  void crashed(String session) {
    crashed.add(session);
    open.values().stream()
        .filter(waiting -> waiting.session().equals(session))
        .forEach(Waiting::fail);
  }

  /** As {@link #close}; {@code why}: how its commands fail. */
  void end(Failure why) {
    end = why;
    close();
  }

  private CallFailedException gone(String session) {
    return new CallFailedException(
        crashed.contains(session)
            ? Failure.of(
                    FailureCode.BACKEND_FAILURE,
                    "the page has crashed, for want of memory perhaps: navigate again")
                .as(FailureKind.INVALID)
            : end);
  }

  /** Does not block. */
  @Override
  public void close() {
    ended = true;
    open.values().forEach(Waiting::fail);
    later(this::closePipe);
    sender.shutdown();
  }

  private void closePipe() {
    try {
      out.close();
    } catch (IOException _) {
      // It is closed already at the other end.
    }
  }
}
