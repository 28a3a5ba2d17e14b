package dev.holdfast;

import dev.holdfast.agents.context.AgentKnowledge;
import dev.holdfast.agents.context.Attachments;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.net.GuardedWeb;
import dev.holdfast.processes.Children;
import dev.holdfast.processes.ChildrenConfig;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.time.Time;
import dev.holdfast.tools.BuiltIns;
import dev.holdfast.tools.Toolbox;
import dev.holdfast.tools.ToolsConfig;
import dev.holdfast.tools.files.Backups;
import dev.holdfast.tools.files.ChangeServices;
import dev.holdfast.tools.files.FileFailedException;
import dev.holdfast.tools.files.FileTools;
import dev.holdfast.tools.memory.Memory;
import dev.holdfast.tools.memory.MemoryConfig;
import dev.holdfast.tools.skills.Skills;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What models may do besides talking, put together as the operator switched it on. */
final class Tooling {
  private static final Logger LOG = LoggerFactory.getLogger(Tooling.class);
  private static final int DISK_FAILED = 74;

  private final Settings settings;
  private final Store store;
  private final GuardedWeb web;
  private final FileTools files;
  private final Optional<Children> children;
  private final Toolbox toolbox;

  private Tooling(
      Settings settings,
      Store store,
      GuardedWeb web,
      FileTools files,
      Optional<Children> children,
      Toolbox toolbox) {
    this.settings = settings;
    this.store = store;
    this.web = web;
    this.files = files;
    this.children = children;
    this.toolbox = toolbox;
  }

  /** What it opens is added to {@code opened}. */
  static Tooling open(
      Settings settings,
      Store store,
      GuardedWeb web,
      Time time,
      MeterRegistry meters,
      Opened opened)
      throws IOException, StartRefusedException, InterruptedException {
    hideOwnFiles(settings);
    FileTools files = files(settings, store, time);
    Optional<Children> children = children(settings, time);
    if (children.isPresent()) {
      opened.add("children", children.get()::close);
    }
    ToolsConfig tools = settings.config().tools();
    BuiltIns.Knowledge knowledge =
        new BuiltIns.Knowledge(
            store, settings.dataDir(), settings.secrets(), time, settings.config().zone());
    BuiltIns.Services services =
        new BuiltIns.Services(
            children,
            files,
            web,
            id -> store.threads().of(id).attachments(),
            settings.config().attachments(),
            knowledge);
    Toolbox toolbox =
        new Toolbox(BuiltIns.of(tools, services), tools.output(), settings.secrets(), time, meters);
    return new Tooling(settings, store, web, files, children, toolbox);
  }

  /** The configuration, and what stands beside it to fill the server's environment. */
  private static void hideOwnFiles(Settings settings) {
    Path file = settings.file().toAbsolutePath();
    settings.secrets().addFile(file);
    for (String name : List.of("holdfast.env", "secrets.env", ".env")) {
      settings.secrets().addFile(file.resolveSibling(name));
    }
  }

  Toolbox toolbox() {
    return toolbox;
  }

  AgentKnowledge knowledge() {
    ServerConfig config = settings.config();
    MemoryConfig memory = config.tools().memory();
    return new AgentKnowledge(
        memory.enabled()
            ? Optional.of(new Memory(store, settings.dataDir(), memory.bytesMax()))
            : Optional.empty(),
        new Skills(settings.dataDir(), store.texts()),
        config.zone(),
        config.models().budget());
  }

  Attachments attachments() {
    return new Attachments(web::fetch, settings.config().attachments());
  }

  Backups backups() {
    return files.backups();
  }

  /** Ends the children of tools. Blocks until they are gone. */
  void close() throws InterruptedException {
    children.ifPresent(Children::close);
  }

  /** Only with tools that need them: a server that starts no children need not be able to. */
  private static Optional<Children> children(Settings settings, Time time)
      throws StartRefusedException, InterruptedException {
    ToolsConfig tools = settings.config().tools();
    if (!tools.shell().enabled()) {
      return Optional.empty();
    }
    try {
      Children children =
          Children.open(
              ChildrenConfig.of(tools.shell().sandbox(), settings.dataDir())
                  .hiding(settings.secrets()::files)
                  .tryingIn(TemporaryFolder.in(settings.dataDir()).path()),
              time);
      if (children.isUnconfinedRoot()) {
        children.close();
        throw new StartRefusedException(
            Boot.CONFIGURATION,
            "tools.shell: the server runs as root and no sandbox works, so a command could do"
                + " anything to this machine. Run the server as another user, install bubblewrap"
                + " and allow user namespaces, or set tools.shell.enabled: false");
      }
      LOG.info("tools: {}", children.describe());
      return Optional.of(children);
    } catch (CallFailedException e) {
      throw new StartRefusedException(
          Boot.CONFIGURATION, "tools.shell: " + e.failure().message(), e);
    }
  }

  private static FileTools files(Settings settings, Store store, Time time)
      throws IOException, StartRefusedException {
    ChangeServices services =
        new ChangeServices(
            time,
            store.audit()::append,
            text -> Server.halt(DISK_FAILED, text),
            event -> store.inbox().find(event).map(found -> found.state().isOpen()).orElse(false));
    try {
      return FileTools.open(
          settings.config().tools().files(),
          settings.dataDir(),
          settings.secrets()::files,
          services);
    } catch (FileFailedException e) {
      throw new StartRefusedException(
          Boot.CONFIGURATION, "tools.files: " + e.failure().message(), e);
    }
  }
}
