package dev.holdfast.cli;

import dev.holdfast.config.Section;
import dev.holdfast.libc.TerminalCalls;
import dev.holdfast.time.SystemTime;
import java.io.BufferedReader;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine;

/** Understands the command line and runs one command. */
public final class Cli {
  private static final int STDOUT = 1;

  /** Commands that show others. */
  private static final Set<String> SHOW_ALL = Set.of("help", "completion", "manual");

  private Cli() {}

  /**
   * Runs one command and blocks until it is done.
   *
   * @param starter runs the server
   * @param config makes the whole configuration's record from the file and the server's variables,
   *     for {@code config check} and {@code show}
   * @return the exit code
   */
  public static int main(
      String[] args, ServerStarter starter, BiFunction<Section, Map<String, String>, ?> config) {
    Optional<Console> console = Optional.ofNullable(System.console()).filter(Console::isTerminal);
    if (!List.of(args).contains("run")) {
      Logs.keepQuiet();
    } else if (Logs.areForPeople(List.of(args), console.isPresent())) {
      Logs.writeForPeople(console.isPresent() && System.getenv("NO_COLOR") == null);
    }
    Charset charset = console.map(Console::charset).orElse(StandardCharsets.UTF_8);
    WatchedOutput output = new WatchedOutput(new FileOutputStream(FileDescriptor.out));
    Terminal terminal =
        new Terminal(
            new PrintWriter(output, false, charset),
            new PrintWriter(System.err, false, charset),
            console.isPresent(),
            System.getenv("NO_COLOR"),
            Cli::columns);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, charset));
    CliEnvironment environment =
        new CliEnvironment(
            System.getenv(), in, terminal, Path.of(""), new SystemTime(), console.isPresent());
    return written(output, terminal, run(environment, args, starter, config));
  }

  /** A result that did not reach its file is no success, however well the rest went. */
  static int written(WatchedOutput output, Terminal terminal, int exitCode) {
    Optional<String> failure = output.failure();
    failure.ifPresent(
        reason -> terminal.note("holdfast: the output could not be written: " + reason));
    return failure.isPresent() && exitCode == ExitCode.OK ? ExitCode.IO : exitCode;
  }

  private static int columns() {
    String columns = System.getenv("COLUMNS");
    return columns != null && columns.matches("[1-9]\\d{0,3}")
        ? Integer.parseInt(columns)
        : TerminalCalls.columns(STDOUT);
  }

  static int run(
      CliEnvironment environment,
      String[] args,
      ServerStarter starter,
      BiFunction<Section, Map<String, String>, ?> config) {
    RootCommand root = new RootCommand(environment);
    int exitCode =
        FastRunParser.of(args, environment.variables())
            .map(options -> serve(options, root, starter))
            .orElseGet(() -> commands(root, args, starter, config).execute(args));
    environment.terminal().clearProgress();
    environment.terminal().out().flush();
    environment.terminal().err().flush();
    return exitCode;
  }

  private static int serve(RunOptions options, RootCommand root, ServerStarter starter) {
    try {
      return starter.run(options);
    } catch (InterruptedException | RuntimeException e) {
      return failure(e, root);
    }
  }

  static CommandLine commands(
      RootCommand root,
      String[] args,
      ServerStarter starter,
      BiFunction<Section, Map<String, String>, ?> config) {
    CliEnvironment environment = root.environment;
    CommandLine line = new CommandLine(root);
    named(args, all(root, starter, config)).forEach(command -> line.addSubcommand(command.get()));
    line.getCommandSpec().version(VersionCommand.line());
    line.setOut(environment.terminal().out());
    line.setErr(environment.terminal().err());
    line.setUsageHelpAutoWidth(false);
    line.setUsageHelpWidth(100);
    line.setColorScheme(CommandLine.Help.defaultColorScheme(ansi(environment)));
    line.setParameterExceptionHandler(
        (e, _) -> usage(e, environment, List.of(args).contains("--json")));
    line.setExecutionExceptionHandler((e, _, _) -> failure(e, root));
    return line;
  }

  /**
   * The commands that the words may mean. To build them all takes longer than most take to run, so
   * that is done only where all are shown, or where none is named and one may be suggested.
   */
  private static Collection<Supplier<Object>> named(
      String[] args, Map<String, Supplier<Object>> commands) {
    Set<String> words = Set.copyOf(List.of(args));
    Map<String, Supplier<Object>> named = new LinkedHashMap<>(commands);
    named.keySet().retainAll(words);
    return named.isEmpty() || SHOW_ALL.stream().anyMatch(words::contains)
        ? commands.values()
        : named.values();
  }

  private static Map<String, Supplier<Object>> all(
      RootCommand root, ServerStarter starter, BiFunction<Section, Map<String, String>, ?> config) {
    Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
    commands.put("run", () -> new RunCommand(root, starter));
    commands.put("chat", () -> new ChatCommand(root));
    commands.put("status", () -> new StatusCommand(root));
    commands.put("conditions", () -> new ConditionsCommand(root));
    commands.put("usage", () -> new UsageCommand(root));
    commands.put("doctor", () -> new DoctorCommand(root, reader(root, config)));
    commands.put("trace", () -> new TraceCommand(root));
    commands.put("login-link", () -> new LoginLinkCommand(root));
    commands.put("mcp", () -> new McpCommand(root));
    commands.put("threads", () -> new ThreadsCommand(root));
    commands.put("approvals", () -> new ApprovalsCommand(root));
    commands.put("rollback", () -> new RollbackCommand(root));
    commands.put("audit", () -> new AuditCommand(root));
    commands.put("channels", () -> new ChannelsCommand(root));
    commands.put("plugins", () -> new PluginsCommand(root));
    commands.put("skills", () -> new SkillsCommand(root));
    commands.put("pair", () -> new PairCommand(root));
    commands.put("tree", () -> new TreeCommand(root));
    commands.put("agents", () -> new AgentsCommand(root));
    commands.put("plans", () -> new PlansCommand(root));
    commands.put("incidents", () -> new IncidentsCommand(root));
    commands.put("memory", () -> new MemoryCommand(root));
    commands.put("schedules", () -> new SchedulesCommand(root));
    commands.put("extensions", () -> new ExtensionsCommand(root));
    commands.put("dlq", () -> new DlqCommand(root));
    commands.put("breakers", () -> new BreakersCommand(root));
    commands.put("mode", () -> new ModeCommand(root));
    commands.put("drill", () -> new DrillCommand(root));
    commands.put("backup", () -> new BackupCommand(root));
    commands.put("restore", () -> new RestoreCommand(root));
    commands.put("promote", () -> new PromoteCommand(root));
    commands.put("config", () -> new ConfigCommand(root, reader(root, config)));
    commands.put("cache", () -> new CacheCommand(root));
    commands.put("completion", () -> new CompletionCommand(root));
    commands.put("manual", () -> new ManualCommand(root));
    commands.put("help", () -> new HelpCommand(root));
    commands.put("version", () -> new VersionCommand(root));
    return commands;
  }

  private static Function<Section, ?> reader(
      RootCommand root, BiFunction<Section, Map<String, String>, ?> config) {
    return section -> config.apply(section, root.variables());
  }

  private static CommandLine.Help.Ansi ansi(CliEnvironment environment) {
    return environment.terminal().isTerminal()
        ? CommandLine.Help.Ansi.AUTO
        : CommandLine.Help.Ansi.OFF;
  }

  private static int usage(
      CommandLine.ParameterException e, CliEnvironment environment, boolean json) {
    Terminal terminal = environment.terminal();
    String message = VisibleText.lines(String.valueOf(e.getMessage()), "");
    if (json) {
      terminal.note(error(message));
      return ExitCode.USAGE;
    }
    terminal.note("holdfast: " + message);
    if (!CommandLine.UnmatchedArgumentException.printSuggestions(e, terminal.err())) {
      String command = e.getCommandLine().getCommandSpec().qualifiedName();
      terminal.note("Try: " + command + " --help");
    }
    return ExitCode.USAGE;
  }

  /** A foreseen failure is one sentence; anything else is a bug, which its trace helps to find. */
  private static int failure(Exception e, RootCommand root) {
    Terminal terminal = root.terminal();
    if (!(e instanceof CliException failure)) {
      terminal.clearProgress();
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      terminal.err().print(root.withoutToken(trace.toString()));
      return ExitCode.BUG;
    }
    String message = VisibleText.lines(String.valueOf(failure.getMessage()), "");
    terminal.note(root.json ? error(message) : terminal.bad("holdfast: ") + message);
    return failure.exitCode();
  }

  private static String error(String message) {
    return CliJson.object().put("error", message).toString();
  }
}
