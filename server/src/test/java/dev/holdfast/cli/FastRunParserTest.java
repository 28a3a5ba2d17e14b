package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FastRunParserTest {
  @TempDir Path folder;

  static Stream<List<String>> plain() {
    return Stream.of(
        List.of(),
        List.of("--strict"),
        List.of("--take-over", "--strict"),
        List.of("--log", "json", "--strict"),
        List.of("--config", "/etc/holdfast/holdfast.yaml", "--data", "/var/lib/holdfast"),
        List.of("--data", "run", "--config", "a-b_c.yaml", "--take-over"));
  }

  /** Nobody can tell who read the command line. */
  @ParameterizedTest
  @MethodSource("plain")
  void readsWhatTheParserReads(List<String> options) {
    assertAgreement(Map.of(), options);
  }

  @ParameterizedTest
  @MethodSource("plain")
  void whatAnInstalledCommandNamesIsADefault(List<String> options) {
    List<RunOptions> started =
        assertAgreement(Map.of("HOLDFAST_CONFIG", "/opt/holdfast.yaml"), options);
    String config = options.contains("--config") ? "" : "/opt/holdfast.yaml";
    assertThat(started.getFirst().configNamed()).isTrue();
    assertThat(started.getFirst().config().toString()).endsWith(config);
  }

  private List<RunOptions> assertAgreement(Map<String, String> variables, List<String> options) {
    String[] args = Stream.concat(Stream.of("run"), options.stream()).toArray(String[]::new);
    assertThat(FastRunParser.of(args, variables)).isPresent();

    CommandLineOf line = new CommandLineOf(folder).environment(variables);
    assertThat(line.run(args)).isZero();
    String[] more = Stream.concat(Stream.of(args), Stream.of("--json")).toArray(String[]::new);
    assertThat(FastRunParser.of(more, Map.of())).isEmpty();
    assertThat(line.run(more)).isZero();
    assertThat(line.started()).hasSize(2);
    assertThat(line.started().getFirst()).isEqualTo(line.started().getLast());
    return line.started();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "chat run",
        "--json run",
        "run --help",
        "run status",
        "run --config",
        "run --data=d",
        "run --strict --strict",
        "run --data d --data e",
        "run --config --strict",
        "run --data @d",
        "run --data \"d\"",
        "run --config ${env:HOME}",
        "run --log",
        "run --log xml",
        "run --log text --log json",
        "run --strictly"
      })
  void leavesAllElseToTheParser(String line) {
    String[] args = line.isEmpty() ? new String[0] : line.split(" ");
    assertThat(FastRunParser.of(args, Map.of())).isEmpty();
  }

  @Test
  void aBugOfTheServerEndsWithItsTraceAndCode() {
    Terminal terminal =
        new Terminal(
            new java.io.PrintWriter(new java.io.StringWriter()),
            new java.io.PrintWriter(new java.io.StringWriter()),
            false,
            "1",
            () -> 0);
    CliEnvironment environment =
        new CliEnvironment(
            Map.of(),
            new java.io.BufferedReader(new java.io.StringReader("")),
            terminal,
            folder,
            new dev.holdfast.time.ManualTime(),
            false);
    int code =
        Cli.run(
            environment,
            new String[] {"run"},
            _ -> {
              throw new IllegalStateException("a bug");
            },
            (section, _) -> section);
    assertThat(code).isEqualTo(ExitCode.BUG);
  }
}
