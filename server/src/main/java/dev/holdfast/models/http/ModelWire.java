package dev.holdfast.models.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.net.BodyFailedException;
import dev.holdfast.net.EventReader;
import dev.holdfast.net.EventReader.Event;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.net.HttpFailedException;
import dev.holdfast.time.Time;
import dev.langchain4j.exception.HttpException;
import dev.langchain4j.http.client.HttpClient;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.http.client.HttpRequest;
import dev.langchain4j.http.client.SuccessfulHttpResponse;
import dev.langchain4j.http.client.sse.ServerSentEvent;
import dev.langchain4j.http.client.sse.ServerSentEventContext;
import dev.langchain4j.http.client.sse.ServerSentEventListener;
import dev.langchain4j.http.client.sse.ServerSentEventParser;
import dev.langchain4j.http.client.sse.ServerSentEventParsingHandle;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The transport under one call of a LangChain4j model. It streams on the calling thread, so that an
 * interrupt ends it, and keeps the failure as ours: LangChain4j's own errors have lost the headers.
 * One object a call.
 */
public final class ModelWire implements HttpClient {
  private static final int EVENT_BYTES_MAX = 8 * 1024 * 1024;
  private static final int ERROR_BYTES_MAX = 64 * 1024;
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * What a wire needs to know of its provider.
   *
   * @param secret cut out of every text of an error
   * @param jsonLines whether a stream is one JSON object a line, not server-sent events
   */
  public record Shape(String provider, String secret, boolean jsonLines) {}

  private final HttpCaller http;
  private final HttpCaller.Limits limits;
  private final Time time;
  private final Shape shape;
  private final ProviderErrors errors;
  private StreamWatch watch = new Ignoring();
  private Runnable sign = () -> {};
  private Runnable work = () -> {};
  private Consumer<ObjectNode> edit = _ -> {};
  private @Nullable Failure failure;
  private boolean interrupted;
  private boolean cancelled;

  public ModelWire(HttpCaller http, HttpCaller.Limits limits, Time time, Shape shape) {
    this.http = http;
    this.limits = limits;
    this.time = time;
    this.shape = shape;
    this.errors = new ProviderErrors(shape.provider(), shape.secret());
  }

  /** Sees every event. */
  public ModelWire watchedBy(StreamWatch eyes) {
    watch = eyes;
    return this;
  }

  /** Told of all that comes, pings too. */
  public ModelWire tells(Runnable progress) {
    sign = progress;
    return this;
  }

  /** Told of all that the model itself says. */
  public ModelWire tellsOfWork(Runnable progress) {
    work = progress;
    return this;
  }

  /** Changes the request before it goes out. */
  public ModelWire edits(Consumer<ObjectNode> change) {
    edit = change;
    return this;
  }

  /** The way in which LangChain4j takes it. Its timeouts are ours already. */
  public HttpClientBuilder builder() {
    return new WireBuilder(this);
  }

  /** Ends the stream after the event that is being handled. */
  public void cancel() {
    cancelled = true;
  }

  /** What went wrong, if anything did; a cut stream among it. */
  public Optional<Failure> failure() {
    return Optional.ofNullable(failure);
  }

  /**
   * @throws InterruptedException when the call was interrupted
   */
  public void check() throws InterruptedException {
    if (interrupted) {
      throw new InterruptedException();
    }
  }

  /** Not streamed. */
  @Override
  public SuccessfulHttpResponse execute(HttpRequest request) {
    try {
      HttpCaller.Response answer = http.send(converted(request), limits);
      String body = new String(answer.body(), StandardCharsets.UTF_8);
      if (answer.status() / 100 != 2) {
        failure = errors.ofAnswer(answer.status(), answer.headers(), body, time.now());
        throw new HttpException(answer.status(), failure.message());
      }
      return opened(answer.status(), answer.headers(), body);
    } catch (HttpFailedException e) {
      failure = e.failure();
      throw new UncheckedIOException(new IOException(e));
    } catch (InterruptedException e) {
      interrupted = true;
      throw new UncheckedIOException(new InterruptedIOException("interrupted"));
    }
  }

  /**
   * Streams on the calling thread. The parser is not asked: ours has limits and never swallows an
   * error.
   */
  @Override
  public void execute(
      HttpRequest request, ServerSentEventParser parser, ServerSentEventListener listener) {
    try {
      HttpCaller.Streamed answer = http.stream(converted(request), limits);
      try (var body = answer.body()) {
        read(answer, listener);
        if (failure == null && !cancelled) {
          body.release();
        }
      }
    } catch (HttpFailedException e) {
      failure = e.failure();
    } catch (InterruptedException _) {
      interrupted = true;
    } catch (CallFailedException e) {
      failure = e.failure();
    }
  }

  private void read(HttpCaller.Streamed answer, ServerSentEventListener listener)
      throws CallFailedException, InterruptedException {
    try {
      Optional<Failure> refused = refusal(answer);
      if (refused.isPresent()) {
        throw new CallFailedException(refused.get());
      }
      Source events = isStream(answer) ? stream(answer) : whole(answer);
      listener.onOpen(opened(answer.status(), answer.headers(), ""));
      pass(events, listener, new ServerSentEventContext(new Handle()));
    } catch (InterruptedIOException _) {
      // The interrupt travels on as an exception; left set, it would end the next call as well.
      Thread.interrupted();
      throw new InterruptedException();
    } catch (BodyFailedException e) {
      // A whole answer stays one when only the farewell is lost.
      if (!watch.isFinished()) {
        throw e.failure();
      }
    } catch (IOException e) {
      throw garbage(String.valueOf(e.getMessage()), FailureKind.INVALID);
    }
    if (cancelled) {
      return;
    }
    if (!watch.isFinished()) {
      throw new CallFailedException(
          Failure.of(FailureCode.NETWORK, shape.provider() + " cut its answer off before the end"));
    }
    tell(listener::onClose);
  }

  /**
   * What LangChain4j throws over an event is the provider's doing: it sent a shape that nobody
   * knows.
   */
  private void tell(Runnable event) throws CallFailedException {
    try {
      event.run();
    } catch (RuntimeException e) {
      throw garbage(
          "an event of an unknown shape (" + e.getClass().getSimpleName() + ")",
          FailureKind.TRANSIENT);
    }
  }

  private void pass(Source events, ServerSentEventListener listener, ServerSentEventContext context)
      throws IOException, CallFailedException {
    for (Event event = events.next(); event != null; event = events.next()) {
      if (event.data().strip().equals("[DONE]")) {
        return;
      }
      JsonNode data = look(event);
      String name = event.name().isEmpty() ? null : event.name();
      String readable = watch.readable(data, event.data());
      if (!readable.isEmpty()) {
        tell(() -> listener.onEvent(new ServerSentEvent(name, readable), context));
      }
      if (cancelled || watch.isLast()) {
        return;
      }
    }
  }

  private JsonNode look(Event event) throws CallFailedException {
    JsonNode data;
    try {
      data = JSON.readTree(event.data());
    } catch (JsonProcessingException _) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.NETWORK, shape.provider() + " sent an event that is not whole JSON"));
    }
    Optional<Failure> error = errors.in(data);
    if (error.isPresent()) {
      throw new CallFailedException(error.get());
    }
    watch.see(event.name(), data);
    if (watch.isWork(event.name(), data)) {
      work.run();
    }
    return data;
  }

  /** Why this answer holds no stream, if it does not. */
  private Optional<Failure> refusal(HttpCaller.Streamed answer) throws IOException {
    if (answer.status() / 100 != 2) {
      String body = text(answer);
      return Optional.of(errors.ofAnswer(answer.status(), answer.headers(), body, time.now()));
    }
    String coding =
        ResponseHeaders.first(answer.headers(), "content-encoding").toLowerCase(Locale.ROOT);
    return coding.isEmpty() || coding.equals("identity")
        ? Optional.empty()
        : Optional.of(
            garbage("compressed data that nobody asked for", FailureKind.TRANSIENT).failure());
  }

  private boolean isStream(HttpCaller.Streamed answer) {
    String type = type(answer);
    return type.isEmpty()
        || type.contains("event-stream")
        || (shape.jsonLines() && type.contains("json"));
  }

  private Source stream(HttpCaller.Streamed answer) {
    return new EventReader(answer.body(), shape.jsonLines(), EVENT_BYTES_MAX).tells(sign)::next;
  }

  /** Some servers answer in one body whatever they are asked. */
  private Source whole(HttpCaller.Streamed answer) throws IOException, CallFailedException {
    String type = type(answer);
    if (!type.contains("json")) {
      String plain = ErrorText.clean(type, shape.secret());
      throw garbage(plain + " instead of a stream", FailureKind.TRANSIENT);
    }
    byte[] bytes = answer.body().readNBytes(EVENT_BYTES_MAX + 1);
    if (bytes.length > EVENT_BYTES_MAX) {
      throw garbage("an answer longer than " + EVENT_BYTES_MAX + " bytes", FailureKind.INVALID);
    }
    JsonNode body;
    try {
      body = JSON.readTree(bytes);
    } catch (JsonProcessingException _) {
      throw garbage("broken JSON", FailureKind.TRANSIENT);
    }
    Optional<Failure> error = errors.in(body);
    if (error.isPresent()) {
      throw new CallFailedException(error.get());
    }
    Iterator<JsonNode> events = watch.events(body).iterator();
    if (!events.hasNext()) {
      throw garbage("JSON that is no answer", FailureKind.TRANSIENT);
    }
    return () -> events.hasNext() ? event(events.next()) : null;
  }

  private static Event event(JsonNode data) {
    return new Event(data.path("type").asText(""), data.toString());
  }

  private static String type(HttpCaller.Streamed answer) {
    return ResponseHeaders.first(answer.headers(), "content-type").toLowerCase(Locale.ROOT);
  }

  private CallFailedException garbage(String what, FailureKind kind) {
    return new CallFailedException(
        Failure.of(FailureCode.BACKEND_FAILURE, shape.provider() + " sent " + what).as(kind));
  }

  private static String text(HttpCaller.Streamed answer) throws IOException {
    try {
      return new String(answer.body().readNBytes(ERROR_BYTES_MAX), StandardCharsets.UTF_8);
    } catch (BodyFailedException _) {
      // The status alone says what happened.
      return "";
    }
  }

  private HttpCaller.Request converted(HttpRequest request) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    request.headers().forEach((name, values) -> headers.put(name, String.join(", ", values)));
    headers.put("user-agent", "holdfast");
    byte[] body = request.body() == null ? new byte[0] : edited(request.body());
    return new HttpCaller.Request(request.method().name(), request.url(), headers, body);
  }

  private byte[] edited(String body) {
    try {
      if (JSON.readTree(body) instanceof ObjectNode object) {
        edit.accept(object);
        return JSON.writeValueAsBytes(object);
      }
      return body.getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("LangChain4j made a request that is not JSON", e);
    }
  }

  private static SuccessfulHttpResponse opened(
      int status, Map<String, List<String>> headers, String body) {
    return SuccessfulHttpResponse.builder().statusCode(status).headers(headers).body(body).build();
  }

  /** Where events come from; null at their end. */
  private interface Source {
    @Nullable Event next() throws IOException;
  }

  private final class Handle implements ServerSentEventParsingHandle {
    @Override
    public void cancel() {
      cancelled = true;
    }

    @Override
    public boolean isCancelled() {
      return cancelled;
    }
  }

  private static final class Ignoring extends StreamWatch {
    @Override
    public void see(String name, JsonNode data) {}
  }
}
