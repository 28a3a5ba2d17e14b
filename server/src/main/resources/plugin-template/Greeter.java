package @PACKAGE@;

import dev.holdfast.api.Plugin;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;

/** Offers one tool; the section {@code plugins.@ID@} of the configuration says how it greets. */
public final class Greeter implements Plugin {
  @Override
  public void start(PluginContext context) {
    context.offer(tool(context.config().text("greeting", "Good day")));
  }

  static Tool tool(String greeting) {
    return new Tool() {
      @Override
      public ToolSpec spec() {
        return new ToolSpec(
            "@TOOL@_greet",
            "Greets the person who writes.",
            "{\"type\":\"object\",\"properties\":{}}");
      }

      /** After a crash it may run again: it changes nothing. */
      @Override
      public ReplayClass replay() {
        return ReplayClass.READ;
      }

      @Override
      public ToolResult run(String arguments, ToolContext call) {
        return ToolResult.ok(greeting + ", " + call.sender() + "!");
      }
    };
  }
}
