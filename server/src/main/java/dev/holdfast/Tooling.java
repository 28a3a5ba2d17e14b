package dev.holdfast;

import dev.holdfast.agents.context.AgentKnowledge;
import dev.holdfast.agents.context.Attachments;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.channels.Channels;
import dev.holdfast.channels.MessageFiles;
import dev.holdfast.extensions.ExtensionConfig;
import dev.holdfast.extensions.ExtensionServices;
import dev.holdfast.extensions.Extensions;
import dev.holdfast.extensions.Pace;
import dev.holdfast.incidents.Incidents;
import dev.holdfast.net.GuardedWeb;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.plugins.PluginsConfig;
import dev.holdfast.processes.Children;
import dev.holdfast.processes.MachineGate;
import dev.holdfast.resilience.Guards;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.supervision.RecentResults;
import dev.holdfast.time.Time;
import dev.holdfast.tools.BuiltIns;
import dev.holdfast.tools.Toolbox;
import dev.holdfast.tools.ToolsConfig;
import dev.holdfast.tools.files.Backups;
import dev.holdfast.tools.files.ChangeServices;
import dev.holdfast.tools.files.FileFailedException;
import dev.holdfast.tools.files.FileTools;
import dev.holdfast.tools.memory.Memory;
import dev.holdfast.tools.memory.RecallHits;
import dev.holdfast.tools.skills.Skills;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/** What models may do besides talking, put together as the operator switched it on. */
final class Tooling {
  private static final int DISK_FAILED = 74;
  private static final String CONFIGURATION = "configuration";

  private final Settings settings;
  private final GuardedWeb web;
  private final FileTools files;
  private final Skills skills;
  private final Memory memory;
  private final RecallHits recalls;
  private final ToolChildren children;
  private final Toolbox toolbox;
  private final Extensions extensions;
  private final AtomicBoolean trustsFirstList;
  private List<ExtensionConfig> configured = List.of();
  private volatile List<String> leftOut = List.of();

  private Tooling(
      Settings settings,
      GuardedWeb web,
      FileTools files,
      Skills skills,
      Memory memory,
      RecallHits recalls,
      ToolChildren children,
      Toolbox toolbox,
      Extensions extensions,
      AtomicBoolean trustsFirstList) {
    this.settings = settings;
    this.web = web;
    this.files = files;
    this.skills = skills;
    this.memory = memory;
    this.recalls = recalls;
    this.children = children;
    this.toolbox = toolbox;
    this.extensions = extensions;
    this.trustsFirstList = trustsFirstList;
  }

  /** What it opens is added to {@code opened}. */
  static Tooling open(
      Settings settings,
      Store store,
      HttpCaller http,
      GuardedWeb web,
      Guards guards,
      RecentResults results,
      Incidents incidents,
      Time time,
      MeterRegistry meters,
      Opened opened)
      throws IOException, StartRefusedException, InterruptedException {
    settings.hideOwnFiles();
    FileTools files = files(settings, store, time);
    ToolChildren children = new ToolChildren(settings, time);
    opened.add("children", children::close);
    ToolsConfig tools = settings.config().tools();
    Skills skills = skills(settings);
    Memory memory = new Memory(store, settings.dataDir(), tools.memory().bytesMax());
    RecallHits recalls = recalls(settings, store, time);
    BuiltIns.Knowledge knowledge =
        new BuiltIns.Knowledge(
            store,
            memory,
            recalls,
            settings.secrets(),
            new IncidentNotes(incidents),
            skills,
            time,
            settings.config().zone());
    BuiltIns.Services services =
        new BuiltIns.Services(
            shell(settings, children),
            children::get,
            files,
            web,
            id -> store.threads().of(id).attachments(),
            settings.config().attachments(),
            knowledge);
    Toolbox toolbox =
        new Toolbox(BuiltIns.of(tools, services), tools.output(), settings.secrets(), time, meters);
    AtomicBoolean trustsFirstList = new AtomicBoolean(trustsFirstList(settings.config()));
    Extensions extensions =
        new Extensions(
            new ExtensionServices(
                settings.dataDir().resolve("extensions"),
                children::get,
                http,
                toolbox,
                guards,
                settings::environment,
                settings.secrets(),
                settings.config().attachments(),
                Pace.of(settings.config().supervision()),
                trustsFirstList::get,
                () -> ThreadLocalRandom.current().nextDouble(),
                results,
                incidents,
                time,
                meters));
    opened.add("extensions", extensions::close);
    return new Tooling(
        settings,
        web,
        files,
        skills,
        memory,
        recalls,
        children,
        toolbox,
        extensions,
        trustsFirstList);
  }

  Toolbox toolbox() {
    return toolbox;
  }

  AgentKnowledge knowledge() {
    ServerConfig config = settings.config();
    return new AgentKnowledge(
        config.tools().memory().enabled() ? Optional.of(memory) : Optional.empty(),
        skills,
        extensions.prompts(),
        config.zone(),
        config.models().budget());
  }

  Attachments attachments(Channels channels, Time time) {
    MessageFiles files = new MessageFiles(channels, web::fetch, time);
    return new Attachments(files::fetch, settings.config().attachments());
  }

  Backups backups() {
    return files.backups();
  }

  GuardedWeb web() {
    return web;
  }

  Memory memory() {
    return memory;
  }

  RecallHits recalls() {
    return recalls;
  }

  Skills skills() {
    return skills;
  }

  Extensions extensions() {
    return extensions;
  }

  private static boolean trustsFirstList(ServerConfig config) {
    return config.plugins().trust() != PluginsConfig.Trust.PINNED;
  }

  /** Takes over what the configuration declares. */
  synchronized void declare(ServerConfig config) {
    trustsFirstList.set(trustsFirstList(config));
    configured = config.extensions();
    leftOut = extensions.replaceAll(CONFIGURATION, configured);
  }

  /** Declares again what was left out: plugins that had its ids may have given them up. */
  synchronized void declareLeftOut() {
    if (!leftOut.isEmpty()) {
      leftOut = extensions.replaceAll(CONFIGURATION, configured);
    }
  }

  /** Ids of the extensions that the configuration declares and somebody else has. */
  List<String> leftOut() {
    return leftOut;
  }

  /** Ends the children of tools and extensions: TERM, 5 s, KILL. Blocks until they are gone. */
  void endChildren() throws InterruptedException {
    children.close();
  }

  /** Only with tools that need them: a server that starts no children need not be able to. */
  private static Optional<Children> shell(Settings settings, ToolChildren children)
      throws StartRefusedException, InterruptedException {
    if (!settings.config().tools().shell().enabled()) {
      return Optional.empty();
    }
    try {
      return Optional.of(children.get());
    } catch (CallFailedException e) {
      throw new StartRefusedException(
          Boot.CONFIGURATION, "tools.shell: " + e.failure().message(), e);
    }
  }

  private static RecallHits recalls(Settings settings, Store store, Time time)
      throws IOException, StartRefusedException {
    try {
      return RecallHits.open(store.engine(), time, settings.config().zone());
    } catch (StoreException e) {
      throw new IOException("the store cannot be written: " + e.getMessage(), e);
    }
  }

  private static Skills skills(Settings settings) {
    ToolsConfig tools = settings.config().tools();
    return new Skills(
        tools.skills().folders(settings.dataDir()),
        tools.files().enabled() ? tools.files().roots() : List.of(),
        () -> new MachineGate(settings.environment(), settings.envFile().file()));
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
