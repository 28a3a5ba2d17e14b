package dev.holdfast;

import dev.holdfast.access.AccessJudge;
import dev.holdfast.access.AskedPeople;
import dev.holdfast.access.KnownMessages;
import dev.holdfast.access.PairingFlow;
import dev.holdfast.access.Pairings;
import dev.holdfast.access.PersonNotices;
import dev.holdfast.agents.dispatch.AgentParts;
import dev.holdfast.agents.dispatch.Orchestrator;
import dev.holdfast.agents.dispatch.Wakeups;
import dev.holdfast.agents.turn.AgentConfig;
import dev.holdfast.agents.turn.ApprovalPrompts;
import dev.holdfast.agents.turn.OpenForms;
import dev.holdfast.agents.turn.TurnResources;
import dev.holdfast.bus.BrokerConfig;
import dev.holdfast.bus.Bus;
import dev.holdfast.bus.ControlListener;
import dev.holdfast.bus.DiskQueue;
import dev.holdfast.bus.News;
import dev.holdfast.channels.ChannelChecks;
import dev.holdfast.channels.Channels;
import dev.holdfast.channels.ListenerPositions;
import dev.holdfast.channels.Listeners;
import dev.holdfast.channels.WebChannel;
import dev.holdfast.channels.WebhookChannel;
import dev.holdfast.cli.Logs;
import dev.holdfast.config.ConfigPart;
import dev.holdfast.config.LoadedConfig;
import dev.holdfast.conversations.ConversationService;
import dev.holdfast.drills.Drills;
import dev.holdfast.guards.StoredGuards;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.health.Conditions;
import dev.holdfast.health.IdleHeap;
import dev.holdfast.health.SdNotify;
import dev.holdfast.health.Ticks;
import dev.holdfast.health.Watchdog;
import dev.holdfast.incidents.Incidents;
import dev.holdfast.incidents.StartReport;
import dev.holdfast.ingress.HttpListener;
import dev.holdfast.ingress.RequestRouter;
import dev.holdfast.ingress.api.Api;
import dev.holdfast.ingress.api.ApiCall;
import dev.holdfast.ingress.api.ApiCalls;
import dev.holdfast.ingress.api.ApiConfig;
import dev.holdfast.ingress.api.ChannelParts;
import dev.holdfast.ingress.api.Idempotency;
import dev.holdfast.ingress.api.Promotion;
import dev.holdfast.ingress.api.ServerFacts;
import dev.holdfast.ingress.api.StoredIdempotency;
import dev.holdfast.ingress.api.WebUploads;
import dev.holdfast.ingress.control.ControlApi;
import dev.holdfast.ingress.login.Authenticator;
import dev.holdfast.ingress.login.Sessions;
import dev.holdfast.ingress.login.StoredLogouts;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.login.TokenConfig;
import dev.holdfast.ingress.login.Tokens;
import dev.holdfast.ingress.mcp.McpApi;
import dev.holdfast.ingress.openai.OpenAiApi;
import dev.holdfast.ingress.openai.OpenAiRoutes;
import dev.holdfast.ingress.pages.Pages;
import dev.holdfast.ingress.stream.EventStreams;
import dev.holdfast.ingress.webhooks.AddedReceives;
import dev.holdfast.ingress.webhooks.ClickIntake;
import dev.holdfast.ingress.webhooks.MessageIntake;
import dev.holdfast.ingress.webhooks.WebhookClicks;
import dev.holdfast.ingress.webhooks.Webhooks;
import dev.holdfast.ingress.wire.AnswerBudget;
import dev.holdfast.ingress.wire.ConnectionLimits;
import dev.holdfast.ingress.wire.HostNames;
import dev.holdfast.ingress.wire.HttpConfig;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.memory.MemorySweeps;
import dev.holdfast.memory.ServerCalm;
import dev.holdfast.memory.SweepBudget;
import dev.holdfast.models.Models;
import dev.holdfast.models.Providers;
import dev.holdfast.models.RemoteUse;
import dev.holdfast.modes.DownPart;
import dev.holdfast.modes.Modes;
import dev.holdfast.net.GuardedWeb;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.net.LocalUrl;
import dev.holdfast.plugins.PluginHost;
import dev.holdfast.plugins.PluginServices;
import dev.holdfast.plugins.PluginsConfig;
import dev.holdfast.replies.DirectPosts;
import dev.holdfast.replies.OptionalCalls;
import dev.holdfast.replies.QuestionCards;
import dev.holdfast.replies.Replies;
import dev.holdfast.replies.TypingNotices;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.GuardMemory;
import dev.holdfast.resilience.Guards;
import dev.holdfast.store.Store;
import dev.holdfast.store.backup.RestoredCopy;
import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.StoreHooks;
import dev.holdfast.store.ledgers.ClickVerdict;
import dev.holdfast.store.messages.Appended;
import dev.holdfast.store.messages.DiscardedWork;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.supervision.ChildSpec;
import dev.holdfast.supervision.ChildTask;
import dev.holdfast.supervision.Criticality;
import dev.holdfast.supervision.Fatal;
import dev.holdfast.supervision.RecentResults;
import dev.holdfast.supervision.Strategy;
import dev.holdfast.supervision.SupervisedThread;
import dev.holdfast.supervision.Supervisor;
import dev.holdfast.supervision.SupervisorGroup;
import dev.holdfast.tasks.ledger.PlanMoved;
import dev.holdfast.tasks.models.TaskModels;
import dev.holdfast.tasks.run.TaskDoing;
import dev.holdfast.time.Time;
import dev.holdfast.tools.Toolbox;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import io.vertx.micrometer.VertxPrometheusOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the parts together, starts them in the order of their needs and stops them in reverse. */
final class Server {
  private static final Logger LOG = LoggerFactory.getLogger(Server.class);
  private static final int NEWS_REMEMBERED = 20_000;
  private static final int GAVE_UP = 70;
  private static final int VERTX_END_SECS = 10;
  private static final Duration SUPERVISED_MAX = Duration.ofSeconds(4);

  /** For the accounts of a channel; whoever asks waits for 30 s. */
  private static final Duration CHECK_MAX = Duration.ofSeconds(20);

  /** How long turns wait at the start for plugins, of which one may hang. */
  private static final Duration PLUGINS_MAX = Duration.ofSeconds(10);

  /** For a sweep of memories to end at its next step. */
  private static final Duration MEMORY_MAX = Duration.ofSeconds(5);

  private static final Duration PLUGINS_TICK = Duration.ofMillis(100);

  private final Settings settings;
  private final Time time;
  private final PrometheusMeterRegistry meters =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Ticks ticks;
  private final Vertx vertx;
  private final RestoredCopy copy;
  private final Store store;
  private final HttpCaller http;
  private final Guards guards;
  private final Incidents incidents;
  private final RecentResults results;
  private final News news = new News(NEWS_REMEMBERED);

  /** What earlier runs have left is there even when nothing is published. */
  private final DiskQueue published;

  private final @Nullable Bus bus;
  private final Channels channels;
  private final Tooling tooling;
  private final Tasking tasking;
  private final Models models;
  private final Modes modes;
  private final ServerParts parts;
  private final Orchestrator orchestrator;
  private final Replies replies;
  private final PluginHost plugins;
  private final TypingNotices typing;
  private final QuestionCards cards;
  private final IncidentSources incidentSources;
  private final MemorySweeps sweeps;
  private final ConversationService conversations;
  private final Supervisor supervisor;
  private final PairingFlow pairing;
  private final MessageIntake intake;
  private final Listeners listeners;
  private final Conditions conditions;
  private final Readiness readiness;
  private final Drills drills;
  private final ConfigWatch configWatch;
  private volatile ServerConfig live;
  private volatile LoadedConfig effective;
  private final Tokens tokens;
  private final Sessions sessions;
  private final HttpListener listener;

  /** Null when nobody may ask over NATS. */
  private @Nullable ControlListener controlListener;

  private final AtomicBoolean areEventsPublished = new AtomicBoolean();

  private @Nullable ControlApi control;
  private final List<Watchdog> watchdogs = new ArrayList<>();

  /** Recovers, binds and serves. On return messages are accepted; on a failure nothing is open. */
  static Server start(Settings settings, Time time, SdNotify systemd)
      throws IOException, StartRefusedException, InterruptedException {
    return start(
        settings, time, systemd, new Opened(part -> LOG.debug("server: {} is open", part)));
  }

  static Server start(Settings settings, Time time, SdNotify systemd, Opened opened)
      throws IOException, StartRefusedException, InterruptedException {
    boolean serves = false;
    try {
      Server server = new Server(settings, time, opened);
      server.serve(systemd, opened);
      serves = true;
      return server;
    } finally {
      if (!serves) {
        opened.closeAll();
      }
    }
  }

  /**
   * Makes the parts in the order of their needs; each that has to be closed tells {@code opened}.
   */
  private Server(Settings settings, Time time, Opened opened)
      throws IOException, StartRefusedException, InterruptedException {
    this.settings = settings;
    this.time = time;
    ServerConfig config = settings.config();
    live = config;
    effective = settings.chosen().loaded();
    configWatch = new ConfigWatch(settings.file(), settings, this::apply);
    ticks = new Ticks(time);
    vertx = vertx(meters, TemporaryFolder.in(settings.dataDir()));
    opened.add("vertx", () -> close(vertx));
    copy = RestoredCopy.in(settings.dataDir());
    store = Store.open(config.store(), settings.dataDir(), time, meters, storeHooks());
    opened.add("store", () -> close(store));
    http = HttpCaller.create(vertx, time);
    opened.add("http client", http::close);
    guards = Guards.create(config.guards(), guardMemory(), time, meters, vertx);
    published = published(config);
    bus =
        config
            .broker()
            .remote()
            .map(nats -> Bus.open(config.broker(), nats, published, guards, time, meters))
            .orElse(null);
    incidents = openIncidents();
    results = new RecentResults(time);
    tooling =
        Tooling.open(
            settings, store, http, web(config), guards, results, incidents, time, meters, opened);
    models =
        Models.create(
            config.models(), Providers.of(config.models(), http, time), guards, time, meters);
    channels = channels(config);
    modes = modes();
    tasking =
        Tasking.open(
            store,
            tooling.extensions(),
            tooling.toolbox(),
            new TaskModels(models, store.usage(), this::remoteUse),
            this::folderOf,
            () -> live,
            () -> modes.get().mode().startsTasks(),
            () -> modes.get().mode().startsStrategicTasks(),
            results,
            incidents,
            settings.secrets()::redact,
            this::planMoved,
            time,
            meters);
    tasking.runner().onDoing(this::taskDoing);
    if (!copy.isHeld()) {
      publishEvents(); // before the port is open: whatever is accepted has its event
    }
    opened.add("tasks", tasking::close);
    orchestrator = new Orchestrator(agentParts());
    sweeps = sweeps(); // before the deletions of conversations that the last run began
    conversations = conversations();
    opened.add(
        "turns",
        () -> {
          boolean _ = orchestrator.close();
        });
    replies = new Replies(store, channels, guards, news, config.replies(), time, meters);
    opened.add("replies", replies::stop);
    plugins = PluginHost.open(pluginServices(config));
    opened.add("plugins", plugins::close);
    typing = new TypingNotices(channels, news, replies::mayHold, guards, time, meters);
    cards =
        new QuestionCards(
            store,
            news,
            channels,
            optional(QuestionCards.FAILURES),
            ApprovalPrompts::settled,
            time);
    incidentSources = new IncidentSources(incidents, Server::giveUp);
    store.onDamaged(incidentSources::damaged);
    supervisor = new Supervisor(config.supervision(), time, meters, incidentSources);
    opened.add("supervisor", () -> supervisor.stopAll(SUPERVISED_MAX));
    parts =
        new ServerParts(
            store,
            orchestrator,
            models,
            guards,
            () -> ServerParts.down(supervisor),
            this::givenUp,
            () -> tasking.runner().interrupted().isAnyLeft(),
            copy::isHeld,
            time);
    Pairings paired = pairings();
    PersonNotices notices = new PersonNotices(new DirectPosts(channels, guards, time)::post, time);
    pairing = new PairingFlow(paired, notices, time, meters);
    AccessJudge judge =
        new AccessJudge(channels, paired, pairing, notices, KnownMessages.of(store), time);
    AskedPeople asked = new AskedPeople(store.approvals(), store.inbox(), judge);
    ClickIntake clicks =
        (thread, person, token) ->
            asked.mayDecide(thread, person, token)
                ? orchestrator.clicked(thread, person, token)
                : ClickVerdict.Meaning.NOT_ALLOWED;
    intake =
        new MessageIntake(this::append, judge::judge, clicks, sweeps::wrote, news, time, meters);
    listeners = new Listeners(channels, intake, positions(), supervisor, time, meters);
    opened.add("channels", listeners::stop);
    conditions = new Conditions(time, meters);
    readiness = new Readiness(conditions, ticks);
    readiness.watchStore(store, time);
    readiness.watchTurns(orchestrator, models, store, time);
    readiness.watchParts(guards, supervisor, configWatch);
    readiness.watchReplies(guards, replies);
    readiness.watchPlugins(plugins);
    readiness.watchListeners(listeners);
    readiness.watchExtensions(tooling);
    readiness.watchAgents(tasking);
    readiness.watchModes(modes);
    readiness.watchCopy(copy);
    if (bus != null) {
      readiness.watchBus(bus);
    }
    drills = drills();
    opened.add("drills", drills::close);
    readiness.watchDrills(drills);
    tokens = new Tokens(apiTokens(config));
    sessions = new Sessions(tokens, StoredLogouts.open(store.engine(), time), time);
    listener = listen();
    opened.add("listener", listener::close);
    readiness.watchConnections(listener.connections());
    if (controlListener != null) {
      readiness.watchControl(controlListener);
    }
  }

  private void serve(SdNotify systemd, Opened opened) throws IOException {
    opened.add("intake", store::stopIntake);
    store.inbox().onAccepted(orchestrator::wake);
    store.onReconciled(orchestrator::waiting);
    store.onMended(this::rescan);
    conditions.onChange(
        change -> news.publish("condition.changed", "", "", change.toJson().encode()));
    modes.onChange(
        change -> {
          news.publish("mode.changed", "", "", change.toJson().encode());
          incidentSources.modeChanged(change);
        });
    modes.boot(parts.look()); // before the first turn
    incidents.onChange(
        change -> news.publish(change.what(), "", "", change.incident().headline().encode()));
    declareExtensions();
    // A platform thread: it must see virtual ones stand still.
    SupervisorGroup watch = supervisor.group("watch", Strategy.REST_FOR_ONE, Criticality.IMPORTANT);
    supervise(watch, ChildSpec.platform("conditions").as(Criticality.IMPORTANT), conditions::run);
    supervise(
        ChildSpec.platform("orchestrator"),
        () -> {
          awaitPlugins(() -> ticks.tick(Readiness.ORCHESTRATOR));
          tasking.offerTools(); // before a turn that was cut off asks for one
          orchestrator.run(() -> ticks.tick(Readiness.ORCHESTRATOR));
        });
    supervise(ChildSpec.virtual("pulse"), this::beat); // the proof of /live
    ChildSpec parking = ChildSpec.virtual("parking").as(Criticality.IMPORTANT);
    supervise(parking, orchestrator::runParking);
    ChildSpec mode = ChildSpec.virtual("modes").as(Criticality.IMPORTANT).needing("conditions");
    supervise(watch, mode, () -> modes.run(parts));
    Wakeups wakeups = new Wakeups(store.schedules(), time, meters);
    supervise(
        ChildSpec.virtual("wakeups").as(Criticality.IMPORTANT),
        () -> {
          copy.awaitPromotion();
          wakeups.run();
        });
    SupervisorGroup plans = supervisor.group("plans", Strategy.ONE_FOR_ALL, Criticality.IMPORTANT);
    supervise(
        plans,
        ChildSpec.virtual(DownPart.TASKS).as(Criticality.IMPORTANT),
        () -> {
          awaitPlugins(() -> {});
          tasking.run();
        });
    ChildSpec planning =
        ChildSpec.virtual("planning").as(Criticality.IMPORTANT).needing(DownPart.TASKS);
    supervise(plans, planning, tasking::think);
    ChildSpec planNotices =
        ChildSpec.virtual("plan-notices").as(Criticality.IMPORTANT).needing(DownPart.TASKS);
    supervise(plans, planNotices, tasking::tell);
    ChildSpec reviews =
        ChildSpec.virtual("agent-reviews").as(Criticality.IMPORTANT).needing(DownPart.TASKS);
    supervise(plans, reviews, tasking::review);
    SupervisorGroup upkeep =
        supervisor.group("upkeep", Strategy.ONE_FOR_ONE, Criticality.NON_CRITICAL);
    supervise(upkeep, ChildSpec.virtual("cards").as(Criticality.NON_CRITICAL), cards::run);
    ChildSpec config = ChildSpec.virtual("config").as(Criticality.NON_CRITICAL);
    supervise(upkeep, config, () -> configWatch.run(time, tooling.extensions()::lookAtSecrets));
    supervise(upkeep, ChildSpec.virtual("plugins").as(Criticality.NON_CRITICAL), plugins::run);
    ChildSpec backups = ChildSpec.virtual("backups").as(Criticality.NON_CRITICAL);
    supervise(upkeep, backups, tooling.backups()::run);
    ChildSpec index = ChildSpec.virtual("message-index").as(Criticality.NON_CRITICAL);
    supervise(upkeep, index, conversations::index);
    ChildSpec titles = ChildSpec.virtual("titles").as(Criticality.NON_CRITICAL);
    supervise(upkeep, titles, conversations::writeTitles);
    ChildSpec sweeper = ChildSpec.virtual("memory-sweep").as(Criticality.NON_CRITICAL);
    supervise(upkeep, sweeper, sweeps::run);
    ChildSpec heap = ChildSpec.virtual("heap").as(Criticality.NON_CRITICAL);
    supervise(upkeep, heap, IdleHeap.ofThisProcess(time, store.engine()::shrink)::run);
    Bus published = bus;
    if (published != null) {
      ChildSpec spec = ChildSpec.virtual("bus").as(Criticality.IMPORTANT);
      supervise(
          spec,
          () -> {
            copy.awaitPromotion(); // the original publishes to the same subjects
            published.run();
          });
    }
    ControlListener asked = controlListener;
    if (asked != null) {
      ChildSpec spec = ChildSpec.virtual("control").as(Criticality.IMPORTANT);
      supervise(
          spec,
          () -> {
            copy.awaitPromotion(); // the original is asked on the same subjects
            asked.run();
          });
    }
    replies.start();
    listeners.start();
    listener.whenContractWasRead(
        () -> Thread.ofVirtual().start(TemporaryFolder.in(settings.dataDir())::restrict));
    readiness.recovered();
    supervise(watch, ChildSpec.virtual("incidents").as(Criticality.IMPORTANT), incidents::run);
    int attemptsMax = settings.config().store().inbox().attemptsMax();
    StartReport report =
        new StartReport(incidents, store, tasking.runner().interrupted(), attemptsMax, time);
    supervise(ChildSpec.virtual("start-report").as(Criticality.NON_CRITICAL), report::run);
    Watchdog.interval(settings.environment(), ProcessHandle.current().pid())
        .ifPresent(
            interval -> watchdogs.add(new Watchdog(systemd, readiness.probes(), time, interval)));
    opened.add("watchdog", () -> watchdogs.forEach(Watchdog::close));
    watchdogs.forEach(Watchdog::start);
  }

  private DiskQueue published(ServerConfig config) throws IOException, StartRefusedException {
    try {
      return DiskQueue.open(store.engine(), config.broker().queue(), time);
    } catch (StoreException e) {
      throw new IOException("the store cannot be written: " + e.getMessage(), e);
    }
  }

  private boolean flushBus(Deadline window) throws InterruptedException {
    return bus == null || bus.flush(window);
  }

  /** From now on what happens has its event. */
  private void publishEvents() {
    if (bus != null && !areEventsPublished.getAndSet(true)) {
      PublishedEvents events = new PublishedEvents(bus, store.engine(), time);
      store.accompany(events);
      tasking.plans().ledger().journal(events);
      events.follow(news);
    }
  }

  /** When much waits for NATS, senders are told a little later that a message was accepted. */
  private CompletableFuture<Appended> append(NewEvent event) {
    CompletableFuture<Appended> appended = store.inbox().append(event);
    Duration slowdown = bus == null ? Duration.ZERO : bus.slowdown();
    return slowdown.isZero()
        ? appended
        : appended.thenCombine(elapsed(slowdown), (made, _) -> made);
  }

  private CompletableFuture<Boolean> elapsed(Duration wait) {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    Time.Timer _ = time.after(wait, () -> over.complete(true));
    return over;
  }

  /** A turn that goes on after a restart finds the tools that it had before. */
  private void awaitPlugins(Runnable tick) throws InterruptedException {
    long endNanos = time.nanos() + PLUGINS_MAX.toNanos();
    while (!plugins.awaitFirst(PLUGINS_TICK) && time.nanos() < endNanos) {
      tick.run();
    }
  }

  private OptionalCalls optional(String failures) {
    return new OptionalCalls(channels, guards, failures, time, meters);
  }

  private void planMoved(PlanMoved move) {
    JsonObject details =
        new JsonObject()
            .put("plan_id", move.planId())
            .put("task_id", move.taskId())
            .put("step", move.step())
            .put("to", move.to().toLowerCase(Locale.ROOT));
    String kind = move.taskId().isEmpty() ? "plan.moved" : "task.moved";
    news.publish(kind, move.threadId(), "", details.encode());
  }

  private void taskDoing(TaskDoing told) {
    JsonObject details =
        new JsonObject()
            .put("plan_id", told.planId())
            .put("task_id", told.taskId())
            .put("step", told.step())
            .put("label", told.label());
    news.publish("task.doing", told.threadId(), "", details.encode());
  }

  private void supervise(SupervisorGroup group, ChildSpec spec, ChildTask task) {
    SupervisedThread _ = supervisor.start(group, spec, task);
  }

  private void supervise(ChildSpec spec, ChildTask task) {
    SupervisedThread _ = supervisor.start(spec, task);
  }

  Channels channels() {
    return channels;
  }

  Toolbox toolbox() {
    return tooling.toolbox();
  }

  Models models() {
    return models;
  }

  int port() {
    return listener.port();
  }

  /** That it comes round is the proof that virtual threads run at all. */
  private void beat() throws InterruptedException {
    while (true) {
      ticks.tick(Readiness.VIRTUAL_THREADS);
      time.sleep(Duration.ofSeconds(1));
    }
  }

  private String chatUrl() {
    HttpConfig http = settings.config().listeners().http();
    String base =
        http.publicUrl().isEmpty() ? LocalUrl.of(http.host(), listener.port()) : http.publicUrl();
    return base.replaceAll("/+$", "") + "/chat";
  }

  /**
   * What a person needs first. {@code terminal}: a person reads it; elsewhere it is kept, and what
   * logs in has no place there.
   */
  String welcome(boolean terminal) {
    String login =
        terminal
            ? chatUrl()
                + "?login="
                + sessions.issueCode(ApiConfig.OPERATOR)
                + "\n            (the link logs in once, within 10 minutes)"
            : chatUrl() + "\n            (holdfast login-link prints a link that logs in once)";
    return """

    Holdfast %s is ready.
      Chat      %s
      Token     %s
      Data      %s
      Models    %s
    """
        .formatted(
            Settings.version(),
            login,
            settings.environment().getOrDefault("HOLDFAST_TOKEN", "").isBlank()
                ? settings.dataDir().resolve("token")
                : "from HOLDFAST_TOKEN",
            settings.dataDir(),
            String.join(", ", models.modelsOf(models.defaultLevel())));
  }

  /** The time limit of a stop that begins now. */
  Duration stopBudget() {
    return live.shutdown();
  }

  /**
   * Stops in order, within the configured budget. What cannot end in time is cut off at its last
   * checkpoint.
   *
   * @param hurry whether somebody has lost patience
   */
  void stop(BooleanSupplier hurry) throws InterruptedException {
    LOG.info("server: stopping");
    List<StopSequence.Result> _ = new StopSequence(time, stopSteps()).run(live.shutdown(), hurry);
    vertx.close();
    LOG.info("server: stopped");
  }

  /**
   * What a turn, a task or a reply may need ends after it. {@code docs/stopping.md} has this table
   * for operators.
   */
  List<StopStep> stopSteps() {
    String resumed = "they resume from their last checkpoint at the next start";
    String kept =
        "they are kept and posted after the next start; where the response to a post is missing,"
            + " replies.on_unknown decides";
    String lost =
        "after the next start, those that are safe to repeat run again, and the others become dead"
            + " letters because their outcome is unknown";
    return List.of(
        StopStep.call("not ready", readiness::stopping),
        StopStep.call("drills", drills::close), // a fault would keep the rest from ending well
        StopStep.call("typing notices", typing::close),
        StopStep.call("channel sockets", listeners::stop), // what is not taken yet comes again
        StopStep.call("intake", this::stopIntake),
        StopStep.call("task dispatch", tasking.runner()::stopDispatch), // not what a turn waits for
        StopStep.waiting("running turns", 0.75, orchestrator::finish, resumed),
        StopStep.ending("unfinished turns", secs(2), secs(3), _ -> orchestrator.close(), resumed),
        StopStep.waiting("outbox", 0.5, replies::drain, kept),
        StopStep.waiting("running tasks", 0.5, tasking.runner()::finish, "they are taken back"),
        StopStep.ending("unfinished tasks", secs(1), secs(6), tasking::close, lost),
        StopStep.waiting(
            "memory sweep",
            MEMORY_MAX,
            window -> sweeps.stop(window.left()),
            "it has changed nothing and runs again"),
        StopStep.waiting(
            "MCP sessions", secs(5), tooling.extensions()::end, "their processes are ended"),
        StopStep.ending(
            "child processes", secs(2), secs(7), tooling::endChildren, "they are killed"),
        StopStep.ending(
            "unfinished posts",
            secs(1),
            secs(5),
            replies::stop,
            "whether they arrived counts as unknown"),
        StopStep.ending("plugins", secs(0.5), secs(4), plugins::close, "they end with the process"),
        StopStep.waiting("bus", secs(5), this::flushBus, "what is left waits on disk"),
        StopStep.ending("HTTP", secs(0.5), secs(6), listener::close, "its connections are cut"),
        StopStep.call("HTTP client", http::close),
        StopStep.ending(
            "supervised parts",
            secs(0.5),
            SUPERVISED_MAX,
            this::endSupervised,
            "they end with the process"),
        StopStep.call("watchdog", () -> watchdogs.forEach(Watchdog::close)),
        StopStep.ending(
                "store", secs(2), secs(60), this::closeStore, "the next start checks the database")
            .uninterrupted(),
        StopStep.ending(
                "clean marker",
                secs(1),
                secs(5),
                this::markClean,
                "the next start checks the database")
            .uninterrupted());
  }

  private void stopIntake() {
    store.stopIntake();
    if (control != null) {
      control.stop();
    }
  }

  private boolean closeStore(Deadline window) {
    store.markStopped();
    store.close();
    return store.isWhole();
  }

  private boolean markClean(Deadline window) throws IOException {
    store.markClean();
    return store.isWhole();
  }

  private static Duration secs(double secs) {
    return Duration.ofMillis(Math.round(secs * 1000));
  }

  private boolean endSupervised(Deadline window) throws InterruptedException {
    List<String> left = supervisor.stopAll(window.left());
    if (!left.isEmpty()) {
      LOG.warn("server: still running: {}", String.join(", ", left));
    }
    return left.isEmpty();
  }

  /**
   * After a start that failed: nothing that was written before it may look as if it had crashed.
   */
  private static void close(Store store) throws IOException {
    store.close();
    store.markClean();
  }

  private static void close(Vertx vertx) throws InterruptedException {
    try {
      vertx.close().toCompletionStage().toCompletableFuture().get(VERTX_END_SECS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("server: the event loops did not end", e);
    }
  }

  private GuardMemory guardMemory() throws IOException, StartRefusedException {
    try {
      return StoredGuards.open(store.engine());
    } catch (StoreException e) {
      throw new IOException("the store cannot be written: " + e.getMessage(), e);
    }
  }

  private ListenerPositions positions() throws IOException, StartRefusedException {
    try {
      return ListenerPositions.open(store.engine());
    } catch (StoreException e) {
      throw new IOException("the store cannot be written: " + e.getMessage(), e);
    }
  }

  /** The workers that have failed too often: an extension is one under its own id. */
  private List<String> givenUp() {
    return Stream.concat(
            ServerParts.givenUp(tooling.extensions().views()).stream(),
            tasking.reports().stream().map(ConditionReport::subject))
        .distinct()
        .toList();
  }

  /** Where tools of agents work. */
  private Path folderOf(String planId) throws IOException {
    Path folder = settings.dataDir().resolve("plans").resolve(planId);
    AtomicFiles.createFolders(folder);
    return folder;
  }

  /** How plans may use remote models now: what is spent for all is spent for them, too. */
  private RemoteUse remoteUse() {
    try {
      if (orchestrator.isBudgetSpent()) {
        return RemoteUse.NONE;
      }
    } catch (StoreException e) {
      LOG.warn("plans: use no remote models, what was spent cannot be read: {}", e.getMessage());
      return RemoteUse.NONE;
    }
    return modes.get().mode().sparesRemoteModels() ? RemoteUse.SPARING : RemoteUse.FREE;
  }

  private Modes modes() throws IOException, StartRefusedException {
    try {
      return Modes.open(store.engine(), store.audit(), time, meters);
    } catch (StoreException e) {
      throw new IOException("the store cannot be written: " + e.getMessage(), e);
    }
  }

  private Drills drills() {
    return new Drills(
        new DrilledParts(readiness, store.inbox()),
        DrilledParts.injections(
            models,
            live.models().timeouts(),
            channels,
            tooling.extensions(),
            tasking.plans().agents(),
            store.engine(),
            time),
        news,
        time,
        meters);
  }

  private Incidents openIncidents() throws IOException, StartRefusedException {
    try {
      return Incidents.open(
          store.engine(), store.audit(), settings.dataDir(), settings.secrets(), time, meters);
    } catch (StoreException e) {
      throw new IOException("the store cannot be written: " + e.getMessage(), e);
    }
  }

  private ConversationService conversations() throws IOException, StartRefusedException {
    try {
      return ConversationService.open(
          store, orchestrator, models, this::remoteUse, () -> live.conversations(), news, time);
    } catch (StoreException e) {
      throw new IOException("the store cannot be written: " + e.getMessage(), e);
    }
  }

  private MemorySweeps sweeps() throws IOException, StartRefusedException {
    ServerCalm calm =
        new ServerCalm() {
          @Override
          public boolean isQuiet() {
            Map<String, Long> events = store.inbox().counts();
            return events.getOrDefault(EventState.PENDING.label(), 0L)
                    + events.getOrDefault(EventState.RUNNING.label(), 0L)
                == 0;
          }

          @Override
          public boolean mayWork() {
            return modes.get().mode().startsTasks();
          }

          @Override
          public boolean whileInactive(String threadId, Runnable work) {
            return orchestrator.whileInactive(threadId, work);
          }
        };
    try {
      return MemorySweeps.open(
          store,
          tooling.memory(),
          tooling.recalls(),
          models,
          sweepBudget(),
          () -> live.memory(),
          this::peopleNames,
          settings.secrets(),
          calm,
          settings.dataDir(),
          settings.config().zone(),
          time,
          meters);
    } catch (StoreException e) {
      throw new IOException("the store cannot be written: " + e.getMessage(), e);
    }
  }

  private SweepBudget sweepBudget() {
    return new SweepBudget() {
      @Override
      public RemoteUse remote() {
        return remoteUse();
      }

      @Override
      public boolean isSpent(String threadId) {
        try {
          return orchestrator.isThreadSpent(threadId);
        } catch (StoreException e) {
          LOG.warn("memory: what {} has spent cannot be read: {}", threadId, e.getMessage());
          return true;
        }
      }
    };
  }

  /** What people who are answered are called. */
  private Set<String> peopleNames() {
    return pairing.people().stream()
        .flatMap(paired -> Stream.of(paired.name(), paired.person().sender()))
        .collect(Collectors.toSet());
  }

  private Pairings pairings() throws IOException, StartRefusedException {
    try {
      return Pairings.open(store.engine(), store.audit(), time);
    } catch (StoreException e) {
      throw new IOException("the store cannot be written: " + e.getMessage(), e);
    }
  }

  private GuardedWeb web(ServerConfig config) {
    return GuardedWeb.of(http, config.tools().web().allowHosts(), this::ownPorts, guards, time);
  }

  private PluginServices pluginServices(ServerConfig config) {
    PluginServices.Settings now =
        new PluginServices.Settings() {
          @Override
          public ConfigPart part(String... path) {
            return effective.part(environment(), path);
          }

          @Override
          public Map<String, String> environment() {
            return settings.environment();
          }

          @Override
          public Path envFile() {
            return settings.envFile().file();
          }

          @Override
          public PluginsConfig plugins() {
            return live.plugins();
          }

          @Override
          public boolean isCopy() {
            return copy.isHeld();
          }
        };
    return new PluginServices(
        Path.of(config.places().folder()).toAbsolutePath(),
        settings.dataDir(),
        tooling.toolbox(),
        channels,
        models,
        tooling.extensions(),
        tooling::declareLeftOut,
        http,
        tooling.web(),
        guards,
        settings.secrets(),
        now,
        incidents,
        time,
        meters,
        Settings.version());
  }

  private StoreHooks storeHooks() {
    return new StoreHooks(() -> ticks.tick(Readiness.STORE_WRITER), Server::halt);
  }

  /** What is on the disk is unknown: the next start looks. */
  static void halt(int exitCode, String text) {
    System.err.println("holdfast: " + text);
    LOG.error("server: {}", text);
    Logs.stop();
    Runtime.getRuntime().halt(exitCode);
  }

  private static void giveUp(ChildSpec child) {
    LOG.error("server: {} crashed too often, giving up", child.name());
    Logs.stop();
    Runtime.getRuntime().halt(GAVE_UP);
  }

  /** The server's own; a restored copy has those alone that reach nobody else. */
  private Channels channels(ServerConfig config) {
    Channels own = new Channels(config.web().enabled() ? List.of(new WebChannel()) : List.of());
    if (!config.webhook().accounts().isEmpty()) {
      own.hold(new WebhookChannel(config.webhook(), http, time));
    }
    if (!copy.isHeld()) {
      own.release();
    }
    return own;
  }

  private Promotion promotion() {
    return new Promotion() {
      @Override
      public boolean isAwaited() {
        return copy.isHeld();
      }

      @Override
      public DiscardedWork promote(boolean discard) throws IOException, StoreException {
        DiscardedWork discarded =
            discard
                ? DiscardedWork.of(
                    store.inbox(), store.outbox(), "discarded when the restored copy was promoted")
                : new DiscardedWork(0, 0);
        publishEvents(); // whatever is accepted after the promotion has its event
        if (copy.promote()) {
          LOG.warn("server: this restored copy takes the place of its original now");
          channels.release();
          declareExtensions();
          modes.promoted(parts.look());
        }
        return discarded;
      }
    };
  }

  private AgentParts agentParts() {
    TurnResources resources =
        new TurnResources(
            store,
            models,
            tooling.toolbox(),
            tooling.knowledge(),
            tooling.attachments(channels, time),
            settings.secrets(),
            new OpenForms(),
            incidents,
            this::agentConfig,
            time);
    return new AgentParts(resources, channels, tasking.commands(), news, modes, vertx, meters);
  }

  private Set<Integer> ownPorts() {
    return Set.of(listener.port(), listener.metricsPort());
  }

  private AgentConfig agentConfig() {
    ServerConfig config = live;
    return new AgentConfig(
        config.threads(),
        config.turn(),
        config.context(),
        config.store().inbox().attemptsMax(),
        config.tools().autonomy(),
        settings.dataDir());
  }

  /** Takes over what can change while the server runs. */
  private void apply(ServerConfig changed, LoadedConfig loaded) {
    live = changed;
    effective = loaded;
    tokens.replace(apiTokens(changed));
    declareExtensions();
    tasking.declare(changed);
  }

  /** A restored copy has none: whatever they reach, the original may reach too. */
  private void declareExtensions() {
    if (!copy.isHeld()) {
      tooling.declare(live);
    }
  }

  /** Puts together what answers requests: each line needs only what the lines above it made. */
  private HttpListener listen() throws IOException, InterruptedException, StartRefusedException {
    ServerConfig config = settings.config();
    HttpConfig http = config.listeners().http();
    CountersAtStart.register(meters, channels);
    Refusals refusals = new Refusals(meters);
    HostNames names = new HostNames(http);
    Authenticator authenticator = new Authenticator(tokens, sessions, time);
    ThreadAccess access = new ThreadAccess(store.threadOwners());
    EventStreams streams =
        new EventStreams(vertx, news, authenticator, access, EventStreams.Limits.USUAL);
    sessions.whenEnded(streams::endEnded);
    ApiCalls calls =
        new ApiCalls(store, orchestrator, access, news, settings.secrets(), time)
            .threads(intake, streams, config.attachments(), conversations, models.choice())
            .chat(intake, config.listeners().api().answerWait())
            .deadLetters(tasking.plans(), published, this::rescan)
            .executions(new Rollbacks(tooling.backups()))
            .breakers(guards)
            .modes(modes, parts)
            .promotion(promotion())
            .drills(drills)
            .plugins(plugins)
            .pairings(pairing)
            .incidents(incidents)
            .memory(sweeps)
            .channels(
                new ChannelParts(
                    channels, listeners, new ChannelChecks(CHECK_MAX, time), http.publicUrl()),
                guards,
                plugins)
            .extensions(tooling.extensions())
            .skills(tooling.skills())
            .plans(tasking.plans(), tasking.runner(), results)
            .supervision(
                new SupervisionTree(
                    readiness,
                    supervisor,
                    store,
                    channels,
                    replies,
                    tooling.extensions(),
                    tasking.plans()))
            .loginLinks(sessions, this::chatUrl)
            .usage(budget(), config.zone())
            .status(readiness, facts());
    Idempotency keys = StoredIdempotency.open(store.engine(), time);
    store.threadErasure().also(StoredIdempotency::erase);
    store.threadErasure().also(published::erase);
    AnswerBudget answers = AnswerBudget.ofHeap(time);
    Map<String, ApiCall> operations = calls.byOperation();
    Api api = new Api(vertx, operations, authenticator, streams, keys, answers, refusals);
    OpenAiRoutes openAi =
        new OpenAiRoutes(
            store,
            news,
            access,
            intake,
            new WebUploads(store, config.attachments()),
            models,
            () -> live.listeners().api().levels(),
            orchestrator::mayAsk,
            (thread, place) -> orchestrator.stop(thread, place, false),
            time);
    config
        .broker()
        .remote()
        .filter(BrokerConfig.Nats::control)
        .ifPresent(nats -> hear(nats, new ControlApi(operations, authenticator, answers, meters)));
    AddedReceives added = new AddedReceives(time, meters);
    WebhookClicks clicks = new WebhookClicks(intake, optional(WebhookClicks.FAILURES));
    RequestRouter router =
        new RequestRouter(
            () -> new Webhooks(channels, added, intake, clicks, refusals, time),
            readiness,
            api,
            List.of(
                new OpenAiApi(openAi, authenticator, answers, refusals),
                new McpApi(operations, Settings.version(), authenticator, answers, refusals)),
            new Pages(authenticator, sessions, names, refusals),
            names,
            refusals);
    return HttpListener.start(
        vertx,
        ConnectionLimits.Sizes.ofHeap(http, config.attachments().bytesMax()),
        router,
        config.listeners().metrics(),
        meters,
        ticks,
        time);
  }

  private void hear(BrokerConfig.Nats nats, ControlApi asked) {
    control = asked;
    controlListener = new ControlListener(nats, asked, time);
  }

  private void rescan() {
    orchestrator.rescan();
    replies.rescan();
  }

  private ServerFacts facts() {
    return new ServerFacts(
        Settings.version(),
        time.now(),
        settings.dataDir().toString(),
        pairing::pendingCount,
        models.choice(),
        () -> new JsonObject(effective.effective()));
  }

  /** As it was at the start: what waits for a restart is not in it. */
  private JsonObject budget() {
    JsonObject nothing = new JsonObject();
    return new JsonObject(settings.chosen().loaded().effective())
        .getJsonObject("models", nothing)
        .getJsonObject("budget", nothing);
  }

  private List<TokenConfig> apiTokens(ServerConfig config) {
    List<TokenConfig> all = new ArrayList<>(config.listeners().api().tokens());
    all.add(Settings.operator(settings.token()));
    return all;
  }

  private static Vertx vertx(PrometheusMeterRegistry meters, TemporaryFolder unpacked) {
    MicrometerMetricsOptions metrics =
        new MicrometerMetricsOptions()
            .setEnabled(true)
            .setJvmMetricsEnabled(true)
            .addLabels(Label.LOCAL) // else the two listeners would share their gauges
            .setPrometheusOptions(new VertxPrometheusOptions().setEnabled(true));
    VertxOptions options =
        new VertxOptions()
            .setAddressResolverOptions(HttpCaller.names())
            .setFileSystemOptions(
                new FileSystemOptions()
                    .setFileCacheDir(unpacked.path().resolve("vertx").toString()))
            .setMetricsOptions(metrics);
    Vertx vertx =
        Vertx.builder().with(options).withMetrics(new MicrometerMetricsFactory(meters)).build();
    return vertx.exceptionHandler(
        bug -> {
          Fatal.check(bug);
          LOG.error("server: uncaught exception", bug);
        });
  }
}
