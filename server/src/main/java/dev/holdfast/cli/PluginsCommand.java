package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.config.EnvFile;
import dev.holdfast.plugins.PluginCheck;
import dev.holdfast.plugins.PluginRefusedException;
import dev.holdfast.processes.GateCondition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The plugins of a running server, and jars that are to become some. */
@Command(
    name = "plugins",
    aliases = "plugin",
    description = "List, inspect, enable, disable, approve and create plugins.")
final class PluginsCommand extends CommandGroup {
  static final String CALLS = "/api/v1/plugins";

  PluginsCommand(RootCommand root) {
    super(root, "plugins list, info, new, verify, enable, disable or approve");
  }

  @Command(
      name = "list",
      description = "List the plugins, and the files that cannot be plugins.",
      footer = {"", "Example: holdfast plugins list"})
  int list() throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.get(CALLS));
    printList(
        answer,
        "plugins",
        "no plugins in " + CliJson.text(answer, "folder"),
        List.of("PLUGIN", "VERSION", "STATE", "OFFERS", "REASON"),
        PluginsCommand::row);
    if (!root.json) {
      for (JsonNode refused : answer.path("refused")) {
        root.terminal()
            .note(
                VisibleText.lines(
                    CliJson.text(refused, "file") + ": " + CliJson.text(refused, "reason"), ""));
      }
    }
    return ExitCode.OK;
  }

  @Command(
      name = "info",
      description = "Show everything about one plugin: what it needs, and what is missing.",
      footer = {"", "Example: holdfast plugins info hello"})
  int info(@Parameters(paramLabel = "PLUGIN", description = "Its id, as list shows it.") String id)
      throws CliException, InterruptedException {
    String _ = segment(id, "plugin");
    JsonNode answer = root.ask(api -> api.get(CALLS));
    for (JsonNode plugin : answer.path("plugins")) {
      if (CliJson.text(plugin, "id").equals(id)) {
        return print(plugin);
      }
    }
    throw new CliException(
        ExitCode.NOT_GOOD, "there is no plugin " + id + "; see holdfast plugins list");
  }

  @Command(
      name = "verify",
      description =
          "Check a jar without a server: its manifest, its signer, and whether it could run"
              + " here.",
      footer = {"", "Example: holdfast plugins verify hello-1.0.0.jar"})
  int verify(@Parameters(paramLabel = "JAR", description = "The file.") Path jar)
      throws CliException {
    EnvFile envFile = root.envFile();
    try {
      PluginCheck check =
          PluginCheck.of(
              root.environment.folder().resolve(jar),
              root.configuration(),
              envFile.now(),
              envFile.file(),
              VersionCommand.version());
      int _ = print(json(check));
      return check.conditions().stream().allMatch(GateCondition::isMet)
          ? ExitCode.OK
          : ExitCode.NOT_GOOD;
    } catch (PluginRefusedException e) {
      throw new CliException(ExitCode.NOT_GOOD, jar + " cannot be a plugin: " + e.getMessage());
    } catch (NoSuchFileException _) {
      throw new CliException(ExitCode.NOT_GOOD, "there is no file " + jar);
    } catch (IOException e) {
      throw new CliException(ExitCode.NOT_GOOD, jar + " cannot be read: " + e.getMessage());
    }
  }

  @Command(
      name = "enable",
      description = "Switch a plugin on, or retry one that is parked or has failed.",
      footer = {"", "Example: holdfast plugins enable hello"})
  int enable(@Parameters(paramLabel = "PLUGIN", description = "Its id.") String id)
      throws CliException, InterruptedException {
    return change(id, "enable");
  }

  @Command(
      name = "disable",
      description = "Switch a plugin off, for later starts of the server too.",
      footer = {"", "Example: holdfast plugins disable hello"})
  int disable(@Parameters(paramLabel = "PLUGIN", description = "Its id.") String id)
      throws CliException, InterruptedException {
    return change(id, "disable");
  }

  @Command(
      name = "approve",
      description = "Trust the jar of a plugin that is in the folder now.",
      footer = {"", "Example: holdfast plugins approve hello"})
  int approve(@Parameters(paramLabel = "PLUGIN", description = "Its id.") String id)
      throws CliException, InterruptedException {
    return change(id, "approve");
  }

  @Command(
      name = "new",
      description = "Create a folder with the sources of a small plugin, ready to build.",
      footer = {"", "Example: holdfast plugins new hello && hello/build.sh"})
  int begin(@Parameters(paramLabel = "NAME", description = "Its id and the folder.") String id)
      throws CliException {
    Optional<String> problem = PluginCheck.problemWithId(id);
    if (problem.isPresent()) {
      throw new CliException(
          ExitCode.USAGE, "a plugin cannot be called '%s': %s".formatted(id, problem.get()));
    }
    Path folder = root.environment.folder().resolve(id);
    if (Files.exists(folder)) {
      throw new CliException(ExitCode.USAGE, folder + " exists already");
    }
    try {
      new PluginTemplate(id, PluginTemplate.ownJar()).write(folder);
    } catch (IOException e) {
      throw new CliException(ExitCode.IO, folder + " cannot be written: " + e.getMessage());
    }
    Path build = folder.resolve("build.sh");
    return print(
        CliJson.object()
            .put("id", id)
            .put("folder", folder.toString())
            .put("build", build.toString()),
        () -> root.terminal().line("made " + folder + "; build it with " + build));
  }

  private int change(String id, String what) throws CliException, InterruptedException {
    String path = CALLS + "/" + segment(id, "plugin") + "/" + what;
    JsonNode plugin = root.ask(api -> api.post(path, CliJson.object()));
    return print(plugin);
  }

  private int print(JsonNode plugin) {
    return print(plugin, () -> printInfo(plugin));
  }

  private void printInfo(JsonNode plugin) {
    List<String> lines = new ArrayList<>();
    lines.add(CliJson.text(plugin, "id") + " " + CliJson.text(plugin, "version"));
    add(lines, "", plugin, "description");
    add(lines, "state        ", plugin, "state");
    add(lines, "reason       ", plugin, "reason");
    for (JsonNode condition : plugin.path("conditions")) {
      boolean met = condition.path("met").asBoolean();
      lines.add(
          "needs        %s %s%s"
              .formatted(
                  met ? "✓" : "✗",
                  CliJson.text(condition, "needs"),
                  met ? "" : ": " + CliJson.text(condition, "step")));
    }
    addAll(lines, "offers       ", plugin.path("offers"));
    addAll(lines, "uses         ", plugin.path("uses"));
    add(lines, "file         ", plugin, "file");
    add(lines, "class        ", plugin, "class");
    add(lines, "sha256       ", plugin, "sha256");
    add(lines, "signer       ", plugin, "signer");
    lines.forEach(line -> root.terminal().line(VisibleText.lines(line, "")));
  }

  private static void add(List<String> lines, String head, JsonNode plugin, String key) {
    String text = plugin.path(key).asText("");
    if (!text.isEmpty()) {
      lines.add(head + text);
    }
  }

  private static void addAll(List<String> lines, String head, JsonNode texts) {
    texts.forEach(text -> lines.add(head + text.asText()));
  }

  private static List<String> row(JsonNode plugin) {
    List<String> offers =
        StreamSupport.stream(plugin.path("offers").spliterator(), false)
            .map(JsonNode::asText)
            .toList();
    return List.of(
        CliJson.text(plugin, "id"),
        CliJson.text(plugin, "version"),
        CliJson.text(plugin, "state"),
        String.join(", ", offers),
        CliJson.text(plugin, "reason"));
  }

  private static ObjectNode json(PluginCheck check) {
    ObjectNode plugin =
        CliJson.object()
            .put("id", check.id())
            .put("version", check.version())
            .put("description", check.description())
            .put("class", check.className())
            .put("sha256", check.sha256())
            .put("signer", check.signer());
    ArrayNode conditions = plugin.putArray("conditions");
    check
        .conditions()
        .forEach(
            condition ->
                conditions
                    .addObject()
                    .put("needs", condition.needs())
                    .put("met", condition.isMet())
                    .put("step", condition.step()));
    ArrayNode offers = plugin.putArray("offers");
    check.extensions().forEach(id -> offers.add("extension " + id));
    ArrayNode uses = plugin.putArray("uses");
    check.uses().forEach(uses::add);
    return plugin;
  }
}
