package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.config.MaskedText;
import dev.holdfast.extensions.ExtensionConfig.ActionConfig;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.processes.ChildResult;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An extension whose program is run once for each call. */
final class ActionExtension implements Extension {
  private static final int ERROR_LINES_MAX = 50;

  private final String source;
  private final ExtensionConfig config;
  private final ExtensionServices services;
  private final ExtensionLaunch launch;
  private final OfferedTools<ActionConfig> tools;
  private final ExtensionMetrics metrics;
  private final ExtensionCalls calls;
  private volatile boolean stopped;
  private volatile String lastError = "";
  private volatile @Nullable Instant lastErrorAt;
  private volatile List<String> errors = List.of();

  ActionExtension(String source, ExtensionConfig config, ExtensionServices services) {
    this.source = source;
    this.config = config;
    this.services = services;
    this.launch = new ExtensionLaunch(config, services);
    this.tools = new OfferedTools<>(services.toolbox());
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
        false,
        "",
        MaskedText.of(config.command().stream().map(services.secrets()::redact).toList()),
        tools.names(),
        tools.refused(),
        List.of(),
        "",
        0,
        0,
        0,
        lastError,
        lastErrorAt,
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
    Map<String, OfferedTools.Offer<ActionConfig>> offers = new TreeMap<>();
    for (ActionConfig action : config.actions()) {
      if (action.tasksOnly()) {
        continue;
      }
      offers.put(
          OfferedTools.name(config.id(), action.name()),
          new OfferedTools.Offer<>(action, new ActionTool(config, action, this::call)));
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
  public void renew() {
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

  @Override
  public List<Long> processes() {
    return List.of(); // each call has a child of its own
  }

  @Override
  public List<ExtensionAction> actions() {
    return actionConfigs()
        .map(
            action ->
                new ExtensionAction(
                    action.name(),
                    action.description(),
                    action.schema(),
                    config.tools().replayOf(action.name())))
        .toList();
  }

  @Override
  public AttemptAnswer attempt(TaskCall call) throws InterruptedException {
    AttemptAnswer answer = calls.attempt(() -> run(call));
    if (answer instanceof AttemptAnswer.Failed(Failure failure, _)) {
      failed(failure.message());
    }
    return answer;
  }

  private String run(TaskCall call) throws CallFailedException, InterruptedException {
    ActionConfig action =
        actionConfigs()
            .filter(each -> each.name().equals(call.action()))
            .findFirst()
            .orElseThrow(() -> new CallFailedException(notDone(call)));
    JsonObject payload = PayloadCheck.payload(call.payload(), action.schema());
    ActionOrigin origin = ActionOrigin.of(call);
    return PayloadCheck.result(
        Json.encode(run(action, origin, payload, call.limit(), call.progress())),
        action.resultSchema());
  }

  /** Those that are offered as tools, and those that are for tasks alone; none after its end. */
  private Stream<ActionConfig> actionConfigs() {
    return Stream.concat(
            tools.facts().stream(),
            stopped ? Stream.empty() : config.actions().stream().filter(ActionConfig::tasksOnly))
        .sorted(Comparator.comparing(ActionConfig::name));
  }

  private Failure notDone(TaskCall call) {
    return stopped
        ? Failure.of(FailureCode.AGENT_UNAVAILABLE, "Extension " + config.id() + " was stopped.")
            .unsent()
        : ExtensionCalls.unsupported(config.id(), call);
  }

  private ToolResult call(ActionConfig action, JsonObject arguments, ToolContext context)
      throws InterruptedException {
    ToolResult result =
        calls.run(config.tools().replayOf(action.name()), () -> run(action, arguments, context));
    Failure failure = result.failure();
    if (failure != null) {
      failed(services.secrets().redact(failure.message()));
    }
    return result;
  }

  private void failed(String why) {
    lastError = why;
    lastErrorAt = services.time().now();
  }

  private ToolResult run(ActionConfig action, JsonObject arguments, ToolContext context)
      throws CallFailedException, InterruptedException {
    try {
      ActionOrigin origin = ActionOrigin.of(config.id(), context);
      Consumer<String> progress = label -> context.progress().doing(config.id() + ": " + label);
      Object data = run(action, origin, arguments, config.timeouts().call(), progress);
      return ExtensionTool.filled(ToolResult.ok(data == null ? "" : String.valueOf(data)));
    } catch (CallFailedException e) {
      Failure failure = e.failure();
      if (failure.isPassing()
          || !failure.context().containsKey(ExtensionTool.REPORTED_BY_EXTENSION)) {
        throw e;
      }
      return ToolResult.error(failure); // for the breaker it works: what it was asked is at fault
    }
  }

  /** The data of its result. */
  private @Nullable Object run(
      ActionConfig action,
      ActionOrigin origin,
      JsonObject payload,
      Duration limit,
      Consumer<String> progress)
      throws CallFailedException, InterruptedException {
    ActionExchange exchange =
        new ActionExchange(config.id(), action.name(), origin, limit, services.secrets()::redact);
    ChildResult result = start(exchange.request(payload).encode(), limit, progress);
    List<String> lines = result.errors().lines().toList();
    errors = lines.subList(Math.max(0, lines.size() - ERROR_LINES_MAX), lines.size());
    return exchange.data(result);
  }

  /** Runs a child to its end; what fails before is unsent. */
  private ChildResult start(String input, Duration limit, Consumer<String> progress)
      throws CallFailedException, InterruptedException {
    try (ActionProgress told =
        ActionProgress.start(text -> progress.accept(services.secrets().redact(text)))) {
      return services.children().get().run(launch.once(input, limit), told::hear);
    } catch (CallFailedException e) {
      throw new CallFailedException(e.failure().unsent(), e);
    }
  }
}
