package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The programs that offer tools. */
@Command(
    name = "extensions",
    description = "List, restart and approve the programs that offer tools.")
final class ExtensionsCommand extends CommandGroup {
  ExtensionsCommand(RootCommand root) {
    super(root, "extensions list, info, approve, logs or restart");
  }

  @Command(
      name = "list",
      description = "List the extensions and their states.",
      footer = {"", "Example: holdfast extensions list"})
  int list() throws CliException, InterruptedException {
    printList(
        root.ask(api -> api.get("/api/v1/extensions")),
        "extensions",
        "no extensions",
        List.of("EXTENSION", "PROTOCOL", "STATE", "TOOLS", "RESTARTS", "LAST ERROR"),
        ExtensionsCommand::row);
    return ExitCode.OK;
  }

  @Command(
      name = "info",
      description = "Show one extension with its tools, and why some are not offered.",
      footer = {"", "Example: holdfast extensions info files"})
  int info(@Parameters(paramLabel = "EXTENSION", description = "Its id.") String id)
      throws CliException, InterruptedException {
    String path = path(id);
    JsonNode extension = root.ask(api -> api.get(path));
    return print(extension, () -> printInfo(extension));
  }

  private void printInfo(JsonNode extension) {
    for (String key :
        List.of("id", "source", "protocol", "state", "server", "last_error", "last_error_at")) {
      String value = CliJson.text(extension, key);
      if (!value.isEmpty()) {
        root.terminal().line(key.replace('_', ' ') + ": " + value);
      }
    }
    long megabytes = extension.path("memory_bytes").asLong() >> 20;
    if (megabytes > 0) {
      root.terminal().line("memory: " + megabytes + " MB");
    }
    root.terminal().line(VisibleText.line("runs: " + join(extension.path("target"), " ")));
    printAll("tool", extension.path("tools"));
    printAll("not offered", extension.path("refused"));
    extension.path("held").forEach(this::printHeld);
  }

  private void printHeld(JsonNode tool) {
    HeldToolText.lines(tool).forEach(root.terminal()::line);
  }

  private static String join(JsonNode texts, String between) {
    List<String> all = new ArrayList<>();
    texts.forEach(text -> all.add(text.asText()));
    return String.join(between, all);
  }

  @Command(
      name = "approve",
      description = "Approve the tools that are new or have changed, so that they are offered.",
      footer = {"", "Example: holdfast extensions approve files"})
  int approve(@Parameters(paramLabel = "EXTENSION", description = "Its id.") String id)
      throws CliException, InterruptedException {
    String path = path(id);
    JsonNode seen = root.ask(api -> api.get(path));
    if (!root.json) {
      seen.path("held").forEach(this::printHeld);
    }
    JsonNode answer =
        root.ask(
            api ->
                api.post(
                    path + "/approve",
                    CliJson.object().put("listing", CliJson.text(seen, "listing"))));
    String approved = id + ": " + seen.path("held").size() + " tools approved";
    return print(answer, () -> root.terminal().line(approved));
  }

  @Command(
      name = "logs",
      description = "Show the last lines of its standard error.",
      footer = {"", "Example: holdfast extensions logs files"})
  int logs(@Parameters(paramLabel = "EXTENSION", description = "Its id.") String id)
      throws CliException, InterruptedException {
    String path = path(id) + "/log";
    JsonNode log = root.ask(api -> api.get(path));
    return print(
        log,
        () ->
            log.path("lines")
                .forEach(line -> root.terminal().line(VisibleText.line(line.asText()))));
  }

  @Command(
      name = "restart",
      description = "Restart its process, even if the extension is parked.",
      footer = {"", "Example: holdfast extensions restart files"})
  int restart(@Parameters(paramLabel = "EXTENSION", description = "Its id.") String id)
      throws CliException, InterruptedException {
    String path = path(id) + "/restart";
    JsonNode answer = root.ask(api -> api.post(path, CliJson.object()));
    return print(answer, () -> root.terminal().line(id + " is being restarted"));
  }

  private static String path(String id) throws CliException {
    return "/api/v1/extensions/" + segment(id, "extension");
  }

  private void printAll(String what, JsonNode texts) {
    texts.forEach(text -> root.terminal().line(what + ": " + VisibleText.line(text.asText())));
  }

  private static List<String> row(JsonNode extension) {
    return List.of(
        CliJson.text(extension, "id"),
        CliJson.text(extension, "protocol"),
        CliJson.text(extension, "state"),
        Integer.toString(extension.path("tools").size()),
        CliJson.text(extension, "restarts"),
        CliJson.text(extension, "last_error"));
  }
}
