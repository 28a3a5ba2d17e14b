package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.extensions.ExtensionConfig.ActionConfig;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.processes.ChildResult;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** An extension whose program is run once for each call. */
final class ActionExtension implements Extension {
  private static final int ERROR_LINES_MAX = 50;

  private final String source;
  private final ExtensionConfig config;
  private final ExtensionServices services;
  private final ExtensionLaunch launch;
  private final OfferedTools tools;
  private final ExtensionMetrics metrics;
  private final ExtensionCalls calls;
  private volatile boolean stopped;
  private volatile String lastError = "";
  private volatile List<String> errors = List.of();

  ActionExtension(String source, ExtensionConfig config, ExtensionServices services) {
    this.source = source;
    this.config = config;
    this.services = services;
    this.launch = new ExtensionLaunch(config, services);
    this.tools = new OfferedTools(services.toolbox());
    this.metrics = new ExtensionMetrics(config.id(), services.meters(), () -> true);
    this.calls = new ExtensionCalls(config, metrics, services);
  }

  @Override
  public ExtensionConfig config() {
    return config;
  }

  @Override
  public ExtensionView view() {
    return new ExtensionView(
        config.id(),
        source,
        config.protocol(),
        stopped ? ExtensionState.STOPPED : ExtensionState.IDLE,
        "",
        config.command().stream().map(services.secrets()::redact).toList(),
        tools.names(),
        tools.refused(),
        List.of(),
        "",
        0,
        0,
        0,
        lastError,
        null);
  }

  @Override
  public List<String> errors() {
    return errors;
  }

  /** What can be wrong shows at each call; the breaker has a condition of its own. */
  @Override
  public Optional<ConditionReport> report() {
    return Optional.empty();
  }

  @Override
  public void start(Optional<Extension> before) {
    Map<String, OfferedTools.Offer> offers = new TreeMap<>();
    for (ActionConfig action : config.actions()) {
      offers.put(
          OfferedTools.name(config.id(), action.name()),
          new OfferedTools.Offer(action, new ActionTool(config, action, this::call)));
    }
    tools.replace(offers);
  }

  @Override
  public void hideSecrets() {
    launch.hideSecrets();
  }

  @Override
  public void lookAtSecrets() {
    // Each call begins with what is so then.
  }

  @Override
  public void restart() {
    // Nothing runs between calls.
  }

  @Override
  public boolean approve(String seen) {
    return true; // it offers what the operator has declared
  }

  @Override
  public void stop() {
    stopped = true;
    tools.clear();
    metrics.close();
  }

  @Override
  public boolean awaitEnd(Duration limit) {
    return true; // a call that runs is ended by its own limits
  }

  private ToolResult call(ActionConfig action, JsonObject arguments, ToolContext context)
      throws InterruptedException {
    ToolResult result =
        calls.run(config.tools().replayOf(action.name()), () -> run(action, arguments, context));
    Failure failure = result.failure();
    if (failure != null) {
      lastError = services.secrets().redact(failure.message());
    }
    return result;
  }

  private ToolResult run(ActionConfig action, JsonObject arguments, ToolContext context)
      throws CallFailedException, InterruptedException {
    ActionExchange exchange = new ActionExchange(config.id(), action, context);
    ChildResult result =
        services.children().get().run(launch.once(exchange.request(arguments).encode()));
    List<String> lines = result.errors().lines().toList();
    errors = lines.subList(Math.max(0, lines.size() - ERROR_LINES_MAX), lines.size());
    if (result.timedOut()) {
      String text =
          "Agent %s timed out after %d seconds."
              .formatted(config.id(), config.timeouts().call().toSeconds());
      throw new CallFailedException(Failure.of(FailureCode.TIMEOUT, text));
    }
    return exchange.answer(result);
  }
}
