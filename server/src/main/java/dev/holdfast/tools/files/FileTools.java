package dev.holdfast.tools.files;

import dev.holdfast.api.Tool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tools for files, and the backups of what they change. Thread-safe. */
public final class FileTools {
  private static final Logger LOG = LoggerFactory.getLogger(FileTools.class);
  private static final String FOLDER = "backups";

  private final List<Tool> tools;
  private final Backups backups;

  private FileTools(List<Tool> tools, Backups backups) {
    this.tools = List.copyOf(tools);
    this.backups = backups;
  }

  /**
   * @param data the data folder; it exists
   * @param hidden files that no tool may reach, such as the configuration; they may become more
   * @throws FileFailedException when the configuration asks for what cannot be
   */
  public static FileTools open(
      FilesConfig config,
      Path data,
      Supplier<? extends Collection<Path>> hidden,
      ChangeServices services)
      throws IOException, FileFailedException {
    AllowedFolders allowed = AllowedFolders.open(data, config.roots(), new HiddenFiles(hidden));
    config.roots().stream()
        .filter(root -> !allowed.roots().contains(root.normalize()))
        .forEach(root -> LOG.warn("tools.files: {} is not a folder and is skipped", root));
    AllowedFiles files = new AllowedFiles(allowed);
    BackupFolder backupFolder =
        new BackupFolder(data.resolve(FOLDER), config.backups(), services.unfinished());
    FileLocks locks = new FileLocks();
    ChangeExecutor executor = new ChangeExecutor(files, backupFolder, locks, services);
    List<Tool> tools =
        List.of(
            new ReadFileTool(allowed),
            new ListFilesTool(allowed),
            new SearchFilesTool(allowed, services.time()),
            new WriteFileTool(allowed, executor),
            new EditFileTool(allowed, executor),
            new DeleteFileTool(allowed, executor),
            new MoveFileTool(allowed, executor));
    return new FileTools(
        config.enabled() ? tools : List.of(), new Backups(files, backupFolder, locks, services));
  }

  /** None when they are switched off. */
  public List<Tool> tools() {
    return tools;
  }

  public Backups backups() {
    return backups;
  }
}
