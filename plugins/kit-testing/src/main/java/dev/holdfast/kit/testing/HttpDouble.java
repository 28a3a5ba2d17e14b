package dev.holdfast.kit.testing;

import dev.holdfast.kit.JsonText;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A platform with its HTTP API and its WebSockets, on the loopback. It answers as it does, unless a
 * test wants another answer, and keeps what it was asked. Thread-safe.
 */
@SuppressWarnings("this-escape") // nobody knows its address before it is made
public class HttpDouble implements AutoCloseable {
  private static final int BREAKS = 0;
  private static final int HANGS = -1;

  private final Map<String, Queue<Said>> next = Collections.synchronizedMap(new LinkedHashMap<>());
  private final Map<String, Function<Asked, Said>> always =
      Collections.synchronizedMap(new LinkedHashMap<>());
  private final List<Asked> asked = new ArrayList<>();
  private final Function<Asked, Said> usual;
  private final WireServer server = new WireServer(this::handle);

  /**
   * A request.
   *
   * @param path with its query
   * @param headers by lower-case name, of repeated ones the last
   */
  public record Asked(String method, String path, Map<String, String> headers, String body) {
    /** Empty when there is none. */
    public String header(String name) {
      return headers.getOrDefault(name, "");
    }

    public Map<String, String> query() {
      return form(path.replaceFirst("[^?]*\\??", ""));
    }
  }

  /** An answer; there are some that are none. */
  public record Said(int status, Map<String, String> headers, String body) {
    public static Said json(int status, String body) {
      return new Said(status, Map.of("content-type", "application/json"), body);
    }

    /** Breaks the connection after the request was read. */
    public static Said nothing() {
      return new Said(BREAKS, Map.of(), "");
    }

    /** Says nothing until the other side gives up. */
    public static Said never() {
      return new Said(HANGS, Map.of(), "");
    }
  }

  /** {@code usual}: what it answers when no test wants anything else. */
  public HttpDouble(Function<Asked, Said> usual) {
    this.usual = usual;
  }

  /** For one that overrides {@link #usual}. */
  protected HttpDouble() {
    this(_ -> new Said(404, Map.of(), ""));
  }

  /** What requests of the same kind have in common; their script goes by it. */
  protected String call(Asked request) {
    return request.method() + " " + request.path();
  }

  /** Whether a script for that kind of call is one for the request. */
  protected boolean isOf(String call, Asked request) {
    return call(request).equals(call);
  }

  /** What it answers when no test wants anything else. */
  protected Said usual(Asked request) throws InterruptedException {
    return usual.apply(request);
  }

  /**
   * A WebSocket is opened.
   *
   * @return what is told each text that comes by it
   */
  protected Consumer<String> opened(WireSocket socket, Asked handshake) {
    throw new IllegalStateException("no WebSocket here: " + handshake.path());
  }

  /** It was closed, or it broke. */
  protected void closed(WireSocket socket) {}

  /** Its address without a slash at its end. */
  public final String url() {
    return server.url("");
  }

  /** The next calls are answered by these, one each. */
  public final HttpDouble next(String call, Said... said) {
    next.computeIfAbsent(call, _ -> new ConcurrentLinkedQueue<>()).addAll(List.of(said));
    return this;
  }

  public final HttpDouble always(String call, Said said) {
    return always(call, _ -> said);
  }

  public final HttpDouble always(String call, Function<Asked, Said> answers) {
    always.put(call, answers);
    return this;
  }

  /** Forgets what it was asked, and answers as usual again. */
  public void reset() {
    next.clear();
    always.clear();
    synchronized (asked) {
      asked.clear();
    }
  }

  /** In the order of their arrival. */
  public final List<Asked> asked() {
    synchronized (asked) {
      return List.copyOf(asked);
    }
  }

  public final List<Asked> asked(String call) {
    return asked().stream().filter(each -> isOf(call, each)).toList();
  }

  /** What came with these calls, each an object of JSON. */
  public final List<Map<String, Object>> bodies(String call) {
    return asked(call).stream().map(each -> JsonText.object(each.body())).toList();
  }

  private void handle(WireRequest wire, WireExchange exchange) throws Exception {
    Asked request = new Asked(wire.method(), wire.path(), wire.headers(), wire.text());
    if (!wire.header("sec-websocket-key").isEmpty()) {
      serve(wire, request, exchange);
      return;
    }
    synchronized (asked) {
      asked.add(request);
    }
    Said said = answer(request);
    switch (said.status()) {
      case BREAKS -> exchange.cut();
      case HANGS -> exchange.hang(Duration.ofMinutes(2));
      default -> exchange.respond(said.status(), said.headers(), said.body());
    }
  }

  private void serve(WireRequest wire, Asked request, WireExchange exchange) throws IOException {
    WireSocket socket = new WireSocket();
    Consumer<String> heard = opened(socket, request);
    try {
      exchange.serve(wire, socket, heard);
    } finally {
      closed(socket);
    }
  }

  /** The fields of a form. */
  public static Map<String, String> form(String body) {
    Map<String, String> form = new LinkedHashMap<>();
    for (String pair : body.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        form.put(
            URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8),
            URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
      }
    }
    return form;
  }

  /** By the script, else as usual. */
  protected Said answer(Asked request) throws InterruptedException {
    for (Queue<Said> queue : scripts(next, request)) {
      @Nullable Said said = queue.poll();
      if (said != null) {
        return said;
      }
    }
    List<Function<Asked, Said>> wanted = scripts(always, request);
    return wanted.isEmpty() ? usual(request) : wanted.getFirst().apply(request);
  }

  private <S> List<S> scripts(Map<String, S> all, Asked request) {
    synchronized (all) {
      return all.entrySet().stream()
          .filter(script -> isOf(script.getKey(), request))
          .map(Map.Entry::getValue)
          .toList();
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
