package dev.holdfast.extensions;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.config.Check;
import dev.holdfast.config.Secret;
import dev.holdfast.config.Section;
import dev.holdfast.processes.ChildEnvironment;
import dev.holdfast.processes.GrantedFolder;
import dev.holdfast.processes.ProcessSpec.Limits;
import dev.holdfast.supervision.RestartLimit;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One entry of the {@code extensions} list of holdfast.yaml.
 *
 * @param id what its tools' names begin with
 * @param command the argument vector, with what {@link ExtensionLaunch} fills in. Empty when it is
 *     remote
 * @param remote where it is called, in the place of a command
 * @param folders what its children are shown besides their own folder; only the operator says that
 * @param environment names of variables of the server that the child gets besides PATH, HOME, LANG
 *     and TZ
 * @param secretEnvironment those of them whose values are hidden whatever they are called
 * @param actions what it can do when its protocol is ACTION; a server of MCP says so itself
 * @param settings JSON Schema of what the section of its plugin may hold for it; empty for nothing
 */
public record ExtensionConfig(
    String id,
    Protocol protocol,
    List<String> command,
    Optional<RemoteConfig> remote,
    List<GrantedFolder> folders,
    List<String> environment,
    Set<String> secretEnvironment,
    Timeouts timeouts,
    RestartLimit restart,
    ChildLimits limits,
    ToolRules tools,
    List<ActionConfig> actions,
    String settings) {
  public static final int EXTENSIONS_MAX = 50;

  private static final int FOLDERS_MAX = 16;

  /** In a command of a plugin: its settings, as one JSON object. */
  private static final String SETTINGS = "${HOLDFAST_SETTINGS}";

  /** What ids are like. */
  public static final Pattern ID = Pattern.compile("[a-z][a-z0-9-]{0,31}");

  private static final Duration TIMEOUT_MAX = Duration.ofHours(1);

  /** How it is talked to. */
  public enum Protocol {
    /** The Model Context Protocol: JSON-RPC with a child that is kept. */
    MCP,
    /** One child per call: one JSON object in, one out. */
    ACTION
  }

  /**
   * @param idle after so long without a call it is stopped; the next call starts it
   */
  public record Timeouts(Duration start, Duration list, Duration call, Duration idle) {
    public Timeouts {
      Check.inRange("start_secs", start, Duration.ofSeconds(1), TIMEOUT_MAX);
      Check.inRange("list_secs", list, Duration.ofSeconds(1), TIMEOUT_MAX);
      Check.inRange("call_secs", call, Duration.ofSeconds(1), TIMEOUT_MAX);
      Check.atLeast("idle_secs", idle, Duration.ofSeconds(1));
    }

    static Timeouts from(Section timeouts) {
      return new Timeouts(
          timeouts.seconds("start_secs", 10),
          timeouts.seconds("list_secs", 10),
          timeouts.seconds("call_secs", 30),
          timeouts.seconds("idle_secs", 1800));
    }
  }

  /**
   * @param processes with their threads
   * @param outputBytes of one line of an MCP server, or of all that an action writes
   */
  public record ChildLimits(int memoryMegabytes, int processes, int outputBytes) {
    public ChildLimits {
      Check.inRange("memory_mb", memoryMegabytes, 16, 65_536);
      Check.inRange("processes", processes, 8, 16_384);
      Check.inRange("output_bytes", outputBytes, 1024, 64 << 20);
    }

    static ChildLimits from(Section limits) {
      return new ChildLimits(
          limits.whole("memory_mb", 512),
          limits.whole("processes", Limits.DEFAULT.processes()),
          limits.whole("output_bytes", 10_485_760));
    }

    Limits process() {
      return new Limits((long) memoryMegabytes << 20, processes, Limits.DEFAULT.fileBytes());
    }
  }

  /**
   * Which of its tools are offered, under their own names, and what a crash may do to their calls.
   *
   * @param allow names; {@code *} at the end stands for any rest
   * @param replay what is not named is UNSAFE
   * @param trustAnnotations whether what a server says about its tools stands for what is not named
   */
  public record ToolRules(
      List<String> allow, Map<String, ReplayClass> replay, boolean trustAnnotations) {
    public ToolRules {
      allow = List.copyOf(allow);
      replay = Map.copyOf(replay);
    }

    static ToolRules from(Section tools) {
      return new ToolRules(
          tools.texts("allow", List.of("*")),
          tools.namedChoices("replay", ReplayClass.class, ReplayClass.UNSAFE),
          tools.flag("trust_annotations", false));
    }

    boolean allows(String tool) {
      return allow.stream()
          .anyMatch(
              rule ->
                  rule.endsWith("*")
                      ? tool.startsWith(rule.substring(0, rule.length() - 1))
                      : tool.equals(rule));
    }

    ReplayClass replayOf(String tool) {
      return replay.getOrDefault(tool, ReplayClass.UNSAFE);
    }

    /** Of a tool of which its server says something too: what it says against itself counts. */
    ReplayClass replayOf(ListedTool tool) {
      ReplayClass declared = replay.get(tool.name());
      if (declared == null) {
        return trustAnnotations ? tool.hints().believed() : ReplayClass.UNSAFE;
      }
      return tool.hints().narrowed(declared);
    }
  }

  /**
   * Something that an {@code action} extension can do.
   *
   * @param schema JSON Schema of the arguments
   * @param resultSchema JSON Schema of the result's data; empty when that is free
   * @param tasksOnly whether it is done for tasks alone, and no tool of models
   */
  public record ActionConfig(
      String name, String description, String schema, String resultSchema, boolean tasksOnly) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,31}");

    public ActionConfig {
      Check.that(NAME.matcher(name).matches(), "name", "must match " + NAME + ", got " + name);
    }

    static ActionConfig from(Section action) {
      return new ActionConfig(
          action.text("name", "run"),
          action.text("description", ""),
          action.text("schema", "{\"type\":\"object\"}"),
          action.text("result_schema", ""),
          action.flag("tasks_only", false));
    }
  }

  public ExtensionConfig {
    command = List.copyOf(command);
    folders = List.copyOf(folders);
    environment = List.copyOf(environment);
    secretEnvironment = Set.copyOf(secretEnvironment);
    actions = List.copyOf(actions);
    Check.that(ID.matcher(id).matches(), "id", "must match " + ID + ", got " + id);
    if (remote.isPresent()) {
      Check.that(command.isEmpty(), "command", "cannot stand beside url");
      Check.that(protocol == Protocol.MCP, "url", "belongs to an extension with protocol: mcp");
      Check.that(environment.isEmpty(), "env", "is for a command; a url has headers");
      Check.that(folders.isEmpty(), "folders", "are for a command; a url has none");
    } else {
      Check.that(
          !command.isEmpty() && !command.getFirst().isBlank(),
          "command",
          "must name a program, or url a remote server");
    }
    for (String name : environment) {
      Check.that(
          ChildEnvironment.isAllowed(name),
          "env",
          "names " + name + ", which no child is given: it would change what a program runs");
    }
    Check.that(
        protocol == Protocol.ACTION || actions.isEmpty(),
        "actions",
        "belongs to an extension with protocol: action");
    Check.that(
        protocol == Protocol.MCP || !actions.isEmpty(),
        "actions",
        "must name what an extension with protocol: action can do");
    Set<String> names = new HashSet<>();
    for (ActionConfig action : actions) {
      Check.that(names.add(action.name()), "actions", "names " + action.name() + " twice");
    }
  }

  /** The {@code extensions} list; {@code root} is the whole file. */
  public static List<ExtensionConfig> listFrom(Section root) {
    List<ExtensionConfig> all = root.list("extensions", ExtensionConfig::from);
    Check.that(
        all.size() <= EXTENSIONS_MAX,
        "extensions",
        "must have at most " + EXTENSIONS_MAX + " entries, got " + all.size());
    Set<String> ids = new HashSet<>();
    for (ExtensionConfig each : all) {
      Check.that(
          ids.add(each.id()), "extensions", "must have each id once, got twice " + each.id());
    }
    return all;
  }

  /** One entry; also the whole of a file that declares one extension. */
  public static ExtensionConfig from(Section extension) {
    return new ExtensionConfig(
        extension.text("id", ""),
        extension.choice("protocol", Protocol.class, Protocol.MCP),
        extension.texts("command", List.of()),
        remote(extension),
        folders(extension),
        Stream.concat(
                extension.texts("env", List.of()).stream(),
                extension.texts("secret_env", List.of()).stream())
            .distinct()
            .toList(),
        Set.copyOf(extension.texts("secret_env", List.of())),
        extension.section("timeouts").read(Timeouts::from),
        extension.section("restart").read(ExtensionConfig::restart),
        extension.section("limits").read(ChildLimits::from),
        extension.section("tools").read(ToolRules::from),
        extension.list("actions", ActionConfig::from),
        extension.text("settings", ""));
  }

  /**
   * The {@code folders} of an extension, or of the section of a plugin that declares some; each at
   * most once.
   */
  public static List<GrantedFolder> folders(Section section) {
    List<GrantedFolder> folders =
        section.list(
            "folders",
            folder ->
                new GrantedFolder(
                    Path.of(folder.text("path", "").replace('\0', '\n')),
                    folder.flag("write", false)));
    Check.that(
        folders.size() <= FOLDERS_MAX,
        "folders",
        "must be at most " + FOLDERS_MAX + ", got " + folders.size());
    Check.that(
        folders.stream().map(GrantedFolder::path).distinct().count() == folders.size(),
        "folders",
        "must name each folder once");
    return folders;
  }

  /** The same with what an operator grants besides. */
  public ExtensionConfig granted(ExtensionGrants grants) {
    return new ExtensionConfig(
        id,
        protocol,
        command.stream().map(part -> part.replace(SETTINGS, grants.settings())).toList(),
        remote,
        grants.folders(),
        Stream.concat(
                environment.stream(),
                Stream.concat(grants.environment().stream(), grants.secretEnvironment().stream()))
            .distinct()
            .toList(),
        Stream.concat(secretEnvironment.stream(), grants.secretEnvironment().stream())
            .collect(Collectors.toSet()),
        timeouts,
        restart,
        limits,
        tools,
        actions,
        settings);
  }

  private static Optional<RemoteConfig> remote(Section extension) {
    String url = extension.text("url", "");
    Map<String, Secret> headers = extension.namedSecrets("headers");
    Check.that(
        !url.isEmpty() || headers.isEmpty(), "headers", "are sent to a url; this has a command");
    return url.isEmpty() ? Optional.empty() : Optional.of(new RemoteConfig(url, headers));
  }

  private static RestartLimit restart(Section restart) {
    RestartLimit usual = RestartLimit.DEFAULT;
    int max = restart.whole("max", usual.maxRestarts());
    Check.inRange("max", max, 0, 10_000);
    return new RestartLimit(
        max,
        restart.seconds("window_secs", usual.window().toSeconds()),
        restart.millis("initial_backoff_ms", usual.initialBackoff().toMillis()),
        restart.millis("max_backoff_ms", usual.maxBackoff().toMillis()));
  }
}
