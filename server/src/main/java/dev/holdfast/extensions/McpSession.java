package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JSON-RPC with one child: requests go out and find their answers, whatever else comes is answered,
 * counted or dropped. It ends with the child, or when the child writes too much that is not
 * JSON-RPC; what waits then fails at once. Thread-safe.
 */
final class McpSession implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(McpSession.class);
  private static final Duration READ_SLICE = Duration.ofMinutes(1);

  /** What is not a request's own deadline: answers to the child, cancellations, notifications. */
  private static final Duration SHORT_WRITE = Duration.ofSeconds(1);

  /** So many lines in a row without a message in them are a flood. */
  static final int BAD_LINES_MAX = 1000;

  /** Of an error, and of words of progress, which are for people. */
  private static final int SHOWN_UNITS_MAX = 200;

  private static final int METHOD_NOT_FOUND = -32601;

  private final String name;
  private final McpTransport transport;
  private final UnaryOperator<String> redaction;
  private final Runnable listsChanged;
  private final Map<Long, Pending> pending = new ConcurrentHashMap<>();
  private final AtomicLong ids = new AtomicLong();
  private final AtomicLong strays = new AtomicLong();
  private final AtomicLong lines = new AtomicLong();
  private final Elicitations elicitations = new Elicitations(this::askable, this::respond);
  private final CompletableFuture<Failure> end = new CompletableFuture<>();

  /** What was wrong with the last line that was no message; empty when none was. */
  private volatile String problem = "";

  /**
   * A request that is under way.
   *
   * @param isList of its answer what can be read is better than nothing
   */
  private record Pending(AwaitedAnswer answer, Consumer<String> progress, boolean isList) {}

  /**
   * @param name of the extension, for the log
   * @param redaction frees a text of secrets: the child knows some and may say them anywhere
   * @param listsChanged is run when the child says that its lists have changed, on the thread that
   *     reads: it returns at once
   */
  McpSession(
      String name, McpTransport transport, UnaryOperator<String> redaction, Runnable listsChanged) {
    this.name = name;
    this.transport = transport;
    this.redaction = redaction;
    this.listsChanged = listsChanged;
  }

  /** Begins to read. */
  void start() {
    CompletableFuture<Void> _ = transport.gone().thenAccept(this::endWith);
    Thread.ofVirtual().name("extension " + name + " reader").start(this::read);
  }

  String name() {
    return name;
  }

  /** Completes with the reason when no request can succeed any more. */
  CompletableFuture<Failure> end() {
    return end.copy();
  }

  /** How many messages came that answer nothing, and lines that hold none. */
  long strays() {
    return strays.get();
  }

  /** What was wrong with the last of them that was no message; empty when each was one. */
  String problem() {
    return problem;
  }

  /** How many messages came at all: a sign of life. */
  long messages() {
    return lines.get();
  }

  long memory() {
    return transport.memory();
  }

  List<Long> processes() {
    return transport.processes();
  }

  boolean isStopped() {
    return transport.isStopped();
  }

  /** False when files of secrets have come into the child's view since it was started. */
  boolean hidesSecrets() {
    return transport.hidesSecrets();
  }

  List<String> errors() {
    return transport.errors();
  }

  /**
   * Sends a request and waits for its answer. An interrupt, and a timeout, tell the child that the
   * answer is no longer wanted; one that comes all the same is dropped.
   *
   * @param progress hears what the child says about how far it is
   * @throws CallFailedException TRANSIENT when the child is gone or silent; INVALID with {@link
   *     ExtensionTool#REPORTED_BY_EXTENSION} in its context when it answered with an error
   */
  JsonObject request(
      String method, JsonObject parameters, Duration timeout, Consumer<String> progress)
      throws CallFailedException, InterruptedException {
    return request(method, parameters, timeout, progress, McpInputs.NONE);
  }

  /**
   * As the other one.
   *
   * @param timeout without the time in which a person is asked
   * @param inputs answers what the server asks meanwhile
   */
  JsonObject request(
      String method,
      JsonObject parameters,
      Duration timeout,
      Consumer<String> progress,
      McpInputs inputs)
      throws CallFailedException, InterruptedException {
    long id = ids.incrementAndGet();
    JsonObject request =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", id)
            .put("method", method)
            .put("params", parameters.copy());
    JsonObject meta = request.getJsonObject("params").getJsonObject("_meta", new JsonObject());
    request.getJsonObject("params").put("_meta", meta.put("progressToken", id));
    Pending waiting = new Pending(new AwaitedAnswer(inputs), progress, method.endsWith("/list"));
    pending.put(id, waiting);
    try {
      Failure over = end.getNow(null);
      if (over != null) {
        throw new CallFailedException(over.unsent());
      }
      send(request, timeout, failure -> fail(waiting, named(failure)));
      return waiting.answer().get(timeout);
    } catch (TimeoutException e) {
      cancel(id, method, "timeout");
      long seconds = Math.ceilDiv(timeout.toMillis(), 1000); // a part of it may be spent already
      String text = name + " did not answer within " + seconds + " s.";
      throw new CallFailedException(Failure.of(FailureCode.TIMEOUT, text));
    } catch (InterruptedException e) {
      cancel(id, method, "cancelled");
      throw e;
    } finally {
      pending.remove(id);
      transport.forget(id);
    }
  }

  private void send(JsonObject request, Duration timeout, Consumer<Failure> lost)
      throws CallFailedException, InterruptedException {
    try {
      transport.send(request, timeout, lost);
    } catch (CallFailedException e) {
      throw new CallFailedException(e.failure().unsent(), e);
    }
  }

  /** Sends a request that is answered by notifications, if at all. */
  void subscribe(String method, JsonObject parameters)
      throws CallFailedException, InterruptedException {
    JsonObject request =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", ids.incrementAndGet())
            .put("method", method)
            .put("params", parameters);
    write(request, SHORT_WRITE);
  }

  void notify(String method, JsonObject parameters)
      throws CallFailedException, InterruptedException {
    write(
        new JsonObject().put("jsonrpc", "2.0").put("method", method).put("params", parameters),
        SHORT_WRITE);
  }

  private void write(JsonObject message, Duration timeout)
      throws CallFailedException, InterruptedException {
    transport.send(message, timeout, _ -> {});
  }

  /** What both sides have agreed to speak. */
  void agreed(String version) {
    transport.agreed(version);
  }

  private Failure named(Failure failure) {
    return new Failure(
        failure.kind(),
        failure.code(),
        "Extension " + name + ": " + failure.message(),
        failure.retryAfter(),
        failure.context());
  }

  private void cancel(long id, String method, String reason) throws InterruptedException {
    if (method.equals("initialize")) {
      return; // the protocol allows no cancelling of that
    }
    try {
      notify(
          "notifications/cancelled", new JsonObject().put("requestId", id).put("reason", reason));
    } catch (CallFailedException e) {
      LOG.debug("extension {}: was not told that {} is cancelled", name, method);
    }
  }

  private void read() {
    Failure why = Failure.of(FailureCode.BACKEND_FAILURE, "closed its output");
    try {
      int bad = 0;
      while (bad < BAD_LINES_MAX) {
        Optional<Inbound> came = transport.read(READ_SLICE);
        if (came.isPresent()) {
          bad = take(came.get()) ? 0 : bad + 1;
        }
      }
      why =
          Failure.of(
              FailureCode.BACKEND_FAILURE,
              "wrote more than " + BAD_LINES_MAX + " lines that are no messages");
    } catch (CallFailedException e) {
      why = e.failure().code() == FailureCode.IO ? why : e.failure();
    } catch (InterruptedException _) {
      why = stopped();
    } finally {
      endWith(why);
    }
  }

  private static Failure stopped() {
    return Failure.of(FailureCode.BACKEND_FAILURE, "was stopped");
  }

  private void endWith(Failure why) {
    Failure failure = named(why);
    if (end.complete(failure)) {
      pending.values().forEach(waiting -> fail(waiting, failure));
      transport.end();
    } else {
      Failure first = end.getNow(failure);
      pending.values().forEach(waiting -> fail(waiting, first)); // those that came meanwhile
    }
  }

  private static void fail(Pending waiting, Failure failure) {
    waiting.answer().fail(failure);
  }

  /** False when it is no message. */
  private boolean take(Inbound came) throws InterruptedException {
    if (came.isBlank()) {
      return true;
    }
    if (came.message().isPresent()) {
      try {
        lines.incrementAndGet();
        dispatch(JsonTexts.mapped(came.message().get(), redaction));
        return true;
      } catch (RuntimeException e) {
        LOG.debug("extension {}: a message was not understood", name, e);
      }
    }
    strays.incrementAndGet();
    note(came.problem());
    return came.unreadable().isPresent() && refuse(came.unreadable().get());
  }

  /** The first of them is told to the operator; a flood of them would fill the log. */
  private void note(String what) {
    String shown = redaction.apply(what);
    if (problem.isEmpty() && !shown.isEmpty()) {
      LOG.warn(
          "extension {}: what it wrote was not understood ({}); more of it is only counted",
          name,
          shown);
    }
    problem = shown;
  }

  /** False when nobody waits for that answer. */
  private boolean refuse(Inbound.Unreadable answer) {
    Pending waiting = pending.remove(answer.id());
    if (waiting == null) {
      return false;
    }
    lines.incrementAndGet();
    if (waiting.isList() && answer.rest().isPresent()) {
      waiting.answer().complete(JsonTexts.mapped(answer.rest().get(), redaction));
    } else {
      Failure unreadable =
          Failure.of(FailureCode.BACKEND_FAILURE, "its answer is not readable: " + answer.reason())
              .as(FailureKind.INVALID);
      fail(waiting, named(unreadable));
    }
    return true;
  }

  private void dispatch(JsonObject message) throws InterruptedException {
    if (!message.containsKey("method")) {
      answer(message);
    } else if (message.getValue("id") != null) {
      serve(message);
    } else {
      hear(
          String.valueOf(message.getValue("method")),
          message.getValue("params") instanceof JsonObject given ? given : new JsonObject());
    }
  }

  private void answer(JsonObject message) {
    Pending waiting = message.getValue("id") instanceof Number id ? remove(id) : null;
    if (waiting == null) {
      strays.incrementAndGet(); // late, twice, or to a question that nobody asked
      return;
    }
    if (message.getValue("error") instanceof JsonObject error) {
      fail(waiting, refused(error));
    } else if (message.getValue("result") instanceof JsonObject result) {
      waiting.answer().complete(result);
    } else {
      fail(waiting, malformed("answered without a result"));
    }
  }

  private @Nullable Pending remove(Number id) {
    return id.doubleValue() == id.longValue() ? pending.remove(id.longValue()) : null;
  }

  private Failure refused(JsonObject error) {
    int code = error.getValue("code") instanceof Number number ? number.intValue() : 0;
    FailureCode kind =
        switch (code) {
          case -32602 -> FailureCode.INVALID_REQUEST;
          case METHOD_NOT_FOUND -> FailureCode.ACTION_NOT_SUPPORTED;
          default -> FailureCode.BACKEND_FAILURE;
        };
    String shown = Texts.cut(String.valueOf(error.getValue("message")), SHOWN_UNITS_MAX);
    return Failure.of(kind, "The extension answered with error " + code + ": " + shown)
        .as(FailureKind.INVALID)
        .withContext(Map.of(ExtensionTool.REPORTED_BY_EXTENSION, Integer.toString(code)));
  }

  Failure malformed(String what) {
    return Failure.of(FailureCode.BACKEND_FAILURE, "Extension " + name + " " + what + ".");
  }

  /** Whom the server may mean: it does not say which request its question belongs to. */
  private List<AwaitedAnswer> askable() {
    return pending.values().stream()
        .map(Pending::answer)
        .filter(answer -> answer.inputs() != McpInputs.NONE)
        .toList();
  }

  private void respond(JsonObject answer) throws InterruptedException {
    try {
      write(answer.put("jsonrpc", "2.0"), SHORT_WRITE);
    } catch (CallFailedException e) {
      strays.incrementAndGet(); // it asks and does not read
    }
  }

  /** A request of the child: it may ask a person, and ask us to say that we are there. */
  private void serve(JsonObject request) throws InterruptedException {
    JsonObject answer = new JsonObject().put("id", request.getValue("id"));
    if ("elicitation/create".equals(request.getValue("method"))) {
      elicitations.put(request);
      return;
    }
    if ("ping".equals(request.getValue("method"))) {
      answer.put("result", new JsonObject());
    } else {
      strays.incrementAndGet();
      answer.put(
          "error",
          new JsonObject().put("code", METHOD_NOT_FOUND).put("message", "Method not found"));
    }
    respond(answer);
  }

  private void hear(String method, JsonObject parameters) {
    switch (method) {
      case "notifications/tools/list_changed",
          "notifications/prompts/list_changed",
          "notifications/resources/list_changed" ->
          listsChanged.run();
      case "notifications/progress" -> progress(parameters);
      case "notifications/cancelled" -> elicitations.withdraw(parameters.getValue("requestId"));
      case "notifications/message",
          "notifications/resources/updated",
          "notifications/subscriptions/acknowledged" ->
          LOG.debug("extension {}: an unused notification", name);
      default -> strays.incrementAndGet();
    }
  }

  private void progress(JsonObject parameters) {
    Pending waiting =
        parameters.getValue("progressToken") instanceof Number token
            ? pending.get(token.longValue())
            : null;
    if (waiting == null) {
      strays.incrementAndGet();
      return;
    }
    StringBuilder text = new StringBuilder();
    if (parameters.getValue("message") instanceof String message) {
      text.append(Texts.visible(message).strip().replaceAll("\\s+", " "));
    }
    if (parameters.getValue("progress") instanceof Number done) {
      text.append(text.isEmpty() ? "" : " ").append('(').append(done);
      if (parameters.getValue("total") instanceof Number total) {
        text.append(" of ").append(total);
      }
      text.append(')');
    }
    waiting.progress().accept(Texts.cut(text.toString(), SHOWN_UNITS_MAX));
  }

  /** Ends the server, or takes leave of it. Blocks until that is done. */
  @Override
  public void close() {
    transport.close();
    endWith(stopped());
  }
}
