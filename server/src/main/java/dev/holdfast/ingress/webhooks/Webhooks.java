package dev.holdfast.ingress.webhooks;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.channels.Channel;
import dev.holdfast.channels.Channels;
import dev.holdfast.ingress.login.Authenticator;
import dev.holdfast.ingress.login.StrangerBudget;
import dev.holdfast.ingress.wire.BodyReader;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.RequestTarget;
import dev.holdfast.ingress.wire.Responses;
import dev.holdfast.registry.Use;
import dev.holdfast.store.messages.Appended;
import dev.holdfast.time.Time;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /webhooks/{channel}[/{account}]}: what platforms send. The way to the 200 is short on
 * purpose: verify and parse on the event loop, commit, answer. One instance per event loop.
 */
public final class Webhooks {
  public static final String PREFIX = "/webhooks/";

  private static final Logger LOG = LoggerFactory.getLogger(Webhooks.class);
  private static final Duration RETRY_SOON = Duration.ofSeconds(1);
  private static final Duration RETRY_LATER = Duration.ofSeconds(5);

  /** Platforms give up after 3 s and send again; a clear 503 before that tells them more. */
  static final Duration COMMIT_WAIT_MAX = Duration.ofMillis(2500);

  private final Channels channels;
  private final MessageIntake acceptor;
  private final StrangerBudget preAuth;
  private final Refusals refusals;
  private final Time time;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private final Queue<Waiting> committed = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final Buffer okBody = Buffer.buffer("{}");

  /** A request whose events are on their way to the disk. */
  private static final class Waiting {
    final HttpServerRequest request;
    final long untilNanos;
    boolean answered;

    /** Set before it goes into the queue of the committed. */
    @Nullable Throwable failure;

    Waiting(HttpServerRequest request, long untilNanos) {
      this.request = request;
      this.untilNanos = untilNanos;
    }
  }

  public Webhooks(
      Channels channels,
      MessageIntake acceptor,
      StrangerBudget preAuth,
      Refusals refusals,
      Time time) {
    this.channels = channels;
    this.acceptor = acceptor;
    this.preAuth = preAuth;
    this.refusals = refusals;
    this.time = time;
  }

  public void handle(HttpServerRequest request) throws RefusedRequestException {
    if (!request.method().equals(HttpMethod.POST) && !request.method().equals(HttpMethod.GET)) {
      throw new RefusedRequestException(
          405, FailureCode.ACTION_NOT_SUPPORTED, "webhooks take POST and GET");
    }
    String path = request.path();
    int slash = path.indexOf('/', PREFIX.length());
    String channel = path.substring(PREFIX.length(), slash < 0 ? path.length() : slash);
    String account = slash < 0 ? "" : path.substring(slash + 1);
    String named = RequestTarget.decode(account);
    if (channels.facts(channel).isEmpty() || named == null || account.indexOf('/') >= 0) {
      throw RefusedRequestException.unknown("no such channel");
    }
    long announced = announcedBytes(request);
    if (!preAuth.take(announced)) {
      acceptor.count(channel, "refused");
      throw new RefusedRequestException(
          429, FailureCode.RATE_LIMITED, "too many requests at once", RETRY_SOON);
    }
    BodyReader.read(
        request,
        new BodyReader.Reader() {
          @Override
          public void onBody(byte[] body) {
            preAuth.give(announced);
            onRead(request, channel, named, body);
          }

          @Override
          public void onGone() {
            preAuth.give(announced);
          }
        });
  }

  private static long announcedBytes(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (length != null) {
      return Long.parseLong(length); // the decoder has read it as a number
    }
    return request.headers().contains(HttpHeaders.TRANSFER_ENCODING) ? 65_536 : 0;
  }

  private void onRead(HttpServerRequest request, String channel, String account, byte[] body) {
    Optional<Use<Channel>> begun = channels.begin(channel);
    if (begun.isEmpty()) {
      acceptor.count(channel, "refused");
      refusals.send(request, absent());
      return;
    }
    WebhookVerdict verdict;
    try (Use<Channel> use = begun.get()) {
      verdict =
          use.value()
              .receive(
                  new WebhookRequest(
                      request.method().name(),
                      account,
                      headers(request),
                      query(request),
                      body,
                      time.now()));
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      LOG.error("channel {}: its adapter failed on a request", channel, e);
      refusals.send(
          request, new RefusedRequestException(500, FailureCode.INTERNAL, "internal error"));
      return;
    }
    answer(request, channel, verdict);
  }

  private void answer(HttpServerRequest request, String channel, WebhookVerdict verdict) {
    switch (verdict) {
      case WebhookVerdict.Messages(List<InboundMessage> messages) ->
          accept(request, channel, messages);
      case WebhookVerdict.Answer(int status, String type, String text) ->
          Responses.start(request, status).putHeader(HttpHeaders.CONTENT_TYPE, type).end(text);
      case WebhookVerdict.Refused(String reason) -> {
        LOG.debug("channel {}: refused a request: {}", channel, reason);
        acceptor.count(channel, "refused");
        refusals.send(request, Authenticator.refusal("unauthorized"));
      }
      case WebhookVerdict.Unparsable(String reason) -> {
        LOG.info("channel {}: a verified request was not understood: {}", channel, reason);
        acceptor.count(channel, "refused");
        refusals.send(request, RefusedRequestException.invalid("the body was not understood"));
      }
      case WebhookVerdict.NoAccount _ -> {
        acceptor.count(channel, "refused");
        refusals.send(request, RefusedRequestException.unknown("no such account"));
      }
    }
  }

  private void accept(HttpServerRequest request, String channel, List<InboundMessage> messages) {
    List<CompletableFuture<Appended>> commits = new ArrayList<>(messages.size());
    for (InboundMessage message : messages) {
      if (isNothing(message)) {
        acceptor.count(channel, "filtered");
      } else {
        commits.add(acceptor.accept(channel, message));
      }
    }
    if (commits.isEmpty()) {
      ok(request);
      return;
    }
    Context context = Vertx.currentContext();
    Waiting wait = new Waiting(request, time.nanos() + COMMIT_WAIT_MAX.toNanos());
    waiting.addLast(wait);
    CompletableFuture<?> all =
        commits.size() == 1
            ? commits.getFirst()
            : CompletableFuture.allOf(commits.toArray(CompletableFuture[]::new));
    CompletableFuture<?> _ =
        all.whenComplete(
            (_, failure) -> {
              wait.failure = failure;
              committed.add(wait);
              // One commit ends many requests: they are answered by one task of the event loop.
              if (scheduled.compareAndSet(false, true)) {
                context.runOnContext(_ -> answerCommitted());
              }
            });
  }

  /** Nothing to read and nothing to look at: there is nothing to answer. */
  private static boolean isNothing(InboundMessage message) {
    return message.text().isBlank() && message.attachments().isEmpty();
  }

  private void answerCommitted() {
    scheduled.set(false);
    for (Waiting wait = committed.poll(); wait != null; wait = committed.poll()) {
      if (!wait.answered) {
        wait.answered = true;
        Throwable failure = wait.failure;
        if (failure == null) {
          ok(wait.request);
        } else {
          refusals.send(wait.request, refusalOf(failure));
        }
      }
    }
    for (Waiting first = waiting.peekFirst();
        first != null && first.answered;
        first = waiting.peekFirst()) {
      waiting.removeFirst();
    }
  }

  /**
   * Answers those that wait for a disk that hangs; their events may still be accepted, the sender's
   * retry tells.
   */
  public void sweep() {
    long now = time.nanos();
    for (Waiting first = waiting.peekFirst();
        first != null && (first.answered || first.untilNanos - now <= 0);
        first = waiting.peekFirst()) {
      waiting.removeFirst();
      if (!first.answered) {
        first.answered = true;
        refusals.send(first.request, slow());
      }
    }
  }

  /** Not unknown: a platform takes that for good and sends nothing any more. */
  private static RefusedRequestException absent() {
    return new RefusedRequestException(
        503, FailureCode.OVERLOADED, "the channel is not available now; send again", RETRY_LATER);
  }

  /** The event may still be accepted. */
  static RefusedRequestException slow() {
    return new RefusedRequestException(
        503, FailureCode.OVERLOADED, "the store is slow; send again", RETRY_LATER);
  }

  /** What the client is told when the store refused. */
  public static RefusedRequestException refusalOf(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof CallFailedException failed) {
      Failure why = failed.failure();
      if (why.code() == FailureCode.INVALID_REQUEST) {
        return RefusedRequestException.invalid(why.message());
      }
      Duration wait = why.retryAfter().isZero() ? RETRY_LATER : why.retryAfter();
      return new RefusedRequestException(
          503, why.code(), "new messages are not accepted at the moment", wait);
    }
    LOG.error("store: failed in an unforeseen way", cause);
    return new RefusedRequestException(503, FailureCode.INTERNAL, "internal error", RETRY_LATER);
  }

  private void ok(HttpServerRequest request) {
    if (Responses.isOver(request)) {
      return;
    }
    HttpServerResponse response = Responses.start(request, 200);
    response.headers().set(HttpHeaders.CONTENT_TYPE, Responses.JSON);
    response.end(okBody);
  }

  private static Map<String, List<String>> headers(HttpServerRequest request) {
    Map<String, List<String>> headers = HashMap.newHashMap(request.headers().size());
    request.headers().forEach((name, value) -> add(headers, name.toLowerCase(Locale.ROOT), value));
    return headers;
  }

  private static Map<String, List<String>> query(HttpServerRequest request) {
    if (request.query() == null) {
      return Map.of();
    }
    Map<String, List<String>> query = new HashMap<>();
    request.params(true).forEach((name, value) -> add(query, name, value));
    return query;
  }

  private static void add(Map<String, List<String>> all, String name, String value) {
    List<String> before = all.putIfAbsent(name, List.of(value));
    if (before != null) {
      List<String> longer = new ArrayList<>(before);
      longer.add(value);
      all.put(name, longer);
    }
  }
}
