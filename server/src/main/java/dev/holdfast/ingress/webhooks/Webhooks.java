package dev.holdfast.ingress.webhooks;

import dev.holdfast.api.Click;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.channels.Channel;
import dev.holdfast.channels.ChannelFacts;
import dev.holdfast.channels.Channels;
import dev.holdfast.ingress.wire.BodyReader;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.RequestTarget;
import dev.holdfast.ingress.wire.Responses;
import dev.holdfast.registry.Use;
import dev.holdfast.time.Time;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
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
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /webhooks/{channel}[/{account}[/{path}]]}: what platforms send. The way to the 200 is
 * short on purpose: verify and parse on the event loop, or for a channel that was added on a thread
 * of its own, commit, answer. One instance per event loop.
 */
public final class Webhooks {
  public static final String PREFIX = "/webhooks/";

  private static final Logger LOG = LoggerFactory.getLogger(Webhooks.class);

  /** To read a larger body takes longer than an event loop may be held up. */
  private static final int READ_AT_ONCE_BYTES = 16 * 1024;

  private static final Duration RETRY_LATER = Duration.ofSeconds(5);

  private final Channels channels;
  private final AddedReceives added;
  private final MessageIntake intake;
  private final WebhookClicks clicks;
  private final Refusals refusals;
  private final Time time;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private final Queue<Waiting> committed = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final Buffer okBody = Buffer.buffer("{}");

  /** A request whose events are on their way to the disk. */
  private static final class Waiting {
    final HttpServerRequest request;
    final Optional<WebhookVerdict.Answer> answer;

    /** Runs after the answer to a commit. */
    final Runnable then;

    final long untilNanos;
    boolean answered;

    /** Set before it goes into the queue of the committed. */
    @Nullable Throwable failure;

    Waiting(
        HttpServerRequest request,
        Optional<WebhookVerdict.Answer> answer,
        Runnable then,
        long untilNanos) {
      this.request = request;
      this.answer = answer;
      this.then = then;
      this.untilNanos = untilNanos;
    }
  }

  public Webhooks(
      Channels channels,
      AddedReceives added,
      MessageIntake intake,
      WebhookClicks clicks,
      Refusals refusals,
      Time time) {
    this.channels = channels;
    this.added = added;
    this.intake = intake;
    this.clicks = clicks;
    this.refusals = refusals;
    this.time = time;
  }

  public void handle(HttpServerRequest request) throws RefusedRequestException {
    String path = request.path();
    boolean isPut = request.method().equals(HttpMethod.PUT) && takesPut(path);
    if (!isPut
        && !request.method().equals(HttpMethod.POST)
        && !request.method().equals(HttpMethod.GET)) {
      throw new RefusedRequestException(
          405, FailureCode.ACTION_NOT_SUPPORTED, "webhooks accept POST and GET");
    }
    int slash = path.indexOf('/', PREFIX.length());
    String channel = channel(path);
    String behind = slash < 0 ? "" : path.substring(slash + 1);
    int below = behind.indexOf('/');
    String account = below < 0 ? behind : behind.substring(0, below);
    String rest = below < 0 ? "" : behind.substring(below + 1);
    String named = RequestTarget.decode(account);
    Optional<ChannelFacts> facts = channels.facts(channel);
    boolean isElsewhere = below >= 0 && !takesPut(path);
    if (facts.isEmpty() || named == null || isElsewhere || (below >= 0 && account.isEmpty())) {
      throw RefusedRequestException.unknown("no such channel");
    }
    // Before a byte of the body is kept. The answer is that to a wrong signature: whoever guesses
    // does not learn which accounts there are.
    if (!named.isEmpty() && !facts.get().accounts().contains(named)) {
      intake.count(channel, "refused");
      throw RefusedRequestException.unauthorized();
    }
    BodyReader.read(
        request,
        new BodyReader.Reader() {
          @Override
          public void onBody(byte[] body) {
            onRead(request, channel, named, rest, body);
          }

          @Override
          public void onGone() {
            // Nobody waits for an answer.
          }
        });
  }

  /** Whether the channel of a path judges by itself what its platform sends, a form for example. */
  public boolean takesEveryType(String path) {
    return channels.mayBeAdded(channel(path));
  }

  /** Whether the channel of a path has paths below its accounts, and takes PUT. */
  public boolean takesPut(String path) {
    return channels.facts(channel(path)).filter(ChannelFacts::hasWebhookPaths).isPresent();
  }

  private static String channel(String path) {
    int slash = path.indexOf('/', PREFIX.length());
    return path.substring(PREFIX.length(), slash < 0 ? path.length() : slash);
  }

  private void onRead(
      HttpServerRequest request, String channel, String account, String path, byte[] body) {
    WebhookRequest read =
        new WebhookRequest(
            request.method().name(),
            account,
            path,
            headers(request),
            query(request),
            body,
            time.now());
    Optional<Use<Channel>> begun = channels.begin(channel);
    if (begun.isEmpty()) {
      answer(request, channel, new ReceiveOutcome.Refused(absent()));
    } else if (channels.mayBeAdded(channel)) {
      Context context = Vertx.currentContext();
      added.begin(
          begun.get(),
          read,
          outcome -> {
            ReceiveOutcome taken = taken(channel, outcome); // as many as there are, on its thread
            context.runOnContext(_ -> answer(request, channel, taken));
          });
    } else if (body.length <= READ_AT_ONCE_BYTES) {
      answer(request, channel, outcome(channel, begun.get(), read));
    } else {
      Vertx.currentContext()
          .executeBlocking(() -> outcome(channel, begun.get(), read), false)
          .onSuccess(outcome -> answer(request, channel, outcome))
          .onFailure(why -> refusals.send(request, why));
    }
  }

  /** What a channel of the server's own makes of a request; one that fails refuses it. */
  private static ReceiveOutcome outcome(
      String channel, Use<Channel> begun, WebhookRequest request) {
    try (begun) {
      return new ReceiveOutcome.Told(begun.value().receive(request));
    } catch (InterruptedException | RuntimeException | LinkageError | StackOverflowError e) {
      LOG.error("channel {}: its adapter failed on a request", channel, e);
      return new ReceiveOutcome.Refused(ReceiveOutcome.internalError());
    }
  }

  private ReceiveOutcome taken(String channel, ReceiveOutcome outcome) {
    try {
      return outcome instanceof ReceiveOutcome.Told(WebhookVerdict.Messages told)
          ? new ReceiveOutcome.Taken(take(channel, told), told.answer())
          : outcome;
    } catch (RuntimeException e) {
      LOG.error("channel {}: its messages could not be taken in", channel, e);
      return new ReceiveOutcome.Refused(ReceiveOutcome.internalError());
    }
  }

  /** Returns before they are committed. */
  private List<CompletableFuture<?>> take(String channel, WebhookVerdict.Messages told) {
    intake.dropped(channel, told.dropped());
    return told.messages().stream()
        .<CompletableFuture<?>>map(message -> intake.take(channel, message))
        .toList();
  }

  /** Whatever goes wrong, the request is answered. */
  private void answer(HttpServerRequest request, String channel, ReceiveOutcome outcome) {
    try {
      answerTo(request, channel, outcome);
    } catch (RuntimeException e) {
      LOG.error("channel {}: a request could not be answered as its adapter says", channel, e);
      if (!request.response().headWritten()) {
        refusals.send(request, ReceiveOutcome.internalError());
      }
    }
  }

  private void answerTo(HttpServerRequest request, String channel, ReceiveOutcome outcome) {
    switch (outcome) {
      case ReceiveOutcome.Taken(
              List<CompletableFuture<?>> commits,
              Optional<WebhookVerdict.Answer> answer) ->
          await(request, commits, answer, () -> {});
      case ReceiveOutcome.Told(WebhookVerdict told) -> answer(request, channel, told);
      case ReceiveOutcome.Refused(RefusedRequestException why) -> {
        if (why.status() == 503) {
          intake.count(channel, "refused");
        }
        refusals.send(request, why);
      }
    }
  }

  private void answer(HttpServerRequest request, String channel, WebhookVerdict verdict) {
    switch (verdict) {
      case WebhookVerdict.Messages messages ->
          await(request, take(channel, messages), messages.answer(), () -> {});
      case WebhookVerdict.Clicked(Click click, Optional<WebhookVerdict.Answer> answer) -> {
        CompletableFuture<String> decided = clicks.decide(channel, click);
        await(
            request,
            List.of(decided),
            answer,
            () -> clicks.tell(channel, click, decided.getNow("")));
      }
      case WebhookVerdict.Answer answer -> answerAs(request, answer);
      case WebhookVerdict.Refused(String reason) -> {
        LOG.debug("channel {}: refused a request: {}", channel, reason);
        intake.count(channel, "refused");
        refusals.send(request, RefusedRequestException.unauthorized());
      }
      case WebhookVerdict.Unparsable(String reason) -> {
        LOG.info("channel {}: a verified request was not understood: {}", channel, reason);
        intake.count(channel, "refused");
        refusals.send(request, RefusedRequestException.invalid("the body was not understood"));
      }
      case WebhookVerdict.UnknownType(String received, List<String> supported) -> {
        intake.count(channel, "refused");
        refusals.send(request, unknownType(received, supported));
      }
      case WebhookVerdict.NoAccount _ -> {
        intake.count(channel, "refused");
        refusals.send(request, RefusedRequestException.unauthorized());
      }
    }
  }

  private static void answerAs(HttpServerRequest request, WebhookVerdict.Answer answer) {
    Responses.start(request, answer.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, answer.contentType())
        .end(answer.body());
  }

  private void await(
      HttpServerRequest request,
      List<CompletableFuture<?>> commits,
      Optional<WebhookVerdict.Answer> answer,
      Runnable then) {
    if (commits.isEmpty()) {
      ok(request, answer);
      return;
    }
    Context context = Vertx.currentContext();
    Waiting wait =
        new Waiting(request, answer, then, time.nanos() + MessageIntake.COMMIT_WAIT_MAX.toNanos());
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

  private void answerCommitted() {
    scheduled.set(false);
    for (Waiting wait = committed.poll(); wait != null; wait = committed.poll()) {
      if (!wait.answered) {
        wait.answered = true;
        Throwable failure = wait.failure;
        if (failure == null) {
          ok(wait.request, wait.answer);
          wait.then.run();
        } else {
          refusals.send(wait.request, Refusals.ofStore(failure));
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
        refusals.send(first.request, MessageIntake.slow());
      }
    }
  }

  private static RefusedRequestException unknownType(String received, List<String> supported) {
    return new RefusedRequestException(
            422, FailureCode.UNKNOWN_MESSAGE_TYPE, "messages of this type are not understood")
        .withDetails(
            new JsonObject().put("received", received).put("supported", new JsonArray(supported)));
  }

  /** Not unknown: a platform takes that for good and sends nothing any more. */
  private static RefusedRequestException absent() {
    return new RefusedRequestException(
        503, FailureCode.OVERLOADED, "the channel is not available now; send again", RETRY_LATER);
  }

  private void ok(HttpServerRequest request, Optional<WebhookVerdict.Answer> answer) {
    if (Responses.isOver(request)) {
      return;
    }
    if (answer.isPresent()) {
      answerAs(request, answer.get());
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
