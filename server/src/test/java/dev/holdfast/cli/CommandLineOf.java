package dev.holdfast.cli;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import dev.holdfast.time.SystemTime;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Runs one command line as a person would, and keeps what it printed. */
final class CommandLineOf {
  private final Path folder;
  private final List<RunOptions> started = new ArrayList<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Map<String, String> variables = Map.of("HOLDFAST_TOKEN", "good-token", "USER", "ada");
  private String in = "";
  private boolean isTerminal;
  private Optional<RuntimeException> failure = Optional.empty();

  CommandLineOf(Path folder) {
    this.folder = folder;
  }

  CommandLineOf environment(Map<String, String> given) {
    variables = given;
    return this;
  }

  CommandLineOf input(String text) {
    in = text;
    return this;
  }

  CommandLineOf atATerminal() {
    isTerminal = true;
    return this;
  }

  /** From now on to start a server is a bug. */
  CommandLineOf fails(RuntimeException with) {
    failure = Optional.of(with);
    return this;
  }

  /**
   * Only reads the command line.
   *
   * @throws CommandLine.ParameterException when it is none that the program has
   */
  void parse(String... args) {
    CommandLine commands =
        Cli.commands(new RootCommand(environment()), args, _ -> 0, CommandLineOf::config);
    CommandLine.ParseResult _ = commands.parseArgs(args);
  }

  private CliEnvironment environment() {
    Terminal terminal =
        new Terminal(new PrintWriter(out), new PrintWriter(err), isTerminal, "1", () -> 0);
    return new CliEnvironment(
        variables,
        new BufferedReader(new StringReader(in)),
        terminal,
        folder,
        new SystemTime(), // it waits for its server
        false);
  }

  int run(FakeServer server, String... args) {
    return run(
        Stream.concat(Stream.of(args), Stream.of("--url", server.url())).toArray(String[]::new));
  }

  int run(String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Cli.run(
        environment(),
        args,
        options -> {
          if (failure.isPresent()) {
            throw failure.get();
          }
          started.add(options);
          return 0;
        },
        CommandLineOf::config);
  }

  String out() {
    return out.toString();
  }

  String err() {
    return err.toString();
  }

  List<RunOptions> started() {
    return started;
  }

  /** A configuration of which these tests know as much as they need. */
  private static int config(Section root, Map<String, String> variables) {
    root.section("server").text("data_dir", "data");
    Section http = root.section("http");
    http.text("host", "127.0.0.1");
    root.section("api").secret("key");
    root.text("of_variables", variables.getOrDefault("OF_FILE", ""));
    return http.read(
        section -> {
          int port = section.whole("port", 8080);
          Check.inRange("port", port, 0, 65_535);
          return port;
        });
  }
}
