package dev.holdfast.plugins;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Risk;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import java.time.Duration;
import java.util.Objects;

/** A plugin's tool as the server sees it. What it says of itself is asked for once. */
final class HostedTool implements Tool {
  /** As much as an extension may return. */
  private static final int TEXT_MAX = 10_485_760;

  private final Tool tool;
  private final PluginCalls calls;
  private final String plugin;
  private final Facts facts;

  private record Facts(ToolSpec spec, ReplayClass replay, Risk risk, Duration timeout) {}

  private HostedTool(Tool tool, PluginCalls calls, String plugin, Facts facts) {
    this.tool = tool;
    this.calls = calls;
    this.plugin = plugin;
    this.facts = facts;
  }

  /** Asks it what it is; to be called on a thread of the plugin. */
  static HostedTool of(Tool tool, PluginCalls calls, String plugin) {
    ToolSpec said = tool.spec();
    ToolSpec spec =
        new ToolSpec(
            said.name(),
            calls.texts().redact().apply(said.description()),
            said.schema(),
            said.resultSchema());
    return new HostedTool(
        tool, calls, plugin, new Facts(spec, tool.replay(), tool.risk(), tool.timeout()));
  }

  @Override
  public ToolSpec spec() {
    return facts.spec();
  }

  @Override
  public ReplayClass replay() {
    return facts.replay();
  }

  @Override
  public Risk risk() {
    return facts.risk();
  }

  @Override
  public Duration timeout() {
    return facts.timeout();
  }

  @Override
  public String label(String argumentsJson) {
    try {
      return calls
          .texts()
          .of(calls.call("label", Duration.ofSeconds(1), () -> tool.label(argumentsJson)));
    } catch (PluginFailedException | CallFailedException _) {
      return facts.spec().name();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return facts.spec().name();
    }
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) throws InterruptedException {
    try {
      return shown(
          calls.call(
              facts.spec().name(),
              facts.timeout(),
              () -> bounded(tool.run(argumentsJson, context))));
    } catch (CallFailedException e) {
      return ToolResult.error(e.failure());
    } catch (PluginFailedException e) {
      return ToolResult.error(
          Failure.of(
              FailureCode.INTERNAL,
              "The tool of the plugin " + plugin + " failed: " + e.getMessage() + "."));
    }
  }

  private static ToolResult bounded(ToolResult result) {
    int units = Objects.requireNonNull(result, "the result").text().length();
    if (units > TEXT_MAX) {
      throw new IllegalArgumentException(
          "the result has %d UTF-16 units; at most %d may be".formatted(units, TEXT_MAX));
    }
    return result;
  }

  /** Its text is redacted where every tool's is. */
  private ToolResult shown(ToolResult result) {
    Failure failure = result.failure();
    return new ToolResult(
        result.text(),
        failure == null ? null : calls.texts().of(failure),
        calls.texts().of(result.facts()),
        result.images());
  }
}
