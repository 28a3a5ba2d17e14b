package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.context.AgentKnowledge;
import dev.holdfast.agents.context.Attachments;
import dev.holdfast.agents.context.ContextConfig;
import dev.holdfast.agents.turn.AgentConfig;
import dev.holdfast.agents.turn.OpenForms;
import dev.holdfast.agents.turn.ThreadsConfig;
import dev.holdfast.agents.turn.ThreadsConfig.WhileBusy;
import dev.holdfast.agents.turn.TurnConfig;
import dev.holdfast.agents.turn.TurnEndings;
import dev.holdfast.agents.turn.TurnResources;
import dev.holdfast.api.Attachment;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Tool;
import dev.holdfast.bus.News;
import dev.holdfast.channels.Channels;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.channels.WebChannel;
import dev.holdfast.config.ConfigFile;
import dev.holdfast.config.Secrets;
import dev.holdfast.incidents.FakeIncidents;
import dev.holdfast.models.BudgetConfig;
import dev.holdfast.models.Models;
import dev.holdfast.models.ModelsConfig;
import dev.holdfast.modes.ModeNow;
import dev.holdfast.processes.MachineGate;
import dev.holdfast.resilience.GuardMemory;
import dev.holdfast.resilience.Guards;
import dev.holdfast.resilience.GuardsConfig;
import dev.holdfast.store.Store;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.time.SystemTime;
import dev.holdfast.time.Time;
import dev.holdfast.tools.ToolOutputConfig;
import dev.holdfast.tools.Toolbox;
import dev.holdfast.tools.ToolsConfig.Autonomy;
import dev.holdfast.tools.memory.Memory;
import dev.holdfast.tools.prompts.Prompts;
import dev.holdfast.tools.skills.Skills;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** An orchestrator on a real store, with a scripted model. */
public final class AgentRig {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  public final ScriptedProvider model;
  public final Store store;
  public final TurnResources resources;
  final AgentParts parts;
  public final Orchestrator orchestrator;
  public final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  public final FakeIncidents incidents = new FakeIncidents();
  public final Secrets secrets = new Secrets();
  public final News news = new News(1000, Runnable::run);
  private final Time time = new SystemTime(); // its loops wait for threads
  private final Vertx vertx = Vertx.vertx();
  private final AtomicLong rounds = new AtomicLong();
  private final List<Thread> loops = new ArrayList<>();

  /** What a test wants to be different. */
  public static final class Options {
    WhileBusy whileBusy = WhileBusy.QUEUE;
    int activeMax = 100;
    int mailbox = 4;
    int turnsMax = 16;
    public Duration turnTimeout = Duration.ofMinutes(1);
    Duration parkTtl = Duration.ofDays(1);
    public Duration stuck = Duration.ofMinutes(1);

    /** The agents' own time; the store and the models have the machine's. */
    Time time = new SystemTime(); // unless a test moves it

    public List<ChannelAdapter> channels = List.of(new WebChannel());
    public volatile Autonomy autonomy = Autonomy.FULL;
    int keepRecentTokens = 20_000;
    public List<Tool> tools = List.of();
    Prompts prompts = Prompts.NONE;
    Attachments attachments = Attachments.none();
    BudgetConfig budget = BudgetConfig.NONE;
    int memoryBytes = 16_384;
    ThreadOwner owner = new SoleOwner();
    volatile ModeNow mode = ModeNow.FULL;
  }

  AgentRig(Path folder, ScriptedProvider model, Options options) throws Exception {
    this.model = model;
    store = TestStore.open(folder, time, meters);
    Guards guards = Guards.create(GuardsConfig.defaults(), GuardMemory.none(), time, meters, vertx);
    ModelsConfig config =
        ConfigFile.text("test", "models: {retry: {server_error: {max_attempts: 1}}}", Map.of())
            .make(
                root -> root.section("models").read(models -> ModelsConfig.from(models, Map.of())));
    Models models = Models.create(config, List.of(model), guards, time, meters);
    Supplier<AgentConfig> agents =
        () ->
            new AgentConfig(
                new ThreadsConfig(
                    options.activeMax,
                    Duration.ofMinutes(5),
                    options.mailbox,
                    options.turnsMax,
                    options.whileBusy),
                new TurnConfig(25, options.turnTimeout, options.parkTtl, options.stuck, 5, true),
                new ContextConfig(1000, options.keepRecentTokens),
                3,
                options.autonomy,
                folder);
    Toolbox toolbox =
        new Toolbox(options.tools, new ToolOutputConfig(51_200, 2000), secrets, time, meters);
    resources =
        new TurnResources(
            store,
            models,
            toolbox,
            new AgentKnowledge(
                Optional.of(new Memory(store, folder, options.memoryBytes)),
                new Skills(
                    List.of(folder.resolve("skills")),
                    List.of(),
                    () -> new MachineGate(Map.of(), folder.resolve("holdfast.env"))),
                options.prompts,
                ZoneOffset.UTC,
                options.budget),
            options.attachments,
            secrets,
            new OpenForms(),
            incidents,
            agents,
            options.time);
    parts =
        new AgentParts(
            resources,
            new Channels(options.channels),
            new FakePlans(),
            news,
            () -> options.mode,
            vertx,
            meters);
    orchestrator = new Orchestrator(parts, options.owner);
    store.inbox().onAccepted(orchestrator::wake);
    loops.add(
        Thread.ofPlatform().start(() -> loop(() -> orchestrator.run(rounds::incrementAndGet))));
    loops.add(Thread.ofVirtual().start(() -> loop(orchestrator::runParking)));
  }

  private interface Loop {
    void run() throws InterruptedException;
  }

  private static void loop(Loop loop) {
    try {
      loop.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public Event send(String thread, String key, String text) throws Exception {
    return sendAs("me", thread, key, text);
  }

  /** With files, on the account {@code source}. */
  public Event sendFiles(String source, String thread, String key, Attachment... files)
      throws Exception {
    String payload =
        InboundPayload.write(new InboundMessage("main", thread, "me", "look", List.of(files), key));
    return store
        .inbox()
        .append(new NewEvent(source, source + ":" + thread, key, payload, time.now()))
        .get()
        .event();
  }

  public Event sendAs(String sender, String thread, String key, String text) throws Exception {
    String payload =
        InboundPayload.write(new InboundMessage("main", thread, sender, text, List.of(), key));
    return store
        .inbox()
        .append(new NewEvent("web:main", "web:main:" + thread, key, payload, time.now()))
        .get()
        .event();
  }

  public EventState stateOf(Event event) {
    return store.inbox().find(event.id()).orElseThrow().state();
  }

  public void awaitState(Event event, EventState state) {
    await(() -> stateOf(event) == state, () -> "event is " + stateOf(event) + ", wanted " + state);
  }

  public String answerOf(Event event) {
    await(() -> !stateOf(event).isOpen(), () -> "event is still " + stateOf(event));
    StringBuilder text = new StringBuilder();
    for (Reply reply : store.outbox().ofEvent(event.id())) {
      text.append(reply.reply().text());
    }
    return text.toString();
  }

  public List<String> repliesTo(Event event) {
    return store.outbox().ofEvent(event.id()).stream().map(reply -> reply.reply().text()).toList();
  }

  public void await(BooleanSupplier condition, Supplier<String> complaint) {
    long end = System.nanoTime() + PATIENCE.toNanos(); // for other threads
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError(complaint.get());
      }
      LockSupport.parkNanos(2_000_000);
    }
  }

  /** Of those whose thread nobody gives up. */
  public TurnEndings endings() {
    return parts.endings();
  }

  /** Until the dispatching loop has made a whole round, which looks after stuck turns too. */
  void awaitRound() {
    long before = rounds.get();
    await(() -> rounds.get() >= before + 2, () -> "the dispatching loop stands still");
  }

  void close() throws Exception {
    boolean _ = orchestrator.close();
    for (Thread loop : loops) {
      loop.interrupt();
      loop.join();
    }
    store.close();
    vertx.close().toCompletionStage().toCompletableFuture().get();
  }
}
