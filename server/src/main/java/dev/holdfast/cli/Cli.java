package dev.holdfast.cli;

import dev.holdfast.config.Section;
import dev.holdfast.libc.TerminalCalls;
import dev.holdfast.time.SystemTime;
import java.io.BufferedReader;
import java.io.Console;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
    Optional<Console> console = Optional.ofNullable(System.console()).filter(Console::isTerminal);
    boolean terminal = console.isPresent();
    Charset charset = console.map(Console::charset).orElse(StandardCharsets.UTF_8);
    Terminal screen =
        new Terminal(
            new PrintWriter(System.out, false, charset),
            new PrintWriter(System.err, false, charset),
            terminal,
            System.getenv("NO_COLOR"),
            Cli::columns);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, charset));
    CliEnvironment world =
        new CliEnvironment(System.getenv(), in, screen, Path.of(""), new SystemTime());
    return run(world, args, starter, config);
  }

  private static int columns() {
    String told = System.getenv("COLUMNS");
    return told != null && told.matches("[1-9]\\d{0,3}")
        ? Integer.parseInt(told)
        : TerminalCalls.columns(STDOUT);
  }

  static int run(
      CliEnvironment world, String[] args, ServerStarter starter, Function<Section, ?> config) {
    int exitCode =
        FastRunParser.of(args, world.environment())
            .map(options -> serve(options, world, starter))
            .orElseGet(() -> commands(new RootCommand(world), starter, config).execute(args));
    world.screen().clearProgress();
    world.screen().out().flush();
    world.screen().err().flush();
    return exitCode;
  }

  private static int serve(RunOptions options, CliEnvironment world, ServerStarter starter) {
    try {
      return starter.run(options);
    } catch (InterruptedException | RuntimeException e) {
      return failure(e, world, false);
    }
  }

  private static CommandLine commands(
      RootCommand root, ServerStarter starter, Function<Section, ?> config) {
    CliEnvironment world = root.world;
    CommandLine line =
        new CommandLine(root)
            .addSubcommand(new RunCommand(root, starter))
            .addSubcommand(new ChatCommand(root))
            .addSubcommand(new StatusCommand(root))
            .addSubcommand(new DoctorCommand(root, config))
            .addSubcommand(new TraceCommand(root))
            .addSubcommand(new ThreadsCommand(root))
            .addSubcommand(new ApprovalsCommand(root))
            .addSubcommand(new RollbackCommand(root))
            .addSubcommand(new AuditCommand(root))
            .addSubcommand(new SchedulesCommand(root))
            .addSubcommand(new DlqCommand(root))
            .addSubcommand(new ConfigCommand(root, config))
            .addSubcommand(new VersionCommand(root));
    line.setOut(world.screen().out());
    line.setErr(world.screen().err());
    line.setUsageHelpAutoWidth(false);
    line.setUsageHelpWidth(100);
    line.setColorScheme(CommandLine.Help.defaultColorScheme(ansi(world)));
    line.setParameterExceptionHandler((e, _) -> usage(e, world));
    line.setExecutionExceptionHandler((e, _, _) -> failure(e, world, root.json));
    return line;
  }

  private static CommandLine.Help.Ansi ansi(CliEnvironment world) {
    return world.screen().isTerminal() ? CommandLine.Help.Ansi.AUTO : CommandLine.Help.Ansi.OFF;
  }

  private static int usage(CommandLine.ParameterException e, CliEnvironment world) {
    Terminal screen = world.screen();
    screen.aside("holdfast: " + Terminal.safe(String.valueOf(e.getMessage())));
    if (!CommandLine.UnmatchedArgumentException.printSuggestions(e, screen.err())) {
      String command = e.getCommandLine().getCommandSpec().qualifiedName();
      screen.aside("Try: " + command + " --help");
    }
    return ExitCode.USAGE;
  }

  /** A foreseen failure is one sentence; anything else is a bug, which its trace helps to find. */
  private static int failure(Exception e, CliEnvironment world, boolean json) {
    if (!(e instanceof CliException failure)) {
      world.screen().clearProgress();
      e.printStackTrace(world.screen().err());
      return ExitCode.BUG;
    }
    String message = Terminal.safe(String.valueOf(failure.getMessage()));
    if (json) {
      world.screen().aside(CliJson.object().put("error", message).toString());
    } else {
      world.screen().aside(world.screen().bad("holdfast: ") + message);
    }
    return failure.exitCode();
  }
}
