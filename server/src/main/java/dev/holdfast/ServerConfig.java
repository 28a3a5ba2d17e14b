package dev.holdfast;

import static java.time.Duration.ofSeconds;

import dev.holdfast.agents.context.ContextConfig;
import dev.holdfast.agents.turn.ThreadsConfig;
import dev.holdfast.agents.turn.TurnConfig;
import dev.holdfast.channels.WebConfig;
import dev.holdfast.channels.WebhookConfig;
import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import dev.holdfast.ingress.api.ApiConfig;
import dev.holdfast.ingress.wire.HttpConfig;
import dev.holdfast.ingress.wire.MetricsConfig;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.models.ModelsConfig;
import dev.holdfast.replies.RepliesConfig;
import dev.holdfast.resilience.GuardsConfig;
import dev.holdfast.store.StoreConfig;
import dev.holdfast.supervision.RestartLimit;
import dev.holdfast.tools.ToolsConfig;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Map;

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
    RestartLimit restarts,
    WebConfig web,
    WebhookConfig webhook) {

  public ServerConfig {
    Check.atLeast("shutdown_secs", shutdown, ofSeconds(1));
  }

  /** The two listeners and who may use them. */
  public record Listeners(HttpConfig http, MetricsConfig metrics, ApiConfig api, boolean hasToken) {
    public Listeners {
      if (!http.isLoopback() && !hasToken && api.tokens().isEmpty()) {
        throw new IllegalArgumentException(
            "http: host "
                + http.host()
                + " is reachable from outside but no token is set; set HOLDFAST_TOKEN or"
                + " api.tokens, or bind 127.0.0.1");
      }
    }

    static Listeners from(Section root, Map<String, String> environment) {
      return new Listeners(
          root.section("http").read(HttpConfig::from),
          root.section("metrics").read(MetricsConfig::from),
          root.section("api").read(ApiConfig::from),
          !environment.getOrDefault("HOLDFAST_TOKEN", "").isEmpty());
    }
  }

  private static ZoneId zone(Section server) {
    String name = server.text("time_zone", "");
    try {
      return name.isEmpty() ? ZoneId.systemDefault() : ZoneId.of(name);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "time_zone must be a time zone like Europe/Berlin or UTC, got " + name, e);
    }
  }

  /** {@code environment}: for keys of providers and for the token. */
  static ServerConfig from(Section root, Map<String, String> environment) {
    Section server = root.section("server");
    Section channels = root.section("channels");
    return new ServerConfig(
        server.text("data_dir", "data"),
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
        root.section("supervision").read(RestartLimit::from),
        channels.section("web").read(WebConfig::from),
        channels.section("webhook").read(WebhookConfig::from));
  }
}
