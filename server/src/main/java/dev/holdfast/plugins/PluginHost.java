package dev.holdfast.plugins;

import dev.holdfast.health.ConditionReport;
import dev.holdfast.incidents.IncidentDetails;
import dev.holdfast.incidents.IncidentKind;
import dev.holdfast.incidents.IncidentSeverity;
import dev.holdfast.incidents.NewIncident;
import dev.holdfast.processes.GateCondition;
import io.micrometer.core.instrument.Gauge;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the folder of plugins and has each jar loaded, replaced and unloaded as the folder, the
 * configuration, the variables and the operator say. All of that happens on the thread of {@link
 * #run}; the other methods may be called from anywhere.
 */
public final class PluginHost {
  private static final Logger LOG = LoggerFactory.getLogger(PluginHost.class);
  private static final String UP = "holdfast.plugin.up";
  private static final long LOOK_MILLIS = 100;

  /** Variables, programs and configuration are looked at less often than the folder. */
  private static final int LOOKS_PER_GATE = 5;

  /** What was changed so long ago is not being copied. */
  private static final Duration STILL = Duration.ofSeconds(2);

  /** A jar that cannot be read is perhaps still being copied. */
  private static final Duration COPYING_MAX = Duration.ofSeconds(10);

  private static final Duration DRAIN_MAX = Duration.ofSeconds(30);
  private static final Duration STOP_DRAIN = Duration.ofSeconds(1);
  private static final Duration COMMAND_MAX = Duration.ofSeconds(60);

  private final PluginServices services;
  private final PluginCopies copies;
  private final TrustLock lock;
  private final StartMarks marks;
  private final PluginExtensions extensions;
  private final BlockingQueue<Runnable> commands = new LinkedBlockingQueue<>();
  private final Map<Path, Seen> seen = new HashMap<>();
  private final Set<Path> missing = new HashSet<>();
  private Map<Path, Stamp> there = Map.of();
  private final Map<String, Hosted> hosted = new TreeMap<>();
  private final Map<String, String> refusedFiles = new ConcurrentHashMap<>();
  private final Set<Thread> closing = ConcurrentHashMap.newKeySet();
  private final UnloadedPlugins unloaded;
  private final ReentrantLock turn = new ReentrantLock();
  private final CountDownLatch settled = new CountDownLatch(1);
  private boolean closed;
  private volatile String unreadable = "";
  private volatile List<PluginView> views = List.of();
  private Set<String> kept = Set.of();
  private int looks;

  /** What tells one version of a file from another. */
  private record Stamp(long size, FileTime changed) {}

  /** A file of the folder, and what it turned out to be. */
  private static final class Seen {
    private final Stamp stamp;
    private final long sinceNanos;
    private boolean judged;
    private @Nullable PluginJar jar;

    Seen(Stamp stamp, long sinceNanos) {
      this.stamp = stamp;
      this.sinceNanos = sinceNanos;
    }
  }

  /** A plugin that is there, loaded or not. */
  private static final class Hosted {
    private final String id;
    private final HostGuards guards;
    private PluginJar jar;
    private volatile PluginState state = PluginState.STARTING;
    private String reason = "";
    private List<GateCondition> conditions = List.of();
    private Instant since;
    private @Nullable HostedPlugin running;
    private @Nullable HostedContext context;

    /** The sections of the configuration that it has read, with what stood in them then. */
    private Map<List<String>, String> sections = Map.of();

    /** The ids of the extensions that the jar of the last attempt declares. */
    private List<String> extensions = List.of();

    /** What the last attempt was made with: the same again would end the same. */
    private String triedWith = "";

    /** Why the last attempt has left an older version at work; empty when it has not. */
    private String problem = "";

    Hosted(String id, HostGuards guards, PluginJar jar, Instant since) {
      this.id = id;
      this.guards = guards;
      this.jar = jar;
      this.since = since;
    }

    /** Of the version that runs: what an older one still does at its end is not held against it. */
    private Optional<String> tooMuch() {
      return Optional.ofNullable(running).flatMap(HostedPlugin::tooMuch);
    }
  }

  private PluginHost(
      PluginServices services, PluginCopies copies, TrustLock lock, StartMarks marks) {
    this.services = services;
    this.copies = copies;
    this.lock = lock;
    this.marks = marks;
    this.extensions = new PluginExtensions(services.extensions(), services.onExtensions());
    this.unloaded = new UnloadedPlugins(services.time(), System::gc);
  }

  /**
   * Nothing is loaded before {@link #run}.
   *
   * @throws IOException when the data folder cannot be written, or the file of trusted jars is
   *     damaged
   */
  public static PluginHost open(PluginServices services) throws IOException {
    Path data = services.dataDir();
    return new PluginHost(
        services,
        PluginCopies.open(data.resolve("plugin-copies"), data.resolve("plugin-state")),
        TrustLock.open(data.resolve("plugins.lock")),
        StartMarks.open(data.resolve("plugin-starts")));
  }

  /** Runs until it is interrupted; the plugins stay loaded then, see {@link #close}. */
  public void run() throws InterruptedException {
    while (true) {
      lookOnce();
      Runnable command = commands.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      while (command != null) {
        command.run();
        command = commands.poll();
      }
    }
  }

  /**
   * Whether each jar that lay in the folder at the start was loaded, or was found not to be loaded.
   * Blocks until then, at most for {@code limit}.
   */
  public boolean awaitFirst(Duration limit) throws InterruptedException {
    return settled.await(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Every plugin that is there. */
  public List<PluginView> plugins() {
    return views;
  }

  /** Where the operator puts jars. */
  public Path folder() {
    return services.folder();
  }

  /** Of how many unloaded plugins something is still in memory; none after a collection. */
  int vanishing() {
    return unloaded.vanishing() + closing.size();
  }

  /** Files of the folder that cannot be plugins, by name, with the reason. */
  public Map<String, String> refusedFiles() {
    return new TreeMap<>(refusedFiles);
  }

  /** What is not well. */
  public List<ConditionReport> conditions() {
    List<ConditionReport> all = new ArrayList<>(unloaded.conditions());
    String problem = unreadable;
    if (!problem.isEmpty()) {
      all.add(
          ConditionReport.degraded(
              "unreadable",
              "The folder of plugins cannot be read: %s. All plugins go on as they are."
                  .formatted(problem),
              "Ends when it can be read."));
    }
    for (PluginView view : views) {
      boolean isWell =
          view.state() == PluginState.STARTING
              || view.state() == PluginState.DISABLED
              || (view.state() == PluginState.READY && view.reason().isEmpty());
      if (!isWell) {
        all.add(
            ConditionReport.degraded(
                    view.state() == PluginState.READY ? "not_replaced" : view.state().label(),
                    "The plugin %s %s: %s. See: holdfast plugins info %s"
                        .formatted(
                            view.id(),
                            view.state() == PluginState.READY
                                ? "goes on as it was"
                                : "does not work",
                            view.reason(),
                            view.id()),
                    "Ends when it works, or when its jar is removed.")
                .about(view.id()));
      }
    }
    refusedFiles.forEach(
        (file, reason) ->
            all.add(
                ConditionReport.degraded(
                        "refused",
                        "The file %s is not loaded: %s.".formatted(file, reason),
                        "Ends when the file is replaced or removed.")
                    .about(file)));
    return all;
  }

  /**
   * Switches a plugin on or off, for later starts of the server too; one that was parked or has
   * failed is tried again by switching it on. Blocks until it is done.
   *
   * @return false when there is no such plugin
   */
  public boolean enable(String id, boolean on) throws IOException, InterruptedException {
    return command(
        id,
        plugin -> {
          lock.setDisabled(id, !on);
          marks.end(id);
          retry(plugin);
        });
  }

  /**
   * Trusts the jar that lies in the folder now. Blocks until it was tried.
   *
   * @return false when there is no such plugin
   */
  public boolean approve(String id) throws IOException, InterruptedException {
    return command(
        id,
        plugin -> {
          lock.approve(plugin.jar);
          retry(plugin);
        });
  }

  @FunctionalInterface
  private interface Command {
    void run(Hosted plugin) throws IOException;
  }

  private boolean command(String id, Command command) throws IOException, InterruptedException {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    commands.add(
        () -> {
          turn.lock();
          try {
            Hosted plugin = closed ? null : hosted.get(id);
            if (plugin != null) {
              command.run(plugin);
              decide(plugin);
              show();
            }
            done.complete(plugin != null);
          } catch (IOException | RuntimeException e) {
            done.completeExceptionally(e);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            done.completeExceptionally(new IOException("the server is stopping"));
          } finally {
            turn.unlock();
          }
        });
    try {
      return done.get(COMMAND_MAX.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IOException(e.getMessage(), e);
    } catch (TimeoutException e) {
      throw new IOException("the plugins did not answer within " + COMMAND_MAX.toSeconds() + " s");
    }
  }

  /** As a new one: what it did until now is forgotten. */
  private void retry(Hosted plugin) {
    if (plugin.tooMuch().isPresent()) {
      unload(plugin, STOP_DRAIN);
    }
    plugin.triedWith = "";
  }

  /** Stops all of them, for good. Blocks. */
  public void close() throws InterruptedException {
    turn.lock();
    try {
      closed = true;
      for (Hosted plugin : hosted.values()) {
        unload(plugin, STOP_DRAIN);
      }
    } finally {
      turn.unlock();
    }
    for (Thread thread : closing) {
      thread.join(COMMAND_MAX);
    }
  }

  /** What {@link #run} does ten times a second. */
  void lookOnce() throws InterruptedException {
    turn.lockInterruptibly();
    try {
      if (!closed) {
        look();
      }
    } finally {
      turn.unlock();
    }
  }

  private void look() throws InterruptedException {
    boolean changed = lookAtFolder();
    boolean isTime = looks++ % LOOKS_PER_GATE == 0;
    if (changed
        || isTime
        || hosted.values().stream().anyMatch(each -> each.tooMuch().isPresent())) {
      for (Hosted plugin : List.copyOf(hosted.values())) {
        plugin.guards.forgetIdle();
        lookAt(plugin);
      }
      unloaded.look();
      show();
    }
    if (seen.values().stream().allMatch(file -> file.judged)) {
      settled.countDown();
    }
  }

  /** A fault that one of them brings out is its own: the others are looked at too. */
  private void lookAt(Hosted plugin) throws InterruptedException {
    try {
      HostedPlugin running = plugin.running;
      if (running != null) {
        running.calls().look();
        running.hideSecrets();
      }
      decide(plugin);
    } catch (RuntimeException | LinkageError e) {
      String reason = fault(e);
      if (!plugin.reason.equals(reason)) {
        LOG.error("plugins: {}", plugin.id, e);
      }
      become(plugin, plugin.running == null ? PluginState.FAILED : PluginState.READY, reason);
    }
  }

  private static String fault(Throwable e) {
    return "the server failed on it: " + ThrownText.head(e);
  }

  /** Reads what has settled. Returns whether a plugin came, went or is another one. */
  private boolean lookAtFolder() throws InterruptedException {
    readFolder();
    // Whoever replaces a file may remove it first: one that is gone at the next look too is gone.
    missing.removeIf(there::containsKey);
    boolean changed =
        seen.keySet().removeIf(file -> !there.containsKey(file) && !missing.add(file));
    refusedFiles.keySet().removeIf(name -> !there.containsKey(services.folder().resolve(name)));
    for (Map.Entry<Path, Stamp> each : there.entrySet()) {
      Path file = each.getKey();
      Seen before = seen.get(file);
      if (before != null && before.stamp.equals(each.getValue())) {
        changed |= !before.judged && judge(file, before);
        continue;
      }
      Seen found = new Seen(each.getValue(), services.time().nanos());
      found.jar = before == null ? null : before.jar; // goes on until the newer one was read
      seen.put(file, found);
      changed |= isStill(found.stamp) && judge(file, found); // or look once more
    }
    if (changed) {
      assign();
    }
    return changed;
  }

  private boolean isStill(Stamp stamp) {
    return stamp.changed.toInstant().isBefore(services.time().now().minus(STILL));
  }

  /** What lies there is what lay there before for as long as it cannot be read. */
  private void readFolder() {
    Map<Path, Stamp> all = new TreeMap<>();
    try (Stream<Path> files = Files.list(services.folder())) {
      for (Path file : files.filter(each -> each.toString().endsWith(".jar")).toList()) {
        stamp(file).ifPresent(stamp -> all.put(file, stamp));
      }
    } catch (NoSuchFileException _) {
      all.clear(); // nobody has plugins
    } catch (IOException | UncheckedIOException e) {
      if (unreadable.isEmpty()) {
        LOG.warn("plugins: {} cannot be read: {}", services.folder(), e.toString());
      }
      unreadable = e.toString();
      return;
    }
    unreadable = "";
    there = all;
  }

  /** Empty when it went away while we looked, or is no file. */
  private static Optional<Stamp> stamp(Path file) throws IOException {
    try {
      BasicFileAttributes facts = Files.readAttributes(file, BasicFileAttributes.class);
      return facts.isRegularFile()
          ? Optional.of(new Stamp(facts.size(), facts.lastModifiedTime()))
          : Optional.empty();
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  private boolean judge(Path file, Seen known) {
    String name = String.valueOf(file.getFileName());
    try {
      requireOwn(file);
      known.jar = copies.take(file);
      refusedFiles.remove(name);
    } catch (PluginRefusedException e) {
      known.jar = null;
      refuse(name, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      known.jar = null;
      LOG.error("plugins: {}", name, e);
      refuse(name, fault(e));
    } catch (IOException e) {
      if (services.time().nanos() - known.sinceNanos < COPYING_MAX.toNanos()) {
        return false;
      }
      known.jar = null;
      refuse(name, "it is not a whole jar: " + e.getMessage());
    }
    known.judged = true;
    return true;
  }

  private void refuse(String file, String reason) {
    refusedFiles.put(file, reason);
    LOG.warn("plugins: {} is not loaded: {}", file, reason);
  }

  /** Which jar stands for which id: the first by its file's name. */
  private void assign() throws InterruptedException {
    Map<String, PluginJar> byId = new TreeMap<>();
    for (Path file : new TreeSet<>(seen.keySet())) {
      PluginJar jar = Objects.requireNonNull(seen.get(file)).jar;
      if (jar == null) {
        continue;
      }
      PluginJar first = byId.putIfAbsent(jar.manifest().id(), jar);
      String name = String.valueOf(file.getFileName());
      if (first != null) {
        refuse(
            name,
            "the plugin %s is in %s already; remove one of the two"
                .formatted(jar.manifest().id(), first.file().getFileName()));
      } else if (refusedFiles.remove(name) != null) {
        LOG.info("plugins: {} is no longer refused", name);
      }
    }
    for (Hosted plugin : List.copyOf(hosted.values())) {
      if (!byId.containsKey(plugin.id)) {
        unload(plugin, DRAIN_MAX);
        hosted.remove(plugin.id);
        extensions.deleteFiles(plugin.id);
        marks.end(plugin.id);
        services.meters().find(UP).tag("id", plugin.id).meters().forEach(services.meters()::remove);
        plugin.guards.close();
        services.incidents().recovered(IncidentKind.PLUGIN_DOWN, plugin.id);
        LOG.info("plugins: {} is gone", plugin.id);
      }
    }
    byId.forEach((id, jar) -> hosted.computeIfAbsent(id, _ -> newcomer(jar)).jar = jar);
  }

  private Hosted newcomer(PluginJar jar) {
    String id = jar.manifest().id();
    HostGuards guards = new HostGuards(id, services.guards(), services.time());
    Hosted plugin = new Hosted(id, guards, jar, services.time().now());
    Gauge.builder(UP, plugin, each -> each.state == PluginState.READY ? 1 : 0)
        .tag("id", plugin.id)
        .strongReference(true)
        .register(services.meters());
    return plugin;
  }

  private void decide(Hosted plugin) throws InterruptedException {
    Map<String, String> environment = services.settings().environment();
    plugin.conditions = conditions(plugin.jar.manifest(), environment);
    Optional<String> tooMuch = plugin.tooMuch();
    if (tooMuch.isPresent()) {
      unload(plugin, STOP_DRAIN);
      become(plugin, PluginState.PARKED, tooMuch.get());
      plugin.triedWith = inputs(plugin, environment);
      return;
    }
    if (lock.isDisabled(plugin.id)) {
      unload(plugin, DRAIN_MAX);
      become(plugin, PluginState.DISABLED, "it was switched off");
      return;
    }
    try {
      Optional<TrustLock.Doubt> doubt = lock.doubt(plugin.jar, services.settings().plugins());
      if (doubt.isPresent()) {
        TrustLock.Doubt why = doubt.get();
        notLoaded(plugin, why.waits() ? PluginState.WAITING : PluginState.FAILED, why.text());
        return;
      }
    } catch (IOException e) {
      notLoaded(plugin, PluginState.FAILED, "plugins.lock cannot be written: " + e.getMessage());
      return;
    }
    List<String> missing =
        plugin.conditions.stream()
            .filter(condition -> !condition.isMet())
            .map(condition -> condition.needs() + " is missing (" + condition.step() + ")")
            .toList();
    if (!missing.isEmpty()) {
      unload(plugin, DRAIN_MAX);
      plugin.triedWith = "";
      become(plugin, PluginState.GATED, String.join("; ", missing));
      return;
    }
    String inputs = inputs(plugin, environment);
    if (!plugin.triedWith.equals(inputs)) {
      plugin.triedWith = inputs;
      load(plugin, environment);
    } else if (plugin.running != null) {
      // Whatever was in the way meanwhile.
      become(
          plugin,
          PluginState.READY,
          plugin.problem.isEmpty() ? openToOthers(plugin.jar.file()) : plugin.problem);
    }
  }

  /** What makes a restart refuse the jar of a plugin that runs; empty for nothing. */
  private String openToOthers(Path jar) {
    try {
      requireOwn(jar);
      return "";
    } catch (PluginRefusedException e) {
      return e.getMessage() + "; until then a restart does not load it";
    } catch (IOException _) {
      return ""; // it is being replaced or removed
    }
  }

  private void requireOwn(Path jar) throws IOException, PluginRefusedException {
    UserPrincipal self = Files.getOwner(services.dataDir());
    PluginJar.requireOwn(services.folder().toRealPath(), self);
    PluginJar.requireOwn(jar, self);
  }

  /** One that runs goes on as it is; another jar takes its place only when it is trusted. */
  private void notLoaded(Hosted plugin, PluginState without, String reason) {
    if (plugin.running == null) {
      plugin.triedWith = "";
      become(plugin, without, reason);
    } else {
      become(plugin, PluginState.READY, "the newer jar is not loaded: " + reason);
    }
  }

  private List<GateCondition> conditions(PluginManifest manifest, Map<String, String> environment) {
    List<GateCondition> all = new ArrayList<>();
    if (services.settings().isCopy()) {
      all.add(
          new GateCondition(
              "leave to take the place of the original that this server is a restored copy of",
              false,
              "holdfast promote"));
    }
    all.addAll(gate(environment).judge(manifest));
    return all;
  }

  private Gate gate(Map<String, String> environment) {
    return new Gate(
        environment,
        services.settings().envFile(),
        services.serverVersion(),
        section -> services.settings().part(section.split("\\.")).section().isPresent());
  }

  /** Everything that a start depends on, as it is now. */
  private String inputs(Hosted plugin, Map<String, String> environment) {
    return inputs(
        plugin,
        environment,
        plugin.sections.keySet().stream()
            .map(section -> services.settings().part(section.toArray(String[]::new)).content())
            .toList(),
        extensions.taken(plugin.id, plugin.extensions));
  }

  private static String inputs(
      Hosted plugin,
      Map<String, String> environment,
      Collection<String> sections,
      List<String> taken) {
    PluginManifest manifest = plugin.jar.manifest();
    StringBuilder all = new StringBuilder(plugin.jar.sha256());
    environment.entrySet().stream()
        .filter(variable -> manifest.mayRead(variable.getKey()))
        .sorted(Map.Entry.comparingByKey())
        .forEach(variable -> all.append('\0').append(variable));
    sections.forEach(content -> all.append('\0').append(content));
    return all.append('\0').append(taken).toString();
  }

  /** What begins the reason why a plugin runs as before. */
  private static String unchanged(HostedPlugin earlier, PluginJar now) {
    return earlier.jar().sha256().equals(now.sha256())
        ? "the change is not in force: "
        : "the newer jar is not used: ";
  }

  private void load(Hosted plugin, Map<String, String> environment) throws InterruptedException {
    long begun = services.time().nanos();
    PluginManifest manifest = plugin.jar.manifest();
    HostedPlugin earlier = plugin.running;
    HostedContext earlierContext = plugin.context;
    if (marks.down(plugin.jar) >= StartMarks.DOWN_MAX) {
      String reason =
          "the server went down %d times in a row while it was started; to try again: holdfast plugins enable %s"
              .formatted(StartMarks.DOWN_MAX, plugin.id);
      plugin.problem = earlier == null ? "" : unchanged(earlier, plugin.jar) + reason;
      become(
          plugin,
          earlier == null ? PluginState.PARKED : PluginState.READY,
          earlier == null ? reason : plugin.problem);
      return;
    }
    environment.forEach(
        (name, value) -> {
          if (manifest.isSecret(name) && !value.isBlank()) {
            services.secrets().add(value);
          }
        });
    if (earlier == null) {
      become(plugin, PluginState.STARTING, "");
    }
    @Nullable HostedPlugin made = null;
    @Nullable HostedContext context = null;
    List<String> taken = List.of();
    try {
      Path copy = copies.path(plugin.jar.sha256());
      made = new HostedPlugin(plugin.jar, copy, services);
      context =
          new HostedContext(made, services, plugin.guards, copies.stateOf(plugin.id), environment);
      JarExtensions declared = JarExtensions.read(copy, manifest, environment);
      plugin.extensions = declared.ids();
      taken = extensions.taken(plugin.id, declared.ids());
      extensions.prepare(plugin.id, declared, taken, copy);
      declared = made.reaching(declared);
      start(made, context);
      made.publish(earlier);
      extensions.declare(plugin.id, declared);
      made.declares(declared.ids());
    } catch (PluginRefusedException | IOException | RuntimeException | LinkageError e) {
      if (made != null && context != null) {
        close(made, context, STOP_DRAIN);
      }
      if (made != null) {
        noteInputs(plugin, made, environment, taken);
      }
      boolean isForeseen = e instanceof PluginRefusedException || e instanceof IOException;
      String reason = isForeseen ? String.valueOf(e.getMessage()) : fault(e);
      LOG.warn("plugins: {} {}: {}", plugin.id, manifest.version(), reason);
      if (!isForeseen) {
        LOG.error("plugins: {}", plugin.id, e);
      }
      plugin.problem = earlier == null ? "" : unchanged(earlier, plugin.jar) + reason;
      become(
          plugin,
          earlier == null ? PluginState.FAILED : PluginState.READY,
          earlier == null ? reason : plugin.problem);
      return;
    }
    plugin.running = made;
    plugin.context = context;
    plugin.problem = "";
    noteInputs(plugin, made, environment, taken);
    if (earlier != null && earlierContext != null) {
      close(earlier, earlierContext, DRAIN_MAX);
    }
    become(plugin, PluginState.READY, "");
    LOG.info(
        "plugins: {} {} is ready after {} ms: {}",
        plugin.id,
        manifest.version(),
        Duration.ofNanos(services.time().nanos() - begun).toMillis(),
        made.offers());
  }

  /** Leaves a mark on disk for as long as it takes. */
  private void start(HostedPlugin plugin, HostedContext context)
      throws IOException, PluginRefusedException, InterruptedException {
    marks.begin(plugin.jar());
    try {
      plugin.start(context);
    } finally {
      marks.end(plugin.jar().manifest().id());
    }
  }

  /** What it was started with, which may have changed since. */
  private static void noteInputs(
      Hosted plugin, HostedPlugin made, Map<String, String> environment, List<String> taken) {
    plugin.sections = made.sections();
    plugin.triedWith = inputs(plugin, environment, plugin.sections.values(), taken);
  }

  private void unload(Hosted plugin, Duration patience) {
    HostedPlugin running = plugin.running;
    HostedContext context = plugin.context;
    plugin.running = null;
    plugin.context = null;
    plugin.triedWith = "";
    if (running != null && context != null) {
      if (!closed) { // else they end with all others
        extensions.withdraw(plugin.id);
      }
      close(running, context, patience);
    }
  }

  /** On a thread of its own: calls that run may take long, and others must not wait for them. */
  private void close(HostedPlugin plugin, HostedContext context, Duration patience) {
    plugin.withdraw();
    Thread thread =
        Thread.ofVirtual()
            .name("plugin-close-" + plugin.jar().manifest().id())
            .unstarted(
                () -> {
                  try {
                    unloaded.add(plugin.close(context, patience));
                  } catch (InterruptedException _) {
                    LOG.warn("plugin {}: was not closed", plugin.jar().manifest().id());
                  } finally {
                    closing.remove(Thread.currentThread());
                  }
                });
    closing.add(thread);
    thread.start();
  }

  private void become(Hosted plugin, PluginState state, String reason) {
    if (plugin.state != state || !plugin.reason.equals(reason)) {
      if (plugin.state != state) {
        plugin.since = services.time().now();
      }
      plugin.state = state;
      plugin.reason = reason;
      if (!reason.isEmpty()) {
        LOG.info("plugins: {} is {}: {}", plugin.id, state.label(), reason);
      }
      report(plugin.id, state, reason);
    }
  }

  private void report(String id, PluginState state, String reason) {
    switch (state) {
      case PARKED, FAILED ->
          services
              .incidents()
              .report(
                  new NewIncident(
                      IncidentKind.PLUGIN_DOWN,
                      IncidentSeverity.WARNING,
                      id,
                      "The plugin %s %s."
                          .formatted(
                              id, state == PluginState.PARKED ? "was stopped" : "is not loaded"),
                      IncidentDetails.of(
                          List.of("It is %s: %s.".formatted(state.label(), reason)),
                          List.of("Replace or fix its jar; a new one is tried automatically."),
                          List.of(
                              "holdfast plugins info " + id, "holdfast plugins enable " + id))));
      case READY, DISABLED -> services.incidents().recovered(IncidentKind.PLUGIN_DOWN, id);
      case GATED, WAITING, STARTING -> {
        // It is not known yet whether it works.
      }
    }
  }

  private void show() {
    Set<String> used = new HashSet<>();
    List<PluginView> all = new ArrayList<>();
    for (Hosted plugin : hosted.values()) {
      HostedPlugin running = plugin.running;
      PluginJar jar = running == null ? plugin.jar : running.jar();
      used.add(plugin.jar.sha256());
      used.add(jar.sha256());
      all.add(
          new PluginView(
              plugin.id,
              jar.manifest().version(),
              jar.manifest().description(),
              String.valueOf(jar.file().getFileName()),
              plugin.state,
              plugin.reason,
              plugin.conditions,
              running == null ? List.of() : running.offers(),
              jar.manifest().uses(),
              jar.sha256(),
              jar.signer(),
              plugin.since));
    }
    views = List.copyOf(all);
    seen.values().stream()
        .flatMap(file -> Optional.ofNullable(file.jar).stream())
        .forEach(jar -> used.add(jar.sha256()));
    if (closing.isEmpty() && !used.equals(kept)) {
      try {
        copies.keepOnly(used);
        kept = used;
      } catch (IOException e) {
        LOG.warn("plugins: old copies stay: {}", e.getMessage());
      }
    }
  }
}
