package dev.holdfast.tools;

import dev.holdfast.api.Tool;
import dev.holdfast.processes.Children;
import dev.holdfast.tools.files.FileTools;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The tools that come with the server, as the operator switched them on. */
public final class BuiltIns {
  private BuiltIns() {}

  /**
   * What tools work with.
   *
   * @param children empty when no tool needs them
   */
  public record Needs(Optional<Children> children, FileTools files) {}

  public static List<Tool> of(ToolsConfig config, Needs needs) {
    List<Tool> tools = new ArrayList<>();
    if (config.autonomy() == ToolsConfig.Autonomy.MANUAL) {
      return tools;
    }
    needs.children().ifPresent(children -> tools.add(new ShellTool(children, config.shell())));
    tools.addAll(needs.files().tools());
    return tools;
  }
}
