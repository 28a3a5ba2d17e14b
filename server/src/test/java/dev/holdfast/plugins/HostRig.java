package dev.holdfast.plugins;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.channels.Channels;
import dev.holdfast.config.ConfigFile;
import dev.holdfast.config.ConfigPart;
import dev.holdfast.config.EnvFile;
import dev.holdfast.config.Secrets;
import dev.holdfast.config.Section;
import dev.holdfast.extensions.ExtensionServices;
import dev.holdfast.extensions.Extensions;
import dev.holdfast.extensions.Pace;
import dev.holdfast.incidents.FakeIncidents;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.models.Models;
import dev.holdfast.models.ModelsConfig;
import dev.holdfast.models.Providers;
import dev.holdfast.net.GuardedWeb;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.processes.Children;
import dev.holdfast.processes.ChildrenConfig;
import dev.holdfast.processes.ChildrenConfig.Sandbox;
import dev.holdfast.resilience.GuardMemory;
import dev.holdfast.resilience.Guards;
import dev.holdfast.resilience.GuardsConfig;
import dev.holdfast.supervision.RecentResults;
import dev.holdfast.time.SystemTime;
import dev.holdfast.time.Time;
import dev.holdfast.tools.ToolOutputConfig;
import dev.holdfast.tools.Toolbox;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;

/** A host of plugins with the parts that it needs, in a folder of its own. */
final class HostRig {
  private final Path folder;
  private final Path plugins;
  private final EnvFile envFile;
  private final Vertx vertx = Vertx.vertx();
  private final Time time = new SystemTime(); // threads of plugins are real
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  final FakeIncidents incidents = new FakeIncidents();
  private final Secrets secrets = new Secrets();
  private final Toolbox toolbox;
  private final Channels channels = new Channels(List.of());
  private final HttpCaller http;
  private final AtomicReference<Children> children = new AtomicReference<>();
  private Extensions extensions;
  private PluginHost host;
  private Thread thread;

  /** Whether the server is a restored copy. */
  volatile boolean isCopy;

  HostRig(Path folder) throws IOException {
    this(folder, folder.resolve("plugins"));
  }

  HostRig(Path folder, Path plugins) throws IOException {
    this.folder = folder;
    this.plugins = Files.createDirectories(plugins);
    Files.createDirectories(folder.resolve("data"));
    this.envFile = new EnvFile(folder.resolve("holdfast.env"), Map.of("HOME", "/", "PATH", "/bin"));
    configure("");
    toolbox = new Toolbox(List.of(), ToolOutputConfig.from(Section.empty()), secrets, time, meters);
    http = HttpCaller.create(vertx, time);
    start();
  }

  private void start() throws IOException {
    Guards guards = Guards.create(GuardsConfig.defaults(), GuardMemory.none(), time, meters, vertx);
    ModelsConfig config = ModelsConfig.from(Section.empty(), Map.of());
    Models models = Models.create(config, Providers.of(config, http, time), guards, time, meters);
    extensions =
        new Extensions(
            new ExtensionServices(
                folder.resolve("data/extensions"),
                this::children,
                http,
                toolbox,
                guards,
                envFile::now,
                secrets,
                AttachmentsConfig.defaults(),
                Pace.USUAL,
                () -> true,
                () -> 0.5,
                new RecentResults(time),
                incidents,
                time,
                meters));
    host =
        PluginHost.open(
            new PluginServices(
                plugins,
                folder.resolve("data"),
                toolbox,
                channels,
                models,
                extensions,
                () -> {},
                http,
                GuardedWeb.of(http, List.of(), Set::of, guards, time),
                guards,
                secrets,
                new Now(),
                incidents,
                time,
                meters,
                "0.1.0"));
    thread =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    host.run();
                  } catch (InterruptedException _) {
                    return;
                  }
                });
  }

  void restart() throws Exception {
    restart(() -> folder);
  }

  /** With something that happens while the server is away. */
  void restart(Callable<?> between) throws Exception {
    stop();
    Object _ = between.call();
    start();
  }

  /** From now on it looks only when it is told to. */
  void stopLooking() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }

  private void stop() throws InterruptedException {
    stopLooking();
    host.close();
    extensions.close();
    Children opened = children.getAndSet(null);
    if (opened != null) {
      opened.close();
    }
  }

  /** Most tests need none. */
  private synchronized Children children() throws CallFailedException, InterruptedException {
    Children opened = children.get();
    if (opened == null) {
      opened = Children.open(ChildrenConfig.of(Sandbox.AUTO, data()), time);
      children.set(opened);
    }
    return opened;
  }

  void close() throws InterruptedException {
    stop();
    http.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  void configure(String yaml) throws IOException {
    Files.writeString(folder.resolve("holdfast.yaml"), yaml);
  }

  private final class Now implements PluginServices.Settings {
    @Override
    public ConfigPart part(String... path) {
      return ConfigFile.read(folder.resolve("holdfast.yaml"), environment())
          .part(environment(), path);
    }

    @Override
    public Map<String, String> environment() {
      return envFile.now();
    }

    @Override
    public Path envFile() {
      return envFile.file();
    }

    @Override
    public PluginsConfig plugins() {
      return PluginsConfig.from(
          ConfigFile.read(folder.resolve("holdfast.yaml"), environment())
              .root()
              .section("plugins"));
    }

    @Override
    public boolean isCopy() {
      return isCopy;
    }
  }

  /** Has a tool run and returns what a model sees of it. */
  String call(String tool) throws InterruptedException {
    return result(tool).text();
  }

  ToolResult result(String tool) throws InterruptedException {
    return toolbox.run(
        new ToolCall("c1", tool, "{}"),
        new ToolContext("web:main:t", "e1", "me", "c1", "k1", folder, label -> {}));
  }

  String label(String tool) throws InterruptedException {
    return toolbox.label(new ToolCall("c1", tool, "{}"));
  }

  Instant now() {
    return time.now();
  }

  Path plugins() {
    return plugins;
  }

  Path envFile() {
    return envFile.file();
  }

  Toolbox toolbox() {
    return toolbox;
  }

  HttpCaller http() {
    return http;
  }

  Channels channels() {
    return channels;
  }

  Secrets secrets() {
    return secrets;
  }

  Extensions extensions() {
    return extensions;
  }

  Path data() {
    return folder.resolve("data");
  }

  PluginHost host() {
    return host;
  }

  PluginView view(String id) {
    return host.plugins().stream()
        .filter(plugin -> plugin.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  void awaitState(String id, PluginState state) throws Exception {
    await(
        () ->
            host.plugins().stream()
                .anyMatch(plugin -> plugin.id().equals(id) && plugin.state() == state));
  }

  void await(Callable<Boolean> holds) throws Exception {
    long end = System.nanoTime() + 20_000_000_000L; // for other threads
    while (!holds.call()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within 20 s; " + host.plugins() + " " + host.refusedFiles());
      }
      Thread.sleep(20);
    }
  }
}
