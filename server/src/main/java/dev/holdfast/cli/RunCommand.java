package dev.holdfast.cli;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The server itself. */
@Command(
    name = "run",
    description = {
      "Run the server in the foreground.",
      "SIGTERM, Ctrl-C or closing the terminal stops it cleanly; with nohup it outlives the terminal."
    },
    footer = {
      "",
      "An invalid file leaves the last good one in force (data/config.last-good.yaml), and",
      "/ready says so; the exit code is 78 if there never was a good one, or with --strict.",
      "",
      "Examples:",
      "  holdfast run",
      "  holdfast run --config /etc/holdfast/holdfast.yaml --data /var/lib/holdfast"
    })
final class RunCommand implements Callable<Integer> {
  private final RootCommand root;
  private final ServerStarter starter;

  @Option(names = "--strict", description = "Refuse to start with an invalid configuration.")
  boolean strict;

  @Option(
      names = "--take-over",
      description =
          "Ask the server that uses the data folder to stop, and kill it if it still runs 15 s after"
              + " server.shutdown_secs.")
  boolean takeOver;

  /** {@link Logs#areForPeople} has read it already, before the first line was logged. */
  @Option(
      names = "--log",
      paramLabel = "FORM",
      description =
          "Write the log as text or json. Default: text on a terminal, otherwise json, one object"
              + " per line.")
  String log = "";

  RunCommand(RootCommand root, ServerStarter starter) {
    this.root = root;
    this.starter = starter;
  }

  @Override
  public Integer call() throws CliException, InterruptedException {
    if (!List.of("", "text", "json").contains(log)) {
      throw new CliException(ExitCode.USAGE, "--log must be text or json, not " + log);
    }
    RunOptions options =
        new RunOptions(
            root.configFile(),
            root.config != null,
            Optional.ofNullable(root.data),
            strict,
            takeOver,
            root.environment.variables());
    return starter.run(options);
  }
}
