package dev.holdfast;

import static java.time.Duration.ofSeconds;

import dev.holdfast.agents.context.ContextConfig;
import dev.holdfast.agents.turn.ThreadsConfig;
import dev.holdfast.agents.turn.TurnConfig;
import dev.holdfast.bus.BrokerConfig;
import dev.holdfast.channels.WebConfig;
import dev.holdfast.channels.WebhookConfig;
import dev.holdfast.config.Check;
import dev.holdfast.config.EnvFile;
import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Section;
import dev.holdfast.conversations.ConversationsConfig;
import dev.holdfast.extensions.ExtensionConfig;
import dev.holdfast.ingress.api.ApiConfig;
import dev.holdfast.ingress.login.TokenConfig;
import dev.holdfast.ingress.wire.HttpConfig;
import dev.holdfast.ingress.wire.MetricsConfig;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.memory.SweepConfig;
import dev.holdfast.models.ModelsConfig;
import dev.holdfast.plugins.PluginsConfig;
import dev.holdfast.replies.RepliesConfig;
import dev.holdfast.resilience.GuardsConfig;
import dev.holdfast.store.DataFolder;
import dev.holdfast.store.StoreConfig;
import dev.holdfast.store.threads.ThreadFilesConfig;
import dev.holdfast.supervision.SupervisionConfig;
import dev.holdfast.tasks.workers.AgentsConfig;
import dev.holdfast.tasks.workers.TaskLimits;
import dev.holdfast.tools.ToolsConfig;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The whole of holdfast.yaml. */
public record ServerConfig(
    String dataDir,
    Duration shutdown,
    ZoneId zone,
    StoreConfig store,
    Listeners listeners,
    ThreadsConfig threads,
    TurnConfig turn,
    ContextConfig context,
    RepliesConfig replies,
    ModelsConfig models,
    ToolsConfig tools,
    AttachmentsConfig attachments,
    GuardsConfig guards,
    SupervisionConfig supervision,
    WebConfig web,
    WebhookConfig webhook,
    PluginPlaces places,
    PluginsConfig plugins,
    Set<String> pluginChannels,
    List<ExtensionConfig> extensions,
    AgentsConfig agents,
    TaskLimits tasks,
    ConversationsConfig conversations,
    SweepConfig memory,
    BrokerConfig broker) {

  /** A stop that takes longer is none. */
  private static final Duration SHUTDOWN_MAX = Duration.ofHours(1);

  public ServerConfig {
    extensions = List.copyOf(extensions);
    Check.inRange("shutdown_secs", shutdown, ofSeconds(1), SHUTDOWN_MAX);
  }

  /**
   * Where plugins and variables come from.
   *
   * @param folder of jars
   */
  public record PluginPlaces(String folder, String envFile) {}

  /** The two listeners and who may use them. */
  public record Listeners(HttpConfig http, MetricsConfig metrics, ApiConfig api, boolean hasToken) {
    private static final Set<String> EVERY_ADDRESS = Set.of("0.0.0.0", "::", "[::]");

    public Listeners {
      if (isOpenToAll(http, api, hasToken)) {
        throw new RefusedValueException(
            "http",
            "http: host "
                + http.host()
                + " is reachable from outside but no token is set; set HOLDFAST_TOKEN or"
                + " api.tokens, or bind 127.0.0.1");
      }
      if (http.port() != 0 && http.port() == metrics.port() && mayOverlap(http, metrics)) {
        throw new RefusedValueException(
            "metrics",
            "metrics.port and http.port must be different on the same address, got "
                + http.port()
                + " for both");
      }
    }

    private static boolean mayOverlap(HttpConfig http, MetricsConfig metrics) {
      return http.host().equalsIgnoreCase(metrics.host())
          || EVERY_ADDRESS.contains(http.host())
          || EVERY_ADDRESS.contains(metrics.host())
          || (http.isLoopback() && metrics.isLoopback());
    }

    private static boolean isOpenToAll(HttpConfig http, ApiConfig api, boolean hasToken) {
      return !http.isLoopback() && !hasToken && api.tokens().isEmpty();
    }

    /** With the tokens of another; unchanged when they would not do for this address. */
    private Listeners withTokens(List<TokenConfig> tokens) {
      ApiConfig changed = new ApiConfig(tokens, api.answerWait(), api.levels());
      return isOpenToAll(http, changed, hasToken)
          ? this
          : new Listeners(http, metrics, changed, hasToken);
    }

    static Listeners from(Section root, Map<String, String> environment) {
      String operator = environment.getOrDefault("HOLDFAST_TOKEN", "").strip();
      return new Listeners(
          root.section("http").read(HttpConfig::from),
          root.section("metrics").read(MetricsConfig::from),
          root.section("api").read(api -> ApiConfig.from(api).without(operator)),
          !operator.isEmpty());
    }
  }

  private static ZoneId zone(Section server) {
    String name = server.text("time_zone", "");
    try {
      return name.isEmpty() ? ZoneId.systemDefault() : ZoneId.of(name);
    } catch (DateTimeException e) {
      throw new RefusedValueException(
          "time_zone", "time_zone must be a time zone like Europe/Berlin or UTC, got " + name, e);
    }
  }

  /** {@code environment}: for keys of providers and for the token. */
  static ServerConfig from(Section root, Map<String, String> environment) {
    Section server = root.section("server");
    Section channels = root.section("channels");
    return new ServerConfig(
        server.text("data_dir", DataFolder.defaultFolder(environment)),
        server.seconds("shutdown_secs", 25),
        server.read(ServerConfig::zone),
        server.read(
            section -> StoreConfig.from(section, root.section("inbox"), root.section("threads"))),
        Listeners.from(root, environment),
        root.section("threads").read(ThreadsConfig::from),
        root.section("turn").read(TurnConfig::from),
        root.section("context").read(ContextConfig::from),
        root.section("replies").read(RepliesConfig::from),
        root.section("models").read(models -> ModelsConfig.from(models, environment)),
        root.section("tools").read(ToolsConfig::from),
        root.section("attachments").read(AttachmentsConfig::from),
        GuardsConfig.from(root),
        root.section("supervision").read(SupervisionConfig::from),
        channels.section("web").read(WebConfig::from),
        channels.section("webhook").read(WebhookConfig::from),
        new PluginPlaces(server.text("plugins_dir", "plugins"), EnvFile.named(root)),
        root.section("plugins").read(PluginsConfig::from),
        channels.leaveOthers(),
        ExtensionConfig.listFrom(root),
        AgentsConfig.from(root),
        root.section("tasks").read(TaskLimits::from),
        root.section("conversations").read(ConversationsConfig::from),
        root.section("memory").read(SweepConfig::from),
        root.section("broker").read(BrokerConfig::from));
  }

  /**
   * This, with what takes effect without a restart as it is in {@code changed}. What makes sense
   * only together with something that waits for a restart waits too.
   */
  ServerConfig withLive(ServerConfig changed) {
    return new ServerConfig(
        dataDir,
        changed.shutdown,
        zone,
        store,
        listeners.withTokens(changed.listeners.api().tokens()),
        new ThreadsConfig(
            changed.threads.activeMax(),
            changed.threads.idle(),
            threads.mailbox(),
            threads.concurrentTurnsMax(),
            changed.threads.whileBusy()),
        changed.turn,
        changed.context,
        replies,
        models,
        new ToolsConfig(
            tools.shell(),
            tools.files(),
            tools.web(),
            tools.output(),
            tools.memory(),
            tools.schedule(),
            tools.skills(),
            changed.tools.autonomy()),
        attachments,
        guards,
        supervision,
        web,
        webhook,
        places,
        changed.plugins,
        changed.pluginChannels,
        changed.extensions,
        changed.agents,
        changed.tasks,
        changed.conversations,
        changed.memory,
        broker);
  }

  /** What differs in another, as sections and keys of the file. */
  List<String> differences(ServerConfig other) {
    Map<String, Object> others = other.byKey();
    return byKey().entrySet().stream()
        .filter(part -> !part.getValue().equals(others.get(part.getKey())))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Taken apart by patterns: a new component does not compile until it has a name here. */
  private Map<String, Object> byKey() {
    return switch (this) {
      case ServerConfig(
              var dataFolder,
              var stop,
              var timeZone,
              StoreConfig(
                  var inbox,
                  var freeBytesMin,
                  ThreadFilesConfig(var logBytesMax, var oldFilesMax)),
              Listeners(
                  var http,
                  var metrics,
                  ApiConfig(var tokens, var answerWait, var levels),
                  var tokenGiven),
              ThreadsConfig(
                  var activeMax,
                  var idle,
                  var mailbox,
                  var concurrentTurnsMax,
                  var whileBusy),
              var turns,
              var contexts,
              var reply,
              var model,
              ToolsConfig(
                  var shell,
                  var files,
                  var webTool,
                  var output,
                  var memory,
                  var schedule,
                  var skills,
                  var autonomy),
              var attachment,
              var breakers,
              var watched,
              var webChannel,
              var webhooks,
              PluginPlaces(var pluginFolder, var variables),
              var plugin,
              var otherChannels,
              var extension,
              var workers,
              var taskLimits,
              var conversation,
              var sweeps,
              var eventBroker) -> {
        Map<String, Object> parts = new LinkedHashMap<>();
        parts.put("server.data_dir", dataFolder);
        parts.put("server.shutdown_secs", stop);
        parts.put("server.time_zone", timeZone);
        parts.put("server.min_free_bytes", freeBytesMin);
        parts.put("inbox", inbox);
        parts.put("http", http);
        parts.put("metrics", metrics);
        parts.put("api.tokens", tokens);
        parts.put("api.wait_secs", answerWait);
        parts.put("api.levels", levels);
        parts.put("HOLDFAST_TOKEN", tokenGiven);
        parts.put("threads.max_active", activeMax);
        parts.put("threads.idle_secs", idle);
        parts.put("threads.mailbox", mailbox);
        parts.put("threads.max_concurrent_turns", concurrentTurnsMax);
        parts.put("threads.while_busy", whileBusy);
        parts.put("threads.log_max_bytes", logBytesMax);
        parts.put("threads.old_files_max", oldFilesMax);
        parts.put("turn", turns);
        parts.put("context", contexts);
        parts.put("replies", reply);
        parts.put("models", model);
        parts.put("tools.shell", shell);
        parts.put("tools.files", files);
        parts.put("tools.web", webTool);
        parts.put("tools.output", output);
        parts.put("tools.memory", memory);
        parts.put("tools.schedule", schedule);
        parts.put("tools.skills", skills);
        parts.put("tools.autonomy", autonomy);
        parts.put("attachments", attachment);
        parts.put("conversations", conversation);
        parts.put("memory", sweeps);
        parts.put("broker", eventBroker);
        parts.put("breakers", breakers);
        parts.put("supervision", watched);
        parts.put("channels.web", webChannel);
        parts.put("channels.webhook", webhooks);
        parts.put("server.plugins_dir", pluginFolder);
        parts.put("env_file", variables);
        parts.put("plugins", plugin);
        parts.put("channels", otherChannels);
        parts.put("extensions", extension);
        parts.put("agents", workers);
        parts.put("tasks", taskLimits);
        yield parts;
      }
    };
  }
}
