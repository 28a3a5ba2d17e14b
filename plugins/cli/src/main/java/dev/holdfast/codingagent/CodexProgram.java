package dev.holdfast.codingagent;

import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.kit.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Codex without its screen: {@code codex exec --json}. It asks nobody for permissions: what its own
 * sandbox forbids fails.
 */
final class CodexProgram {
  private static final String SANDBOX = "--sandbox";

  /** A child in a mere process group is marked by the server; in a sandbox it is not. */
  private static final String UNCONFINED = "HOLDFAST_CHILD";

  private final ProgramProcess process;
  private final Run run;
  private String said = "";
  private boolean hasBegun;
  private long calls;
  private long turns;
  private long tokensIn;
  private long tokensOut;

  private CodexProgram(ProgramProcess process, Run run) {
    this.process = process;
    this.run = run;
  }

  static Outcome run(InstalledProgram installed, ProgramSettings settings, Run run)
      throws ActionRefusedException, InterruptedException {
    List<String> command = command(installed, settings, run, System.getenv(UNCONFINED) != null);
    try (ProgramProcess process = ProgramProcess.start(command, run.folder(), run.limits())) {
      return new CodexProgram(process, run).run();
    }
  }

  /**
   * In the server's sandbox there is no room for another one, and its walls are the same: then
   * Codex puts up none.
   */
  static List<String> command(
      InstalledProgram installed, ProgramSettings settings, Run run, boolean isUnconfined) {
    List<String> command = new ArrayList<>(installed.command());
    command.addAll(List.of("exec", "--json", "--skip-git-repo-check"));
    if (!settings.arguments().contains(SANDBOX)) {
      command.addAll(List.of(SANDBOX, isUnconfined ? "workspace-write" : "danger-full-access"));
    }
    command.addAll(settings.arguments());
    if (!run.session().isEmpty()) {
      command.addAll(List.of("resume", run.session()));
    }
    command.add("-");
    return command;
  }

  private Outcome run() throws ActionRefusedException, InterruptedException {
    process.writeAll(run.prompt());
    while (true) {
      Optional<Map<String, Object>> next = process.next(run.watcher()::waits);
      if (next.isEmpty()) {
        if (!run.session().isEmpty() && !hasBegun) {
          return new Outcome.SessionLost(usage());
        }
        throw process.ended();
      }
      Map<String, Object> event = next.get();
      switch (JsonText.text(event, "type")) {
        case "thread.started" -> {
          hasBegun = true;
          run.watcher().knows(JsonText.text(event, "thread_id"));
        }
        case "item.started", "item.updated", "item.completed" ->
            hear(JsonText.text(event, "type"), JsonText.map(event, "item"));
        case "turn.completed" -> {
          Map<String, Object> tokens = JsonText.map(event, "usage");
          turns++;
          tokensIn = JsonText.whole(tokens, "input_tokens", 0);
          tokensOut = JsonText.whole(tokens, "output_tokens", 0);
          return new Outcome.Done(said, usage());
        }
        case "turn.failed" ->
            throw new ActionRefusedException(
                ActionRefusedException.FAILED,
                "Codex stopped: " + JsonText.text(JsonText.map(event, "error"), "message"));
        default -> run.watcher().waits(); // an error that it tries to get over is among them
      }
    }
  }

  private SessionUsage usage() {
    return new SessionUsage(
        turns,
        calls,
        SessionUsage.Tokens.OF_SESSION,
        tokensIn,
        tokensOut,
        0,
        SessionUsage.NONE.currency());
  }

  private void hear(String type, Map<String, Object> item) {
    String kind = JsonText.text(item, "type");
    if (kind.equals("agent_message")) {
      said = JsonText.text(item, "text");
      return;
    }
    boolean isCall =
        !kind.equals("reasoning") && !kind.equals("todo_list") && !kind.equals("error");
    if (isCall && type.equals("item.completed")) {
      calls++;
    }
    run.watcher().does(title(kind, item));
  }

  private static String title(String kind, Map<String, Object> item) {
    return switch (kind) {
      case "command_execution" -> JsonText.text(item, "command");
      case "file_change" ->
          "changes "
              + String.join(
                  ", ",
                  JsonText.maps(item, "changes").stream()
                      .map(change -> JsonText.text(change, "path"))
                      .toList());
      case "mcp_tool_call" -> JsonText.text(item, "server") + " " + JsonText.text(item, "tool");
      case "web_search" -> "searches " + JsonText.text(item, "query");
      case "todo_list" ->
          JsonText.maps(item, "items").stream()
              .filter(each -> !JsonText.flag(each, "completed"))
              .map(each -> JsonText.text(each, "text"))
              .findFirst()
              .orElse("plans");
      default -> kind.replace('_', ' ');
    };
  }
}
