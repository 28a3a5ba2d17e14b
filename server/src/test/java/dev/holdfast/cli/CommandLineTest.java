package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What all commands have in common: usage, help, names, configuration. */
class CommandLineTest extends CommandFixture {
  @Test
  void aWrongCommandLineIsUsage() {
    assertThat(line.run()).isEqualTo(64);
    assertThat(line.err()).contains("Usage: holdfast", "chat", "Exit codes");
    assertThat(line.run("statsu")).isEqualTo(64);
    assertThat(line.err()).contains("statsu", "status");
    assertThat(line.run("status", "--no-such")).isEqualTo(64);
    assertThat(line.run("dlq")).isEqualTo(64);
    assertThat(line.run("dlq", "replay")).isEqualTo(64);
    assertThat(line.run("dlq", "list", "--older-than", "soon")).isEqualTo(64);
    assertThat(line.err()).contains("write for example 90s, 15m, 2h or 7d");
    assertThat(line.run("status", "--url", "ftp://x")).isEqualTo(64);
    assertThat(line.run("run", "--log", "xml")).isEqualTo(64);
  }

  @Test
  void everyCommandHasHelpThatFitsAScreen() {
    for (List<String> command :
        List.of(
            List.of("run"),
            List.of("chat"),
            List.of("status"),
            List.of("conditions"),
            List.of("usage"),
            List.of("breakers", "list"),
            List.of("breakers", "trip"),
            List.of("breakers", "reset"),
            List.of("help"),
            List.of("completion"),
            List.of("manual"),
            List.of("doctor"),
            List.of("trace"),
            List.of("threads", "list"),
            List.of("threads", "show"),
            List.of("threads", "reset"),
            List.of("threads", "again"),
            List.of("approvals", "list"),
            List.of("approvals", "approve"),
            List.of("approvals", "deny"),
            List.of("rollback"),
            List.of("audit", "list"),
            List.of("audit", "verify"),
            List.of("schedules", "list"),
            List.of("schedules", "cancel"),
            List.of("extensions", "list"),
            List.of("extensions", "info"),
            List.of("extensions", "logs"),
            List.of("extensions", "restart"),
            List.of("plugins", "new"),
            List.of("channels", "list"),
            List.of("channels", "check"),
            List.of("extensions", "approve"),
            List.of("agents", "list"),
            List.of("agents", "reset"),
            List.of("plans", "list"),
            List.of("plans", "show"),
            List.of("plans", "run"),
            List.of("plans", "cancel"),
            List.of("mode"),
            List.of("drill", "list"),
            List.of("drill", "run"),
            List.of("drill", "show"),
            List.of("drill", "stop"),
            List.of("dlq", "list"),
            List.of("dlq", "show"),
            List.of("dlq", "replay"),
            List.of("dlq", "discard"),
            List.of("backup"),
            List.of("restore"),
            List.of("promote"),
            List.of("config", "check"),
            List.of("config", "show"),
            List.of("version"))) {
      String[] args = command.toArray(String[]::new);
      String[] help = java.util.Arrays.copyOf(args, args.length + 1);
      help[args.length] = "--help";
      assertThat(line.run(help)).as("%s", command).isZero();
      assertThat(line.out()).contains("Usage: holdfast " + String.join(" ", command), "--json");
      assertThat(line.out().lines()).allMatch(text -> text.length() <= 100);
    }
  }

  @Test
  void runTellsTheStarterWhatWasAsked() {
    assertThat(line.run("run", "--data", "d", "--strict")).isZero();
    assertThat(line.run("run", "--config", "c.yaml", "--take-over")).isZero();
    RunOptions first = line.started().getFirst();
    assertThat(first.config()).isEqualTo(Path.of("conf/holdfast.yaml"));
    assertThat(first.configNamed()).isFalse();
    assertThat(first.data()).contains(Path.of("d"));
    assertThat(first.strict()).isTrue();
    assertThat(first.takeOver()).isFalse();
    RunOptions second = line.started().getLast();
    assertThat(second.configNamed()).isTrue();
    assertThat(second.data()).isEmpty();
    assertThat(second.takeOver()).isTrue();
  }

  @Test
  void withoutAServerItSaysSoAndHowToStartOne() {
    String url = server.url();
    server.close();
    for (String[] args :
        new String[][] {
          {"status"},
          {"trace", "x"},
          {"dlq", "list"},
          {"dlq", "show", "1"},
          {"threads", "list"},
          {"schedules", "list"},
          {"chat", "hello"}
        }) {
      String[] all = java.util.Arrays.copyOf(args, args.length + 2);
      all[args.length] = "--url";
      all[args.length + 1] = url;
      assertThat(line.run(all)).as(args[0]).isEqualTo(74);
      assertThat(line.err()).contains("no server is running at " + url, "holdfast run");
    }
    assertThat(line.run("status", "--json", "--url", url)).isEqualTo(74);
    assertThat(line.err()).startsWith("{\"error\":\"no server is running");
  }

  @Test
  void anIdThatWouldLeadElsewhereIsRefused() {
    for (String id : List.of("", " ", ".", "..")) {
      for (List<String> command :
          List.of(
              List.of("extensions", "info"),
              List.of("extensions", "approve"),
              List.of("extensions", "logs"),
              List.of("extensions", "restart"),
              List.of("agents", "reset"),
              List.of("plans", "show"),
              List.of("plans", "cancel"),
              List.of("plugins", "info"),
              List.of("plugins", "enable"),
              List.of("plugins", "disable"),
              List.of("plugins", "approve"))) {
        assertThat(line.run(server, command.getFirst(), command.getLast(), id, "--json"))
            .as("%s '%s'", command, id)
            .isEqualTo(64);
        assertThat(line.err()).startsWith("{\"error\":\"'" + id + "' is not the id of any ");
      }
    }
    assertThat(server.requests).isEmpty();
  }

  @Test
  void whereJsonIsAskedForEverythingThatIsSaidIsJson() throws IOException {
    for (String[] args :
        new String[][] {
          {"--json"}, {"plugins", "bogus", "--json"}, {"statsu", "--json"}, {"plugins", "--json"}
        }) {
      assertThat(line.run(args)).isEqualTo(64);
      assertThat(CliJson.parse(line.err()).path("error").asText()).isNotEmpty();
      assertThat(line.out()).isEmpty();
    }
    assertThat(line.run("plugins", "new", "class", "--json")).isZero();
    assertThat(CliJson.parse(line.out()).path("folder").asText())
        .isEqualTo(folder.resolve("class").toString());
  }

  @Test
  void aConfigurationThatWasNamedAndIsNotThereIsNotTakenForTheDefaults() {
    for (String[] args :
        new String[][] {
          {"plugins", "list"}, {"plugins", "verify", "x.jar"}, {"status"}, {"backup", "x.zip"}
        }) {
      String[] all = java.util.Arrays.copyOf(args, args.length + 2);
      all[args.length] = "--config";
      all[args.length + 1] = "no.yaml";
      assertThat(line.run(all)).as(args[0]).isEqualTo(78);
      assertThat(line.err()).contains("no.yaml does not exist");
    }
  }

  @Test
  void helpAndVersionAreWordsAndOptions() {
    assertThat(line.run("help", "dlq", "replay")).isZero();
    String help = line.out();
    assertThat(line.run("dlq", "replay", "--help")).isZero();
    assertThat(help).isEqualTo(line.out()).contains("Usage: holdfast dlq replay");
    assertThat(line.run("help")).isZero();
    assertThat(line.out()).contains("Usage: holdfast", "breakers");
    assertThat(line.run("help", "dlq", "none")).isEqualTo(64);
    assertThat(line.err()).contains("there is no command none: see holdfast dlq --help");
    assertThat(line.run("version")).isZero();
    String version = line.out();
    assertThat(line.run("--version")).isZero();
    assertThat(line.out()).isEqualTo(version).startsWith("holdfast ");
  }

  @Test
  void theManualHoldsEveryCommandWithItsOwnOptions() {
    assertThat(line.run("manual")).isZero();
    assertThat(line.out())
        .startsWith(".TH HOLDFAST 1 ")
        .contains(".SS \"holdfast dlq replay ID\"\n", "\\fB\\-\\-older\\-than\\fR \\fITIME\\fR")
        .contains("Default: 900.", ".SS \"holdfast mode MODE\"\n")
        .containsOnlyOnce("\\fB\\-\\-token\\fR")
        .doesNotContain("${");
    assertThat(line.out().lines().filter(text -> text.startsWith(".")))
        .allMatch(text -> text.matches("\\.(TH|SH|SS|TP|PP|nf|fi)( .*)?"));
  }

  @Test
  void aShellCompletesCommands() throws Exception {
    assertThat(line.run("completion")).isZero();
    Path script = Files.writeString(folder.resolve("completion"), line.out());
    String ask =
        "source '%s'; COMP_WORDS=(holdfast dlq rep); COMP_CWORD=2; _complete_holdfast 2>&-; echo ${COMPREPLY[*]}"
            .formatted(script);
    Process bash = new ProcessBuilder("bash", "-c", ask).redirectErrorStream(true).start();
    assertThat(bash.inputReader().readAllAsString().strip()).isEqualTo("replay");
  }

  @Test
  void configIsCheckedAndShownWithoutAServer() throws IOException {
    assertThat(line.run("config", "check")).isZero();
    Path file = folder.resolve("h.yaml");
    Files.writeString(file, "http: {port: 70000}\napi: {key: hush-hush}\nhtp: 1\n");
    assertThat(line.run("config", "check", "--config", file.toString())).isEqualTo(78);
    assertThat(line.out().lines())
        .containsExactly(
            file + ":1: http: port must be from 0 to 65535, got 70000",
            file + ":3: unknown key htp; did you mean http?");
    assertThat(line.run("config", "check", "--json", "--config", file.toString())).isEqualTo(78);
    assertThat(line.out()).contains("\"line\" : 3");
    assertThat(line.run("config", "show", "--config", file.toString())).isEqualTo(78);
    assertThat(line.out()).contains("key: \"***\"").doesNotContain("hush");
    assertThat(line.run("config", "check", "--config", "no.yaml")).isEqualTo(78);
    assertThat(line.run("version", "--json")).isZero();
  }

  @Test
  void theDataFolderOfTheCommandLineIsShownAsTheOneInForce() throws IOException {
    Files.writeString(folder.resolve("h.yaml"), "server: {data_dir: one}\n");
    line.run("config", "show", "--config", "h.yaml");
    assertThat(line.out()).contains("data_dir: one  # line 1");
    line.run("config", "show", "--config", "h.yaml", "--data", "two");
    assertThat(line.out()).contains("data_dir: two\n").doesNotContain("one");
    line.run("config", "show", "--json", "--data", "two");
    assertThat(line.out()).contains("\"data_dir\" : \"two\"");
  }
}
