package dev.holdfast.browser;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.Map;

/** A tool that does one thing with the page of its conversation. */
record BrowserTool(ToolSpec spec, ReplayClass replay, Action action) implements Tool {
  /** Several commands of the browser, and a wait. */
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** What it does; blocks. */
  @FunctionalInterface
  interface Action {
    ToolResult of(Map<String, Object> arguments, ToolContext call)
        throws CallFailedException, InterruptedException;
  }

  /** As {@link Action}, for what is told in words alone. */
  @FunctionalInterface
  interface Words {
    String of(Map<String, Object> arguments, ToolContext call)
        throws CallFailedException, InterruptedException;
  }

  /**
   * @param properties of the schema of its arguments, with those that are required first
   */
  static BrowserTool of(
      String name,
      String does,
      String required,
      String properties,
      ReplayClass replay,
      Words action) {
    String schema =
        "{\"type\":\"object\",\"properties\":{%s},\"required\":[%s],\"additionalProperties\":false}"
            .formatted(properties, required);
    return new BrowserTool(
        new ToolSpec("browser_" + name, does, schema),
        replay,
        (arguments, call) -> ToolResult.ok(action.of(arguments, call)));
  }

  /** One that changes nothing and takes no arguments. */
  static BrowserTool looking(String name, String does, Action action) {
    String schema = "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}";
    return new BrowserTool(new ToolSpec("browser_" + name, does, schema), ReplayClass.READ, action);
  }

  @Override
  public Duration timeout() {
    return TIMEOUT;
  }

  @Override
  public ToolResult run(String arguments, ToolContext call) throws InterruptedException {
    try {
      return action.of(JsonText.object(arguments), call);
    } catch (CallFailedException e) {
      return ToolResult.error(e.failure());
    }
  }
}
