package dev.holdfast.cli;

import dev.holdfast.config.Section;
import dev.holdfast.libc.TerminalCalls;
import dev.holdfast.time.SystemTime;
import java.io.BufferedReader;
import java.io.Console;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine;

/** Understands the command line and runs one command. */
public final class Cli {
  private static final int STDOUT = 1;

  private Cli() {}

  /**
   * Runs one command and blocks until it is done.
   *
   * @param starter runs the server
   * @param config makes the whole configuration's record, for {@code config check} and {@code show}
   * @return the exit code
   */
  public static int main(String[] args, ServerStarter starter, Function<Section, ?> config) {
    if (!List.of(args).contains("run")) {
      Logs.keepQuiet();
    }
    Optional<Console> console = Optional.ofNullable(System.console()).filter(Console::isTerminal);
    Charset charset = console.map(Console::charset).orElse(StandardCharsets.UTF_8);
    Terminal terminal =
        new Terminal(
            new PrintWriter(System.out, false, charset),
            new PrintWriter(System.err, false, charset),
            console.isPresent(),
            System.getenv("NO_COLOR"),
            Cli::columns);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, charset));
    CliEnvironment environment =
        new CliEnvironment(System.getenv(), in, terminal, Path.of(""), new SystemTime());
    return run(environment, args, starter, config);
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
      Function<Section, ?> config) {
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

  private static CommandLine commands(
      RootCommand root, String[] args, ServerStarter starter, Function<Section, ?> config) {
    CliEnvironment environment = root.environment;
    CommandLine line =
        new CommandLine(root)
            .addSubcommand(new RunCommand(root, starter))
            .addSubcommand(new ChatCommand(root))
            .addSubcommand(new StatusCommand(root))
            .addSubcommand(new ConditionsCommand(root))
            .addSubcommand(new UsageCommand(root))
            .addSubcommand(new DoctorCommand(root, config))
            .addSubcommand(new TraceCommand(root))
            .addSubcommand(new LoginLinkCommand(root))
            .addSubcommand(new ThreadsCommand(root))
            .addSubcommand(new ApprovalsCommand(root))
            .addSubcommand(new RollbackCommand(root))
            .addSubcommand(new AuditCommand(root))
            .addSubcommand(new ChannelsCommand(root))
            .addSubcommand(new PluginsCommand(root))
            .addSubcommand(new PairCommand(root))
            .addSubcommand(new TreeCommand(root))
            .addSubcommand(new AgentsCommand(root))
            .addSubcommand(new PlansCommand(root))
            .addSubcommand(new IncidentsCommand(root))
            .addSubcommand(new SchedulesCommand(root))
            .addSubcommand(new ExtensionsCommand(root))
            .addSubcommand(new DlqCommand(root))
            .addSubcommand(new BreakersCommand(root))
            .addSubcommand(new ModeCommand(root))
            .addSubcommand(new DrillCommand(root))
            .addSubcommand(new BackupCommand(root))
            .addSubcommand(new RestoreCommand(root))
            .addSubcommand(new ConfigCommand(root, config))
            .addSubcommand(new CacheCommand(root))
            .addSubcommand(new HelpCommand(root))
            .addSubcommand(new VersionCommand(root));
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
