package dev.holdfast.tools;

import dev.holdfast.api.Tool;
import dev.holdfast.config.Secrets;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.net.GuardedWeb;
import dev.holdfast.processes.Children;
import dev.holdfast.processes.ChildrenSource;
import dev.holdfast.store.Store;
import dev.holdfast.store.threads.AttachmentFolder;
import dev.holdfast.time.Time;
import dev.holdfast.tools.files.FileTools;
import dev.holdfast.tools.memory.HistoryTool;
import dev.holdfast.tools.memory.Memory;
import dev.holdfast.tools.memory.RecallHits;
import dev.holdfast.tools.memory.RecallTool;
import dev.holdfast.tools.memory.RememberTool;
import dev.holdfast.tools.memory.SystemNotes;
import dev.holdfast.tools.schedule.ScheduleTool;
import dev.holdfast.tools.skills.ReadSkillTool;
import dev.holdfast.tools.skills.SkillFiles;
import dev.holdfast.tools.skills.Skills;
import dev.holdfast.tools.web.WebFetchTool;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The tools that come with the server, as the operator switched them on. */
public final class BuiltIns {
  /** What the server's own tools are called, also those that are switched off: no other may be. */
  static final Set<String> NAMES =
      Set.of(
          AttachFileTool.NAME,
          HistoryTool.NAME,
          ReadSkillTool.NAME,
          RecallTool.NAME,
          RememberTool.NAME,
          RunSkillScriptTool.NAME,
          ScheduleTool.NAME,
          ShellTool.NAME,
          ToolSearchTool.NAME,
          WebFetchTool.NAME,
          "delegate",
          "delete_file",
          "edit_file",
          "list_files",
          "move_file",
          "plan",
          "plan_status",
          "read_file",
          "search_files",
          "write_file");

  private BuiltIns() {}

  /**
   * What the tools are made of.
   *
   * @param children empty when the shell is off
   * @param scripts where scripts of skills run
   * @param web how pages are fetched
   * @param folders where files of a chat thread are kept, by its id
   * @param knowledge for tools that work on what is remembered
   */
  public record Services(
      Optional<Children> children,
      ChildrenSource scripts,
      FileTools files,
      GuardedWeb web,
      Function<String, AttachmentFolder> folders,
      AttachmentsConfig attachments,
      Knowledge knowledge) {}

  /**
   * What memory, history, schedules and skills work with.
   *
   * @param memory one for all who write to it
   * @param recalls counts what is found in it
   * @param notes what the server knows of itself
   * @param skills that the operator has laid down
   * @param zone of days and times that name none
   */
  public record Knowledge(
      Store store,
      Memory memory,
      RecallHits recalls,
      Secrets secrets,
      SystemNotes notes,
      Skills skills,
      Time time,
      ZoneId zone) {}

  public static List<Tool> of(ToolsConfig config, Services services) {
    List<Tool> tools = new ArrayList<>();
    services.children().ifPresent(children -> tools.add(new ShellTool(children, config.shell())));
    tools.addAll(services.files().tools());
    if (config.web().enabled()) {
      tools.add(new WebFetchTool(services.web(), config.web()));
    }
    if (services.attachments().countMax() > 0) {
      tools.add(new AttachFileTool(services.folders(), services.attachments()));
    }
    addKnowledgeTools(tools, config, services.knowledge());
    if (config.skills().scripts().enabled()) {
      Knowledge knowledge = services.knowledge();
      tools.add(
          new RunSkillScriptTool(
              knowledge.skills(),
              new SkillFiles(knowledge.secrets()::files),
              services.scripts(),
              config.skills().scripts()));
    }
    return tools;
  }

  private static void addKnowledgeTools(List<Tool> tools, ToolsConfig config, Knowledge knowledge) {
    if (config.memory().enabled()) {
      tools.add(
          new RememberTool(
              config.memory(),
              knowledge.memory(),
              knowledge.store().audit(),
              knowledge.secrets(),
              () -> knowledge.time().now().atZone(knowledge.zone())));
      tools.add(new RecallTool(knowledge.memory(), knowledge.notes(), knowledge.recalls()));
    }
    tools.add(new HistoryTool(knowledge.store()));
    tools.add(new ReadSkillTool(knowledge.skills(), new SkillFiles(knowledge.secrets()::files)));
    if (config.schedule().enabled()) {
      tools.add(
          new ScheduleTool(
              config.schedule(),
              knowledge.store(),
              knowledge.secrets(),
              knowledge.time(),
              knowledge.zone()));
    }
  }
}
