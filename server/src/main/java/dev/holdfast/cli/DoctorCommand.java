package dev.holdfast.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.bus.BrokerConfig;
import dev.holdfast.config.ConfigException;
import dev.holdfast.config.EnvFile;
import dev.holdfast.config.Problem;
import dev.holdfast.config.Section;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** Looks at everything that a server needs from its surroundings. */
@Command(
    name = "doctor",
    description = "Check this machine, the configuration and the data folder, and say what to do.",
    footer = {
      "",
      "Works with and without a running server and changes nothing (it writes and removes one"
          + " small",
      "file in the data folder, to measure fsync). Exits with 1 if it finds a problem.",
      "",
      "Example: holdfast doctor --data /var/lib/holdfast"
    })
final class DoctorCommand implements Callable<Integer> {
  private static final Set<PosixFilePermission> STRANGERS =
      EnumSet.of(
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE,
          PosixFilePermission.OTHERS_EXECUTE);

  private final RootCommand root;
  private final Function<Section, ?> maker;

  DoctorCommand(RootCommand root, Function<Section, ?> maker) {
    this.root = root;
    this.maker = maker;
  }

  @Override
  public Integer call() throws CliException, InterruptedException {
    MachineChecks machine = new MachineChecks(root.environment);
    DataChecks data =
        new DataChecks(
            root.dataFolder(),
            root.environment.time(),
            minFreeBytes(),
            !root.variables().getOrDefault("HOLDFAST_TOKEN", "").isBlank());
    ServerChecks server = new ServerChecks(root);
    List<Finding> findings = new ArrayList<>();
    look(findings, "Java", machine::java);
    look(findings, "open files", machine::openFiles);
    look(findings, "isolation", () -> machine.isolation(sandbox()));
    look(findings, "systemd", machine::systemd);
    look(findings, "SQLite", machine::sqlite);
    look(findings, "configuration", this::configuration);
    look(findings, "data folder", data::folder);
    look(findings, "file system", data::fileSystem);
    look(findings, "free space", data::freeSpace);
    look(findings, "fsync", data::fsync);
    look(findings, "variables", this::variables);
    look(findings, "token", data::token);
    look(findings, "database", data::database);
    look(findings, "messages", data::messages);
    look(findings, "audit", data::audit);
    Optional<BrokerConfig> broker = broker();
    if (broker.isPresent()) {
      root.terminal().progress("checking NATS...");
      BrokerChecks checks = new BrokerChecks(broker.get());
      checks.nats().ifPresent(finding -> show(findings, finding));
      checks.control().ifPresent(finding -> show(findings, finding));
    }
    show(findings, server.answer());
    List<ServerCondition> conditions = server.conditions();
    conditions.forEach(condition -> print(finding(condition)));
    for (String channel : server.channels()) {
      root.terminal().progress("checking " + VisibleText.line(channel) + "...");
      for (Finding finding : server.channel(channel)) {
        show(findings, finding);
      }
    }
    for (Finding finding : server.incidents()) {
      show(findings, finding);
    }
    for (Finding port : server.ports()) {
      show(findings, port);
    }
    return report(findings, conditions);
  }

  private void look(List<Finding> findings, String name, Supplier<Finding> check) {
    root.terminal().progress("checking " + name + "...");
    show(findings, check.get());
  }

  private void show(List<Finding> findings, Finding finding) {
    findings.add(finding);
    print(finding);
  }

  /** In the server's own words. */
  private Finding finding(ServerCondition condition) {
    String end = condition.end(root.environment.time().now());
    return condition.hasFailed()
        ? Finding.bad(condition.type(), condition.message(), end)
        : Finding.warning(condition.type(), condition.message(), end);
  }

  private void print(Finding finding) {
    if (root.json) {
      return;
    }
    Terminal terminal = root.terminal();
    String mark =
        switch (finding.verdict()) {
          case GOOD -> terminal.good("ok  ");
          case WARNING -> terminal.warning("warn");
          case BAD -> terminal.bad("BAD ");
        };
    String text = VisibleText.lines(finding.text(), " ".repeat(21));
    terminal.line("%s  %-14s %s".formatted(mark, finding.name(), text));
    if (!finding.advice().isEmpty()) {
      terminal.line("      " + " ".repeat(15) + terminal.bold(finding.advice()));
    }
  }

  private int report(List<Finding> findings, List<ServerCondition> conditions) {
    boolean bad =
        findings.stream().anyMatch(f -> f.verdict() == Finding.Verdict.BAD)
            || conditions.stream().anyMatch(ServerCondition::hasFailed);
    if (root.json) {
      ObjectNode answer = CliJson.object().put("good", !bad);
      ArrayNode list = answer.putArray("findings");
      for (Finding finding : findings) {
        list.addObject()
            .put("name", finding.name())
            .put("verdict", finding.verdict().name().toLowerCase(Locale.ROOT))
            .put("text", finding.text())
            .put("advice", finding.advice());
      }
      ArrayNode told = answer.putArray("conditions");
      conditions.forEach(condition -> told.add(condition.json()));
      root.print(answer);
    } else {
      root.terminal().line(bad ? root.terminal().bad("problems found") : "no problems found");
    }
    return bad ? ExitCode.NOT_GOOD : ExitCode.OK;
  }

  private long minFreeBytes() {
    String given = root.configuration().peek("server", "min_free_bytes").orElse("");
    return given.matches("[0-9]{1,18}") ? Long.parseLong(given) : 256L << 20;
  }

  private String sandbox() {
    return root.configuration().peek("tools", "shell", "sandbox").orElse("auto");
  }

  /** Empty when its section is wrong, which was said before. */
  private Optional<BrokerConfig> broker() {
    try {
      return Optional.of(
          root.configuration().make(file -> file.section("broker").read(BrokerConfig::from)));
    } catch (ConfigException _) {
      return Optional.empty();
    }
  }

  private Finding variables() {
    Path file =
        EnvFile.of(root.configuration(), root.environment.folder().resolve(root.configFile()));
    if (!Files.exists(file)) {
      return Finding.good("variables", "there is no " + file);
    }
    List<String> problems = new EnvFile(file, Map.of()).problems();
    if (!problems.isEmpty()) {
      return Finding.warning("variables", problems.getFirst(), "correct it; nothing else applies");
    }
    try {
      return Collections.disjoint(Files.getPosixFilePermissions(file), STRANGERS)
          ? Finding.good("variables", file + " is closed to other users")
          : Finding.warning(
              "variables", "other users can read or change " + file, "chmod g-w,o-rwx " + file);
    } catch (IOException e) {
      return Finding.bad("variables", file + " cannot be checked: " + e.getMessage(), "");
    }
  }

  private Finding configuration() {
    List<Problem> problems = ConfigCommand.problems(root.configuration(), maker);
    if (!problems.isEmpty()) {
      String more = problems.size() > 1 ? " (and " + (problems.size() - 1) + " more)" : "";
      return Finding.bad(
          "configuration", problems.getFirst() + more, "see all: holdfast config check");
    }
    return Finding.good(
        "configuration",
        root.configuration().present()
            ? root.configFile() + " is good"
            : root.configFile() + " does not exist; the defaults apply");
  }
}
