package dev.holdfast;

import dev.holdfast.agents.context.AgentKnowledge;
import dev.holdfast.agents.context.Attachments;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.net.GuardedWeb;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.processes.Children;
import dev.holdfast.processes.ChildrenConfig;
import dev.holdfast.resilience.Guards;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.time.Time;
import dev.holdfast.tools.BuiltIns;
import dev.holdfast.tools.Toolbox;
import dev.holdfast.tools.ToolsConfig;
import dev.holdfast.tools.files.Backups;
import dev.holdfast.tools.files.ChangeContext;
import dev.holdfast.tools.files.FileFailedException;
import dev.holdfast.tools.files.FileTools;
import dev.holdfast.tools.memory.Memory;
import dev.holdfast.tools.memory.MemoryConfig;
import dev.holdfast.tools.skills.Skills;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What models may do besides talking, put together as the operator switched it on. */
final class Tooling {
  private static final Logger LOG = LoggerFactory.getLogger(Tooling.class);
  private static final int DISK_FAILED = 74;

  private final Settings settings;
  private final Ground ground;
  private final GuardedWeb web;
  private final Optional<Children> children;
  private final FileTools files;

  /** What it stands on. */
  record Ground(Store store, HttpCaller http, Guards guards, Time time, MeterRegistry meters) {}

  private Tooling(
      Settings settings,
      Ground ground,
      GuardedWeb web,
      Optional<Children> children,
      FileTools files) {
    this.settings = settings;
    this.ground = ground;
    this.web = web;
    this.children = children;
    this.files = files;
  }

  /** {@code ownPorts}: where this server listens itself, asked when they are needed. */
  static Tooling open(Settings settings, Ground ground, Supplier<Set<Integer>> ownPorts)
      throws IOException, StartRefusedException, InterruptedException {
    GuardedWeb web =
        GuardedWeb.of(
            ground.http(),
            settings.config().tools().web().allowHosts(),
            ownPorts,
            ground.guards(),
            ground.time());
    return new Tooling(
        settings, ground, web, children(settings, ground.time()), files(settings, ground));
  }

  Toolbox toolbox() {
    ToolsConfig tools = settings.config().tools();
    Store store = ground.store();
    BuiltIns.Mind knowledge =
        new BuiltIns.Mind(
            store, settings.dataDir(), settings.secrets(), ground.time(), settings.config().zone());
    BuiltIns.Needs needs =
        new BuiltIns.Needs(
            children,
            files,
            web,
            id -> store.threads().of(id).attachments(),
            settings.config().attachments(),
            knowledge);
    return new Toolbox(
        BuiltIns.of(tools, needs),
        tools.output(),
        settings.secrets(),
        ground.time(),
        ground.meters());
  }

  AgentKnowledge knowledge() {
    ServerConfig config = settings.config();
    MemoryConfig memory = config.tools().memory();
    return new AgentKnowledge(
        memory.enabled()
            ? Optional.of(new Memory(ground.store(), settings.dataDir(), memory.bytesMax()))
            : Optional.empty(),
        new Skills(settings.dataDir(), ground.store().texts()),
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
              ChildrenConfig.of(
                      tools.shell().sandbox(), settings.dataDir(), settings.file().toAbsolutePath())
                  .tryingIn(TemporaryFolder.in(settings.dataDir()).path()),
              time);
      LOG.info("tools: {}", children.describe());
      return Optional.of(children);
    } catch (CallFailedException e) {
      throw new StartRefusedException(
          Boot.CONFIGURATION, "tools.shell: " + e.failure().message(), e);
    }
  }

  private static FileTools files(Settings settings, Ground ground)
      throws IOException, StartRefusedException {
    ChangeContext neighbours =
        new ChangeContext(
            ground.time(),
            ground.store().audit()::append,
            text -> Server.halt(DISK_FAILED, text),
            event ->
                ground
                    .store()
                    .inbox()
                    .find(event)
                    .map(found -> found.state().isOpen())
                    .orElse(false));
    try {
      return FileTools.open(
          settings.config().tools().files(),
          settings.dataDir(),
          List.of(settings.file().toAbsolutePath()),
          neighbours);
    } catch (FileFailedException e) {
      throw new StartRefusedException(
          Boot.CONFIGURATION, "tools.files: " + e.failure().message(), e);
    }
  }
}
