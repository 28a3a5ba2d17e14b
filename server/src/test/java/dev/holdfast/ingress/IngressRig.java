package dev.holdfast.ingress;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Click;
import dev.holdfast.api.Failure;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.bus.News;
import dev.holdfast.channels.Channels;
import dev.holdfast.config.Secret;
import dev.holdfast.health.Ticks;
import dev.holdfast.ingress.api.Api;
import dev.holdfast.ingress.api.FakeApiCalls;
import dev.holdfast.ingress.api.FakeIdempotency;
import dev.holdfast.ingress.api.Probes;
import dev.holdfast.ingress.login.Authenticator;
import dev.holdfast.ingress.login.Sessions;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.login.TokenConfig;
import dev.holdfast.ingress.login.Tokens;
import dev.holdfast.ingress.login.WaitingProgram;
import dev.holdfast.ingress.pages.Pages;
import dev.holdfast.ingress.stream.EventStreams;
import dev.holdfast.ingress.webhooks.AddedReceives;
import dev.holdfast.ingress.webhooks.ClickIntake;
import dev.holdfast.ingress.webhooks.InboxIntake;
import dev.holdfast.ingress.webhooks.MessageIntake;
import dev.holdfast.ingress.webhooks.WebhookClicks;
import dev.holdfast.ingress.webhooks.Webhooks;
import dev.holdfast.ingress.wire.AnswerBudget;
import dev.holdfast.ingress.wire.BodyBudget;
import dev.holdfast.ingress.wire.ConnectionLimits;
import dev.holdfast.ingress.wire.HostNames;
import dev.holdfast.ingress.wire.HttpConfig;
import dev.holdfast.ingress.wire.MetricsConfig;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.replies.OptionalCalls;
import dev.holdfast.resilience.GuardMemory;
import dev.holdfast.resilience.Guards;
import dev.holdfast.resilience.GuardsConfig;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.ClickVerdict;
import dev.holdfast.store.messages.Appended;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.time.SystemTime;
import dev.holdfast.time.Time;
import dev.holdfast.time.TimedWait;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import io.vertx.micrometer.VertxPrometheusOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A listener on free ports with a store in memory and one channel whose signature is the header
 * {@code x-sign: ok}.
 */
public final class IngressRig implements AutoCloseable {
  public static final String ADMIN = "admin-token-0123456789";
  public static final String READ = "read-token-0123456789";
  public static final String CHAT = "chat-token-0123456789";

  /** What {@code /metrics} asks for. */
  public static final String METRICS_TOKEN = "metrics-token-0123456789";

  public static final List<TokenConfig> TOKENS =
      List.of(
          new TokenConfig("main", new Secret(ADMIN), Scope.ADMIN),
          new TokenConfig("reader", new Secret(READ), Scope.READ),
          new TokenConfig("talker", new Secret(CHAT), Scope.CHAT));

  public final Time time;
  public final FakeThreadOwners owners = new FakeThreadOwners();
  public final FakeInbox inbox = new FakeInbox();
  public final FakeClicks clicks = new FakeClicks();
  public final News news = new News(1000, Runnable::run);
  public final Channels channels = new Channels(List.of(new FakeAdapter("webhook")));
  public final Tokens tokens = new Tokens(TOKENS);
  public final FakeLogouts logouts = new FakeLogouts();
  public final Sessions sessions;
  public final PrometheusMeterRegistry meters =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  public final Vertx vertx;
  public final HttpListener listener;
  public final FakeApiCalls calls = new FakeApiCalls();
  public final WaitingProgram program;

  public IngressRig() throws Exception {
    this(UnaryOperator.identity(), new SystemTime()); // connections are real
  }

  public IngressRig(UnaryOperator<HttpConfig> change, Time time) throws Exception {
    this(change, time, BodyBudget.ofHeap(AttachmentsConfig.defaults().bytesMax()));
  }

  public IngressRig(UnaryOperator<HttpConfig> change, Time time, BodyBudget bodies)
      throws Exception {
    this.time = time;
    sessions = new Sessions(tokens, logouts, time);
    vertx =
        Vertx.builder()
            .with(
                new VertxOptions()
                    .setEventLoopPoolSize(2)
                    .setMetricsOptions(
                        new MicrometerMetricsOptions()
                            .setEnabled(true)
                            .setPrometheusOptions(new VertxPrometheusOptions().setEnabled(true))))
            .withMetrics(new MicrometerMetricsFactory(meters))
            .build();
    HttpConfig usual = HttpConfig.defaults();
    HttpConfig free =
        new HttpConfig(
            usual.host(),
            0,
            usual.publicUrl(),
            usual.allowedHosts(),
            usual.maxBodyBytes(),
            usual.headerTimeout(),
            usual.bodyTimeout(),
            usual.idleTimeout(),
            usual.maxConnections());
    HttpConfig http = change.apply(free);
    Refusals refusals = new Refusals(meters);
    HostNames names = new HostNames(http);
    Authenticator authenticator = new Authenticator(tokens, sessions, time);
    program = new WaitingProgram(authenticator);
    MessageIntake intake =
        new MessageIntake(inbox, (_, _) -> Optional.empty(), clicks, _ -> {}, news, time, meters);
    EventStreams streams =
        new EventStreams(
            vertx,
            news,
            authenticator,
            new ThreadAccess(owners),
            new EventStreams.Limits(Duration.ofMillis(100), 3, 64, 10));
    sessions.whenEnded(streams::endEnded);
    Api api =
        new Api(
            vertx,
            calls.byOperation(intake, news, new ThreadAccess(owners)),
            authenticator,
            streams,
            new FakeIdempotency(),
            AnswerBudget.ofHeap(time),
            refusals);
    AddedReceives added = new AddedReceives(time, meters);
    Guards guards = Guards.create(GuardsConfig.defaults(), GuardMemory.none(), time, meters, vertx);
    WebhookClicks answering =
        new WebhookClicks(
            intake, new OptionalCalls(channels, guards, WebhookClicks.FAILURES, time, meters));
    RequestRouter router =
        new RequestRouter(
            () -> new Webhooks(channels, added, intake, answering, refusals, time),
            new FakeProbes(),
            api,
            List.of(program),
            new Pages(authenticator, sessions, names, refusals),
            names,
            refusals);
    listener =
        HttpListener.start(
            vertx,
            new ConnectionLimits.Sizes(http, AttachmentsConfig.defaults().bytesMax(), bodies),
            router,
            new MetricsConfig("127.0.0.1", 0, new Secret(METRICS_TOKEN)),
            meters,
            new Ticks(time),
            time);
  }

  public Raw raw() throws Exception {
    return new Raw(listener.port());
  }

  /** Sends one request on a connection of its own and reads the answer. */
  public Raw.Answer send(String request) throws Exception {
    try (Raw raw = raw()) {
      return raw.send(request).answer();
    }
  }

  public Raw.Answer get(String path, String... headers) throws Exception {
    return send(Raw.request("GET", path, "", headers));
  }

  public Raw.Answer post(String path, String body, String... headers) throws Exception {
    return send(Raw.request("POST", path, body, headers));
  }

  public static String bearer(String token) {
    return "Authorization: Bearer " + token;
  }

  public static void until(BooleanSupplier condition) {
    TimedWait.until("the server is as the test wants it", condition);
  }

  public double count(String name, String... tags) {
    var counter = meters.find(name).tags(tags).counter();
    return counter == null ? 0 : counter.count();
  }

  @Override
  public void close() {
    listener.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  /** Accepts, knows duplicates, and can be told to refuse or to wait. */
  public static final class FakeInbox implements InboxIntake {
    private final Map<String, Event> byKey = new ConcurrentHashMap<>();
    public final List<Event> events = new CopyOnWriteArrayList<>();
    private final AtomicLong numbers = new AtomicLong();
    public volatile @Nullable Failure refusal;
    public volatile CompletableFuture<?> gate = CompletableFuture.completedFuture("open");

    @Override
    public CompletableFuture<Appended> append(NewEvent event) {
      Failure why = refusal;
      if (why != null) {
        return CompletableFuture.failedFuture(new StoreException(why));
      }
      return gate.thenApply(_ -> put(event));
    }

    private Appended put(NewEvent event) {
      boolean[] fresh = {false};
      Event stored =
          byKey.computeIfAbsent(
              event.source() + event.dedupeKey(),
              _ -> {
                fresh[0] = true;
                long number = numbers.incrementAndGet();
                return new Event(
                    number,
                    "e" + number,
                    event.source(),
                    event.threadId(),
                    event.dedupeKey(),
                    event.payload(),
                    event.receivedAt(),
                    EventState.PENDING,
                    0,
                    false,
                    0);
              });
      if (fresh[0]) {
        events.add(stored);
      }
      return new Appended(stored, !fresh[0]);
    }
  }

  /** Says what a test wants, when it wants. */
  public static final class FakeClicks implements ClickIntake {
    public final List<String> clicked = new CopyOnWriteArrayList<>();
    public volatile @Nullable Failure refusal;
    public volatile CompletableFuture<?> gate = CompletableFuture.completedFuture("open");

    @Override
    public ClickVerdict.Meaning clicked(String threadId, String person, String token)
        throws StoreException {
      Failure why = refusal;
      if (why != null) {
        throw new StoreException(why);
      }
      gate.join();
      clicked.add(threadId + " " + person + " " + token);
      return ClickVerdict.Meaning.APPROVED;
    }
  }

  private static final class FakeProbes implements Probes {
    @Override
    public JsonObject live() {
      return new JsonObject().put("status", "UP");
    }

    @Override
    public JsonObject ready() {
      return new JsonObject().put("status", "DOWN");
    }

    @Override
    public JsonObject health() {
      return new JsonObject().put("status", "UP");
    }

    @Override
    public JsonArray conditions() {
      return new JsonArray();
    }
  }

  /** The body is {@code thread|text|id}, one message a line. */
  public record FakeAdapter(String channel, List<String> told) implements ChannelAdapter {
    public FakeAdapter(String channel) {
      this(channel, new CopyOnWriteArrayList<>());
    }

    @Override
    public boolean showsChoices() {
      return true;
    }

    @Override
    public void answerClick(Click click, String text) {
      told.add(click.reference() + " " + text);
    }

    @Override
    public Set<String> accounts() {
      return Set.of("ci");
    }

    @Override
    public WebhookVerdict receive(WebhookRequest request) {
      if (!request.account().equals("ci")) {
        return new WebhookVerdict.NoAccount();
      }
      if (!request.headers().getOrDefault("x-sign", List.of()).equals(List.of("ok"))) {
        return new WebhookVerdict.Refused("the signature is wrong");
      }
      String body = new String(request.body(), StandardCharsets.UTF_8);
      if (body.equals("boom")) {
        throw new IllegalStateException("a bug of the adapter");
      }
      if (body.equals("hello?")) {
        return new WebhookVerdict.Answer(200, "text/plain", "hello!");
      }
      if (body.equals("path?")) {
        return new WebhookVerdict.Answer(
            200, "text/plain", request.method() + " " + request.path());
      }
      if (body.equals("thread?")) {
        return new WebhookVerdict.Answer(200, "text/plain", Thread.currentThread().getName());
      }
      if (body.equals("martian")) {
        return new WebhookVerdict.UnknownType("martian", List.of("message"));
      }
      if (body.startsWith("click|")) {
        String[] parts = body.split("\\|", -1);
        return new WebhookVerdict.Clicked(
            new Click("ci", parts[1], parts[2], parts[3], "r1"),
            Optional.of(new WebhookVerdict.Answer(200, "text/plain", "taken")));
      }
      List<InboundMessage> messages = new ArrayList<>();
      for (String line : body.split("\n", -1)) {
        String[] parts = line.split("\\|", -1);
        if (parts.length != 3) {
          return new WebhookVerdict.Unparsable("three parts are needed");
        }
        messages.add(new InboundMessage("ci", parts[0], "u", parts[1], List.of(), parts[2]));
      }
      return new WebhookVerdict.Messages(messages);
    }

    @Override
    public boolean hasWebhookPaths() {
      return channel.equals("paths");
    }

    @Override
    public int textUnitsMax() {
      return 1000;
    }

    @Override
    public PostOutcome post(OutboundReply reply) {
      return new PostOutcome.Sent("");
    }
  }
}
