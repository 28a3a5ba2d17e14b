package dev.holdfast.plugins;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Markup;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.Tool;
import dev.holdfast.channels.MarkupRenderer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** What one plugin is given. Thread-safe. */
final class HostedContext implements PluginContext {
  private static final Duration PAUSE_MIN = Duration.ofMillis(10);

  private final HostedPlugin plugin;
  private final PluginManifest manifest;
  private final PluginServices services;
  private final Path folder;
  private final Map<String, String> environment;
  private final System.Logger logger;
  private final HostedSockets sockets;
  private final PluginHttp http;
  private volatile boolean closed;

  /**
   * @param environment what is set; of it the plugin sees what its manifest names
   */
  HostedContext(
      HostedPlugin plugin,
      PluginServices services,
      HostGuards guards,
      Path folder,
      Map<String, String> environment) {
    this.plugin = plugin;
    this.manifest = plugin.jar().manifest();
    this.services = services;
    this.folder = folder;
    this.environment = environment;
    this.logger = new HostedLogger(manifest.id());
    this.sockets = new HostedSockets(plugin.calls().texts());
    this.http = new HostedHttp(services.http(), services.web(), guards, sockets, services.time());
  }

  void close() {
    closed = true;
    sockets.close();
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the plugin was stopped");
    }
  }

  @Override
  public String id() {
    return manifest.id();
  }

  @Override
  public PluginConfig config() {
    return new HostedConfig(plugin.ownSection().section());
  }

  @Override
  public PluginConfig channelConfig(String channel) {
    return new HostedConfig(plugin.read("channels", channel).section());
  }

  @Override
  public Optional<String> secret(String name) {
    if (!manifest.mayRead(name)) {
      throw new IllegalArgumentException(
          "the manifest does not name the variable " + name + " in Holdfast-Secret-Env");
    }
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }

  @Override
  public System.Logger logger() {
    return logger;
  }

  @Override
  public Path stateFolder() {
    return folder;
  }

  @Override
  public Instant now() {
    return services.time().now();
  }

  @Override
  public long nanos() {
    return services.time().nanos();
  }

  @Override
  public void sleep(Duration wait) throws InterruptedException {
    services.time().sleep(wait);
  }

  @Override
  public PluginHttp http() {
    return http;
  }

  @Override
  public String rendered(String markdown, Markup markup) {
    return MarkupRenderer.render(markdown, markup);
  }

  @Override
  public Background run(String name, Job job) {
    return begin(
        name,
        _ -> {
          job.run();
          return true;
        });
  }

  @Override
  public Background every(String name, Duration pause, Job job) {
    if (pause.compareTo(PAUSE_MIN) < 0) {
      throw new IllegalArgumentException("the pause must be at least 10 ms, got " + pause);
    }
    return begin(
        name,
        isInterrupted -> {
          while (!isInterrupted.getAsBoolean()) {
            services.time().sleep(pause);
            try {
              job.run();
            } catch (InterruptedException e) {
              throw e;
            } catch (Exception e) {
              if (!isInterrupted.getAsBoolean()) {
                plugin.calls().blame(name, e);
              }
            }
          }
          return true;
        });
  }

  private Background begin(String name, PluginCalls.Code<Boolean> job) {
    requireOpen();
    try {
      return plugin.calls().begin(name, job)::interrupt;
    } catch (PluginFailedException e) {
      throw new IllegalStateException(e.getMessage());
    }
  }

  @Override
  public Offer offer(Tool tool) {
    requireOpen();
    return plugin.offer(HostedTool.of(tool, plugin.calls(), manifest.id()));
  }

  @Override
  public Offer offer(ChannelAdapter channel) {
    requireOpen();
    return plugin.offer(HostedChannel.of(channel, plugin.calls()));
  }

  @Override
  public Offer offer(ModelProvider provider) {
    requireOpen();
    return plugin.offer(HostedProvider.of(provider, plugin.calls()));
  }
}
