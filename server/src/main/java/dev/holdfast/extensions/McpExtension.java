package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.config.MaskedText;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.incidents.IncidentDetails;
import dev.holdfast.incidents.IncidentKind;
import dev.holdfast.incidents.IncidentSeverity;
import dev.holdfast.incidents.NewIncident;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.supervision.Crash;
import dev.holdfast.supervision.Fatal;
import dev.holdfast.supervision.RestartLimit;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one MCP server running while it is needed. One thread owns the child: it starts it, greets
 * it, lists its tools, asks it for signs of life and starts it again when it ends; callers wait for
 * a session and use it.
 */
final class McpExtension implements Extension {
  private static final Logger LOG = LoggerFactory.getLogger(McpExtension.class);
  private static final int SHOWN_ERRORS = 5;

  /** How old the last look at what its child sees may be when a call begins. */
  private static final Duration LOOK_AGE_MAX = Duration.ofMillis(250);

  /** Of its memory limit: beyond it, it is replaced before the kernel ends it in mid-call. */
  private static final int FULL_PERCENT = 90;

  private final String source;
  private final ExtensionConfig config;
  private final ExtensionServices services;
  private final ExtensionLaunch launch;
  private final ToolListCache cache;
  private final PromptListCache promptCache;
  private final McpPrompts prompts;
  private final OfferedTools<ListedTool> tools;
  private final ApprovedTools approved;
  private final ExtensionMetrics metrics;
  private final ExtensionCalls calls;
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile @Nullable Thread thread;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // What follows is under the lock.
  private ExtensionState state = ExtensionState.IDLE;
  private @Nullable McpClient client;
  private String server = "";
  private @Nullable McpSession current;
  private long straysBefore;
  private List<ListedTool> listed = List.of();
  private List<String> unlisted = List.of();
  private String listing = "";
  private List<HeldTool> held = List.of();
  private boolean wanted;
  private boolean restartAsked;
  private boolean renewalAsked;
  private boolean exposed;
  private long lookedNanos;
  private boolean listChanged;
  private boolean stopped;

  /** Whether it was parked and has shown no sign of life since, however often it was tried. */
  private boolean givenUp;

  private String lastError = "";
  private @Nullable Instant lastErrorAt;
  private List<String> errors = List.of();
  private @Nullable Instant nextAttemptAt;
  private int running;
  private long lastUsedNanos;

  McpExtension(String source, ExtensionConfig config, ExtensionServices services) {
    this.source = source;
    this.config = config;
    this.services = services;
    this.launch = new ExtensionLaunch(config, services);
    this.cache = new ToolListCache(config, launch.folder());
    this.promptCache = new PromptListCache(config.id(), cache::key, launch.folder());
    this.prompts = new McpPrompts(config.id(), McpTool.timeout(config.timeouts()), this::prepare);
    this.tools = new OfferedTools<>(services.toolbox());
    this.approved = new ApprovedTools(config, launch.folder());
    this.metrics = new ExtensionMetrics(config.id(), services.meters(), this::isUp);
    this.calls = new ExtensionCalls(config, metrics, services);
  }

  @Override
  public ExtensionConfig config() {
    return config;
  }

  private boolean isUp() {
    ExtensionView now = view();
    return switch (now.state()) {
      case IDLE, READY, STOPPED -> true;
      case STARTING -> !now.givenUp();
      case RESTARTING, PARKED -> false;
    };
  }

  @Override
  public ExtensionView view() {
    return locked(
        () ->
            new ExtensionView(
                config.id(),
                source,
                config.protocol(),
                state,
                givenUp,
                server,
                target(),
                tools.names(),
                tools.refused(),
                held,
                listing,
                metrics.restarts(),
                straysBefore + (current == null ? 0 : current.strays()),
                client == null ? 0 : client.session().memory(),
                lastError,
                lastErrorAt,
                nextAttemptAt));
  }

  private List<String> target() {
    List<String> all =
        config.remote().map(RemoteConfig::shown).map(List::of).orElse(config.command());
    return MaskedText.of(all.stream().map(services.secrets()::redact).toList());
  }

  @Override
  public List<String> errors() {
    return locked(() -> client == null ? errors : client.session().errors());
  }

  @Override
  public List<Long> processes() {
    Optional<McpSession> session = locked(() -> Optional.ofNullable(current));
    return session.map(McpSession::processes).orElse(List.of());
  }

  @Override
  public Optional<ConditionReport> report() {
    ExtensionView now = view();
    return switch (now.state()) {
      case PARKED -> Optional.of(parked(now));
      case RESTARTING -> Optional.of(now.givenUp() ? parked(now) : restarting(now));
      case STARTING -> now.givenUp() ? Optional.of(parked(now)) : held(now);
      case IDLE, READY -> held(now);
      case STOPPED -> Optional.empty();
    };
  }

  private ConditionReport restarting(ExtensionView now) {
    return ConditionReport.degraded(
            "restarting",
            "Extension "
                + config.id()
                + " has ended ("
                + now.lastError()
                + ") and is being restarted.",
            "Ends when it runs.")
        .about(config.id())
        .withNextAttemptAt(now.nextAttemptAt());
  }

  private Optional<ConditionReport> held(ExtensionView now) {
    return now.held().isEmpty()
        ? Optional.empty()
        : Optional.of(
            ConditionReport.degraded(
                    "tools_changed",
                    "Extension "
                        + config.id()
                        + " lists tools that nobody has approved ("
                        + now.held().size()
                        + " new or changed); they are not offered. See holdfast extensions info "
                        + config.id()
                        + ".",
                    "Ends with holdfast extensions approve " + config.id() + ".")
                .about(config.id()));
  }

  private ConditionReport parked(ExtensionView now) {
    return ConditionReport.degraded(
            "parked",
            "Extension "
                + config.id()
                + " cannot be kept running ("
                + now.lastError()
                + "); calls to it fail. See holdfast extensions logs "
                + config.id()
                + ".",
            "Ends when it starts; it is retried every "
                + services.pace().repair().toSeconds()
                + " s.")
        .about(config.id())
        .withNextAttemptAt(now.nextAttemptAt());
  }

  @Override
  public void start(Optional<Extension> before) {
    Thread owner =
        Thread.ofVirtual()
            .name("extension " + config.id())
            .unstarted(
                () -> {
                  try {
                    awaitEndOf(before);
                    run();
                  } catch (InterruptedException _) {
                    Thread.currentThread().interrupt(); // it was stopped
                  } finally {
                    become(ExtensionState.STOPPED, null);
                    over.countDown();
                  }
                });
    thread = owner;
    owner.start();
  }

  private static void awaitEndOf(Optional<Extension> before) throws InterruptedException {
    if (before.isPresent() && !before.get().awaitEnd(Duration.ofSeconds(30))) {
      LOG.warn("extension {}: the one before it has not ended", before.get().config().id());
    }
  }

  @Override
  public void hideSecrets() {
    launch.hideSecrets();
  }

  @Override
  public void lookAtSecrets() {
    McpSession now =
        locked(
            () -> {
              lookedNanos = services.time().nanos();
              return current;
            });
    if (now == null || now.hidesSecrets()) {
      return;
    }
    locked(
        () -> {
          if (current == now) { // else it was replaced meanwhile
            exposed = true;
            client = null;
            changed.signalAll();
          }
          return null;
        });
  }

  private void lookAtSecretsAgain() {
    if (locked(() -> services.time().nanos() - lookedNanos > LOOK_AGE_MAX.toNanos())) {
      lookAtSecrets();
    }
  }

  @Override
  public void restart() {
    locked(
        () -> {
          restartAsked = true;
          wanted = true;
          changed.signalAll();
          return null;
        });
  }

  @Override
  public void renew() {
    locked(
        () -> {
          switch (state) {
            case READY -> renewalAsked = true;
            case RESTARTING, PARKED -> {
              restartAsked = true;
              wanted = true;
            }
            case IDLE, STARTING, STOPPED -> {
              // The next child is a new one anyway.
            }
          }
          changed.signalAll();
          return null;
        });
  }

  @Override
  public void stop() {
    locked(
        () -> {
          stopped = true; // first: from here on nothing more is offered
          changed.signalAll();
          return null;
        });
    tools.clear();
    metrics.close();
    Thread owner = thread;
    if (owner != null) {
      owner.interrupt();
    }
  }

  @Override
  public boolean awaitEnd(Duration limit) throws InterruptedException {
    return over.await(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Runs until interrupted. */
  private void run() throws InterruptedException {
    RestartLimit.History history = RestartLimit.History.CLEAN;
    Optional<Failure> failure = recall();
    if (failure.isEmpty() && !locked(() -> wanted)) {
      recovered(); // what an earlier run left open: it rests now, and is missed by nobody
    }
    while (true) {
      if (failure.isPresent()) {
        history = rest(failure.get(), history);
      }
      awaitDemand();
      failure = live();
    }
  }

  /** Offers what was listed last, so that nobody waits for a child. */
  private Optional<Failure> recall() {
    try {
      Optional<ToolListCache.Known> known = cache.read();
      known.ifPresent(
          list -> {
            if (services.trustsFirstList().getAsBoolean()) {
              approved.approveFirst(list.tools());
            }
            take(list);
          });
      prompts.replace(promptCache.read());
      locked(
          () -> {
            wanted |= known.isEmpty(); // what it offers is only known when it runs
            return null;
          });
      return Optional.empty();
    } catch (RuntimeException | Error bug) {
      return Optional.of(failure(bug));
    }
  }

  private Failure failure(Throwable bug) {
    Fatal.check(bug);
    LOG.error("extension {}: {}", config.id(), Crash.describe(bug), bug);
    return Failure.of(FailureCode.INTERNAL, "It was not understood.");
  }

  private void awaitDemand() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!wanted) {
        if (approved.isUnknown()) {
          long _ = changed.awaitNanos(services.pace().repair().toNanos());
          offerWhatRecovers();
        } else {
          changed.await();
        }
      }
      restartAsked = false;
      renewalAsked = false;
    } finally {
      lock.unlock();
    }
  }

  /** One child from start to end; empty when it was not needed any more, or is to be replaced. */
  private Optional<Failure> live() throws InterruptedException {
    become(ExtensionState.STARTING, null);
    try {
      McpSession begun =
          new McpSession(
              config.id(), launch.connect(), services.secrets()::redact, this::hearOfChange);
      try (begun) {
        locked(
            () -> {
              current = begun;
              exposed = false;
              return null;
            });
        try {
          serve(begun);
        } catch (CallFailedException e) {
          boolean hasServed = locked(() -> client != null);
          throw new CallFailedException(
              hasServed ? e.failure() : withProblem(e.failure(), begun.problem()), e);
        } finally {
          withdraw(begun);
        }
      } finally {
        locked(() -> errors = begun.errors()); // the last of them come with its end
      }
      become(ExtensionState.IDLE, null);
      return Optional.empty();
    } catch (CallFailedException e) {
      return Optional.of(e.failure());
    } catch (RuntimeException | Error bug) {
      return Optional.of(failure(bug));
    }
  }

  /** What a server writes in the place of messages is often the reason why it does not serve. */
  private static Failure withProblem(Failure failure, String problem) {
    return problem.isEmpty()
        ? failure
        : new Failure(
            failure.kind(),
            failure.code(),
            failure.message()
                + (failure.message().endsWith(".") ? "" : ".")
                + " What it wrote was not understood: "
                + problem
                + ".",
            failure.retryAfter(),
            failure.context());
  }

  private void serve(McpSession begun) throws CallFailedException, InterruptedException {
    begun.start();
    CompletableFuture<Void> _ = begun.end().thenAccept(_ -> signal());
    McpClient connected = McpClient.connect(begun, config.timeouts().start());
    boolean _ = takeListChanged(); // what changes from here on may not be in the list
    list(connected);
    locked(
        () -> {
          client = exposed ? null : connected;
          lastUsedNanos = services.time().nanos();
          return null;
        });
    become(ExtensionState.READY, null);
    if (!locked(() -> givenUp)) {
      recovered(); // an earlier run may have left it open
    }
    LOG.info("extension {}: ready, {} tools", config.id(), tools.names().size());
    attend(connected);
  }

  private void recovered() {
    services.incidents().recovered(IncidentKind.EXTENSION_DOWN, config.id());
  }

  /** One that was given up is back with a sign of life only: many a one dies when it is ready. */
  private void showsLife() {
    boolean isBack =
        locked(
            () -> {
              boolean was = givenUp;
              givenUp = false;
              return was;
            });
    if (isBack) {
      recovered();
    }
  }

  private void list(McpClient connected) throws CallFailedException, InterruptedException {
    McpFeatures features = McpFeatures.list(config.id(), connected, config.timeouts().list());
    prompts.replace(features.prompts());
    promptCache.keep(features.prompts());
    ToolListing listing = connected.tools(config.timeouts().list());
    List<ListedTool> all = features.with(listing.tools());
    if (services.trustsFirstList().getAsBoolean()) {
      approved.approveFirst(all);
    }
    List<ListedTool> allowed =
        all.stream().filter(tool -> config.tools().allows(tool.name())).toList();
    List<String> refused =
        OfferedTools.shown(
            listing.refused().stream()
                .filter(tool -> tool.name().isEmpty() || config.tools().allows(tool.name()))
                .map(RefusedTool::toString)
                .toList());
    ToolListCache.Known known = new ToolListCache.Known(connected.server(), allowed, refused);
    take(known);
    cache.keep(
        new ToolListCache.Known(
            known.server(),
            allowed.subList(0, Math.min(allowed.size(), OfferedTools.OFFERED_MAX)),
            refused));
  }

  /** False when it cannot be listed now: it may be at work, and what was listed stays offered. */
  private boolean listAgain(McpClient connected) throws InterruptedException {
    try {
      list(connected);
      return true;
    } catch (CallFailedException e) {
      LOG.warn(
          "extension {}: its changed list of tools was not read ({})",
          config.id(),
          e.failure().code());
      return false;
    }
  }

  private void take(ToolListCache.Known known) {
    String digest = ApprovedTools.digest(known.tools());
    locked(
        () -> {
          server = known.server();
          listed = known.tools();
          unlisted = known.refused();
          listing = digest;
          offer();
          return null;
        });
  }

  private Tool toolOf(ListedTool listed) {
    return ReadResourceTool.isListed(listed)
        ? new ReadResourceTool(
            config,
            listed,
            McpTool.timeout(config.timeouts()),
            services.attachments(),
            this::exchange)
        : new McpTool(config, listed, this::call);
  }

  /** Of what is listed, what was approved. Under the lock. */
  private void offer() {
    Map<String, OfferedTools.Offer<ListedTool>> wantedTools = new TreeMap<>();
    List<HeldTool> waiting = new ArrayList<>();
    List<ListedTool> free = new ArrayList<>();
    for (ListedTool tool : listed) {
      HeldTool why = approved.held(tool);
      if (why != null) {
        waiting.add(why);
      } else {
        free.add(tool);
      }
    }
    Map<String, String> owners = new TreeMap<>();
    List<String> homonyms = new ArrayList<>();
    free.sort(OfferedTools.claims(config.id()));
    for (ListedTool tool : free) {
      String name = OfferedTools.name(config.id(), tool.name());
      String owner = owners.putIfAbsent(name, tool.name());
      if (owner == null) {
        wantedTools.put(name, new OfferedTools.Offer<>(tool, toolOf(tool)));
      } else {
        String why = "models would call it %s, as they call %s".formatted(name, owner);
        homonyms.add(new RefusedTool(tool.name(), why).toString());
      }
    }
    if (!waiting.isEmpty() && !waiting.equals(held)) {
      LOG.warn(
          "extension {}: {} tools that are new or have changed wait for an operator",
          config.id(),
          waiting.size());
    }
    held = List.copyOf(waiting);
    if (!stopped) {
      tools.replace(wantedTools, homonyms, unlisted);
    }
  }

  /** What was approved may be readable again. Under the lock. */
  private void offerWhatRecovers() {
    if (approved.recovers()) {
      offer();
    }
  }

  @Override
  public boolean approve(String seen) {
    List<ListedTool> meant =
        locked(() -> seen.isEmpty() || seen.equals(listing) ? listed : List.<ListedTool>of());
    if (meant.isEmpty()) {
      return false;
    }
    approved.approve(meant);
    locked(
        () -> {
          offer();
          return null;
        });
    return true;
  }

  /** Looks after a child that serves; returns when it is to end. */
  private void attend(McpClient connected) throws CallFailedException, InterruptedException {
    McpSession serving = connected.session();
    ListRefresh refresh = new ListRefresh(services.pace(), services.time());
    long heartbeatAt = nextHeartbeat();
    long heard = serving.messages();
    int misses = 0;
    boolean stale = false;
    while (true) {
      Duration untilHeartbeat = Duration.ofNanos(heartbeatAt - services.time().nanos());
      awaitSignal(serving, refresh.waitAtMost(untilHeartbeat));
      Failure end = serving.end().getNow(null);
      if (end != null) {
        throw new CallFailedException(end);
      }
      if (locked(() -> restartAsked)) {
        return;
      }
      if (locked(() -> exposed)) {
        LOG.info("extension {}: started anew, it would see files of secrets", config.id());
        boolean _ = awaitNoCalls(null);
        return;
      }
      if (locked(() -> renewalAsked)) {
        LOG.info("extension {}: started anew, between its calls", config.id());
        boolean _ = awaitNoCalls(null);
        metrics.restarted();
        return;
      }
      if (takeListChanged()) {
        refresh.changed();
      }
      if (refresh.isDue()) {
        stale = !listAgain(connected);
        refresh.done();
      }
      if (services.time().nanos() - heartbeatAt < 0) {
        continue;
      }
      heartbeatAt = nextHeartbeat();
      locked(
          () -> {
            offerWhatRecovers();
            return null;
          });
      if (isOverfull(serving) && awaitNoCalls(connected)) {
        throw new CallFailedException(
            serving.malformed(
                "uses more than " + FULL_PERCENT + " % of its memory_mb and is restarted"));
      }
      if (isIdle()) {
        LOG.info("extension {}: stopped, nobody needs it now", config.id());
        showsLife(); // it has lasted until now
        return;
      }
      boolean alive =
          serving.messages() > heard || connected.answers(services.pace().heartbeatTimeout());
      heard = serving.messages();
      if (alive) {
        showsLife();
      }
      stale = stale && !(alive && listAgain(connected));
      misses = alive || isAtWork(serving) ? 0 : misses + 1;
      if (misses >= services.pace().misses()) {
        throw new CallFailedException(serving.malformed("gives no sign of life"));
      }
    }
  }

  /**
   * Whether it may be silent because it works at a call: many a server reads nothing meanwhile, and
   * the call has a limit of its own. One that was stopped does no work.
   */
  private boolean isAtWork(McpSession serving) {
    return locked(() -> running > 0) && !serving.isStopped();
  }

  private long nextHeartbeat() {
    return services.time().nanos() + services.pace().heartbeat().toNanos();
  }

  private void awaitSignal(McpSession serving, Duration limit) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = limit.toNanos();
      while (left > 0 && !serving.end().isDone() && !isCalledOn()) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Under the lock. */
  private boolean isCalledOn() {
    return restartAsked || renewalAsked || exposed || listChanged;
  }

  private boolean isOverfull(McpSession serving) {
    long limit = (long) config.limits().memoryMegabytes() << 20;
    return serving.memory() > limit / 100 * FULL_PERCENT;
  }

  /**
   * Lets no more calls in while those that run come to their end; false when they take too long.
   *
   * @param serving lets others in again then; null when it must not
   */
  private boolean awaitNoCalls(@Nullable McpClient serving) throws InterruptedException {
    long left = services.pace().heartbeat().toNanos();
    lock.lockInterruptibly();
    try {
      client = null;
      while (running > 0 && left > 0) {
        left = changed.awaitNanos(left);
      }
      if (running > 0) {
        client = exposed ? null : serving;
        changed.signalAll();
      }
      return running == 0;
    } finally {
      lock.unlock();
    }
  }

  private boolean takeListChanged() {
    return locked(
        () -> {
          boolean was = listChanged;
          listChanged = false;
          return was;
        });
  }

  /** If so, the next call has to ask for it. */
  private boolean isIdle() {
    return locked(
        () -> {
          long unused = services.time().nanos() - lastUsedNanos;
          boolean idle = running == 0 && unused >= config.timeouts().idle().toNanos();
          wanted = wanted && !idle;
          if (idle) {
            client = null;
          }
          return idle;
        });
  }

  private void withdraw(McpSession ended) {
    locked(
        () -> {
          client = null;
          current = null;
          straysBefore += ended.strays();
          errors = ended.errors();
          return null;
        });
  }

  /** Waits before the next start. */
  private RestartLimit.History rest(Failure failure, RestartLimit.History before)
      throws InterruptedException {
    RestartLimit.Decision decision = config.restart().afterCrash(before, services.time().nanos());
    boolean parked =
        decision instanceof RestartLimit.GiveUp || failure.kind() == FailureKind.PERMANENT;
    Duration wait =
        decision instanceof RestartLimit.Restart restart && !parked
            ? jittered(restart.rest())
            : services.pace().repair();
    boolean givesUp =
        locked(
            () -> {
              lastError = services.secrets().redact(failure.message());
              lastErrorAt = services.time().now();
              boolean isFirst = parked && !givenUp;
              givenUp |= parked;
              return isFirst;
            });
    become(
        parked ? ExtensionState.PARKED : ExtensionState.RESTARTING,
        services.time().now().plus(wait));
    List<String> shown = errors();
    if (givesUp) {
      report(lastError(), shown);
    }
    String wrote =
        String.join(" | ", shown.subList(Math.max(0, shown.size() - SHOWN_ERRORS), shown.size()));
    LOG.warn(
        "extension {}: {}; {} in {} ms; {}",
        config.id(),
        services.secrets().redact(failure.message()),
        parked ? "parked, tried again" : "restarted",
        wait.toMillis(),
        wrote.isBlank()
            ? "it wrote nothing on its standard error"
            : "it wrote: " + services.secrets().redact(wrote));
    awaitRestart(wait);
    metrics.restarted();
    return decision.history();
  }

  private String lastError() {
    return locked(() -> lastError);
  }

  private void report(String why, List<String> wrote) {
    String id = config.id();
    services
        .incidents()
        .report(
            new NewIncident(
                IncidentKind.EXTENSION_DOWN,
                IncidentSeverity.WARNING,
                id,
                "The extension " + id + " cannot be kept running.",
                IncidentDetails.of(
                        List.of(
                            "It ended last because: " + why,
                            "Calls to its tools fail. It is retried every "
                                + services.pace().repair().toSeconds()
                                + " s."),
                        List.of("Read what it wrote last, and fix its command or its settings."),
                        List.of(
                            "holdfast extensions logs " + id, "holdfast extensions restart " + id))
                    .withOutput(wrote)));
  }

  /** From half the wait to all of it, so that those that died together do not return together. */
  private Duration jittered(Duration wait) {
    return Duration.ofNanos((long) (wait.toNanos() * (1 + services.random().getAsDouble()) / 2));
  }

  private void awaitRestart(Duration wait) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = wait.toNanos();
      while (left > 0 && !restartAsked) {
        left = changed.awaitNanos(left);
      }
      wanted = true;
    } finally {
      lock.unlock();
    }
  }

  private void hearOfChange() {
    locked(
        () -> {
          listChanged = true;
          changed.signalAll();
          return null;
        });
  }

  private void signal() {
    locked(
        () -> {
          changed.signalAll();
          return null;
        });
  }

  private void become(ExtensionState next, @Nullable Instant attempt) {
    locked(
        () -> {
          state = next;
          nextAttemptAt = attempt;
          changed.signalAll();
          return null;
        });
  }

  private <T extends @Nullable Object> T locked(Supplier<T> body) {
    lock.lock();
    try {
      return body.get();
    } finally {
      lock.unlock();
    }
  }

  private ToolResult call(ListedTool tool, JsonObject arguments, ToolContext context)
      throws InterruptedException {
    boolean structured = !tool.resultSchema().isEmpty();
    return exchange(
        config.tools().replayOf(tool),
        context,
        structured,
        (session, inputs) ->
            ExtensionTool.filled(
                McpResult.of(
                    session.call(
                        tool.name(),
                        arguments,
                        context.key(),
                        config.timeouts().call(),
                        label -> context.progress().doing(config.id() + ": " + label),
                        inputs),
                    structured,
                    new ResultImages(services.attachments(), context))));
  }

  private ToolResult exchange(
      ReplayClass replay,
      ToolContext context,
      boolean structured,
      ReadResourceTool.Exchange exchange)
      throws InterruptedException {
    McpClient session;
    try {
      session = acquire(startMax());
    } catch (CallFailedException e) {
      ToolResult refused = ToolResult.error(e.failure()); // nothing was sent
      metrics.called(refused.failure(), Duration.ZERO);
      return refused;
    }
    PersonInputs inputs = new PersonInputs(config.id(), context, services.time());
    try {
      ToolResult result =
          calls.run(
              replay,
              PersonInputs.WAIT_MAX,
              release -> exchange.with(session, inputs.beforeAsking(release)));
      return inputs.noted(result, structured);
    } finally {
      release();
    }
  }

  @Override
  public List<ExtensionAction> actions() {
    return actionTools()
        .map(
            tool ->
                new ExtensionAction(
                    tool.name(), tool.description(), tool.schema(), config.tools().replayOf(tool)))
        .toList();
  }

  private Stream<ListedTool> actionTools() {
    return tools.facts().stream().filter(tool -> !ReadResourceTool.isListed(tool));
  }

  private Optional<ListedTool> actionTool(TaskCall call) {
    return actionTools().filter(tool -> tool.name().equals(call.action())).findFirst();
  }

  @Override
  public AttemptAnswer attempt(TaskCall call) throws InterruptedException {
    return calls.attempt(() -> run(call));
  }

  private String run(TaskCall call) throws CallFailedException, InterruptedException {
    Deadline deadline = Deadline.in(services.time(), call.limit());
    Optional<ListedTool> known = actionTool(call);
    if (known.isPresent()) { // nothing is started for what does not fit
      JsonObject _ = PayloadCheck.payload(call.payload(), known.get().schema());
    }
    McpClient session = acquireFor(call);
    try {
      ListedTool tool =
          actionTool(call) // it may be known only now
              .orElseThrow(
                  () -> new CallFailedException(ExtensionCalls.unsupported(config.id(), call)));
      JsonObject payload = PayloadCheck.payload(call.payload(), tool.schema());
      JsonObject answer =
          session.call(
              tool.name(),
              payload,
              call.key(),
              deadline.left(),
              label -> call.progress().accept(services.secrets().redact(label)),
              McpInputs.NONE);
      return PayloadCheck.result(McpResult.output(answer), tool.resultSchema());
    } finally {
      release();
    }
  }

  /** One that cannot be started is as a program that cannot. */
  private McpClient acquireFor(TaskCall call) throws CallFailedException, InterruptedException {
    Duration startMax = startMax();
    try {
      return acquire(startMax.compareTo(call.limit()) < 0 ? startMax : call.limit());
    } catch (CallFailedException e) {
      Failure failure = e.failure();
      throw new CallFailedException(
          Failure.of(FailureCode.IO, failure.message())
              .withRetryAfter(failure.retryAfter())
              .unsent(),
          e);
    }
  }

  /** The prompts that people may call for. */
  McpPrompts prompts() {
    return prompts;
  }

  private McpPrompts.Answer prepare(String prompt, JsonObject arguments)
      throws InterruptedException {
    try {
      McpClient session = acquire(startMax());
      try {
        return new McpPrompts.Answer.Prepared(
            session.prompt(prompt, arguments, config.timeouts().call()));
      } finally {
        release();
      }
    } catch (CallFailedException e) {
      return new McpPrompts.Answer.Refused(e.failure());
    }
  }

  private Duration startMax() {
    return config.timeouts().start().plus(config.timeouts().list());
  }

  /** The session of a child that serves, which is started for it. To be released. */
  private McpClient acquire(Duration limit) throws CallFailedException, InterruptedException {
    lookAtSecretsAgain();
    long left = limit.toNanos();
    lock.lockInterruptibly();
    try {
      wanted = true;
      changed.signalAll();
      while (true) {
        McpClient serving = client;
        if (serving != null && !serving.session().end().isDone()) {
          running++;
          return serving;
        }
        if (state == ExtensionState.PARKED || stopped || left <= 0) {
          throw new CallFailedException(unavailable());
        }
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  private Failure unavailable() {
    Instant next = nextAttemptAt;
    String text =
        "Extension "
            + config.id()
            + " is not available now"
            + (next == null || lastError.isEmpty() ? "." : " (" + lastError + ").");
    Failure failure = Failure.of(FailureCode.AGENT_UNAVAILABLE, text);
    if (next == null) {
      return failure;
    }
    Duration wait = Duration.between(services.time().now(), next);
    return wait.isPositive() ? failure.withRetryAfter(wait) : failure;
  }

  private void release() {
    locked(
        () -> {
          running--;
          lastUsedNanos = services.time().nanos();
          changed.signalAll();
          return null;
        });
  }
}
