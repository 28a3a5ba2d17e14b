package dev.holdfast.tools;

import dev.holdfast.api.Tool;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.net.GuardedWeb;
import dev.holdfast.processes.Children;
import dev.holdfast.store.AttachmentFolder;
import dev.holdfast.tools.files.FileTools;
import dev.holdfast.tools.web.WebFetchTool;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The tools that come with the server, as the operator switched them on. */
public final class BuiltIns {
  private BuiltIns() {}

  /**
   * What tools work with.
   *
   * @param children empty when no tool needs them
   * @param web how pages are fetched
   * @param folders where files of a chat thread are kept, by its id
   */
  public record Needs(
      Optional<Children> children,
      FileTools files,
      GuardedWeb web,
      Function<String, AttachmentFolder> folders,
      AttachmentsConfig attachments) {}

  public static List<Tool> of(ToolsConfig config, Needs needs) {
    List<Tool> tools = new ArrayList<>();
    if (config.autonomy() == ToolsConfig.Autonomy.MANUAL) {
      return tools;
    }
    needs.children().ifPresent(children -> tools.add(new ShellTool(children, config.shell())));
    tools.addAll(needs.files().tools());
    if (config.web().enabled()) {
      tools.add(new WebFetchTool(needs.web(), config.web()));
    }
    if (needs.attachments().countMax() > 0) {
      tools.add(new AttachFileTool(needs.folders(), needs.attachments()));
    }
    return tools;
  }
}
