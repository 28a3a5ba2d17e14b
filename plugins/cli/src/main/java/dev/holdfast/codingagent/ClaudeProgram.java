package dev.holdfast.codingagent;

import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.kit.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Claude Code without its screen: {@code claude -p} with messages in lines of JSON both ways. It
 * asks for permissions by a control request, which is answered on its input.
 */
final class ClaudeProgram {
  private static final List<String> FLAGS =
      List.of(
          "-p",
          "--output-format",
          "stream-json",
          "--input-format",
          "stream-json",
          "--verbose",
          "--permission-prompt-tool",
          "stdio");

  /** A tool that asks the person at the screen something; nobody is there. */
  private static final String QUESTION_TOOL = "AskUserQuestion";

  private final ProgramProcess process;
  private final Run run;
  private @Nullable PermissionRequest asked;
  private String said = "";
  private long calls;

  private ClaudeProgram(ProgramProcess process, Run run) {
    this.process = process;
    this.run = run;
  }

  static Outcome run(InstalledProgram installed, ProgramSettings settings, Run run)
      throws ActionRefusedException, InterruptedException {
    List<String> command = new ArrayList<>(installed.command());
    command.addAll(FLAGS);
    if (!run.session().isEmpty()) {
      command.addAll(List.of("--resume", run.session()));
    }
    command.addAll(settings.arguments());
    try (ProgramProcess process = ProgramProcess.start(command, run.folder(), run.limits())) {
      return new ClaudeProgram(process, run).run();
    }
  }

  private Outcome run() throws ActionRefusedException, InterruptedException {
    process.write(
        Map.of("type", "user", "message", Map.of("role", "user", "content", run.prompt())));
    while (true) {
      Optional<Map<String, Object>> next = process.next(run.watcher()::waits);
      if (next.isEmpty()) {
        if (asked != null) {
          return new Outcome.Asks(asked, SessionUsage.NONE);
        }
        if (isSessionLost(process.errors())) {
          return new Outcome.SessionLost(SessionUsage.NONE);
        }
        throw process.ended();
      }
      Map<String, Object> message = next.get();
      switch (JsonText.text(message, "type")) {
        case "system" -> know(message);
        case "assistant" -> hear(JsonText.map(message, "message"));
        case "control_request" -> answer(message);
        case "result" -> {
          return ended(message);
        }
        default -> run.watcher().waits();
      }
    }
  }

  private void know(Map<String, Object> message) {
    String session = JsonText.text(message, "session_id");
    if (JsonText.text(message, "subtype").equals("init") && !session.isEmpty()) {
      run.watcher().knows(session);
    }
  }

  private void hear(Map<String, Object> message) {
    for (Map<String, Object> block : JsonText.maps(message, "content")) {
      switch (JsonText.text(block, "type")) {
        case "text" -> said = JsonText.text(block, "text");
        case "tool_use" -> {
          calls++;
          run.watcher().does(title(JsonText.text(block, "name"), JsonText.map(block, "input")));
        }
        default -> run.watcher().waits();
      }
    }
  }

  /** What a tool is called for, in a few words. */
  static String title(String tool, Map<String, Object> input) {
    for (String name :
        List.of("command", "file_path", "notebook_path", "pattern", "url", "query")) {
      String value = JsonText.text(input, name);
      if (!value.isEmpty()) {
        return tool + ": " + value;
      }
    }
    String description = JsonText.text(input, "description");
    return description.isEmpty() ? tool : tool + ": " + description;
  }

  private void answer(Map<String, Object> message) {
    Object id = message.get("request_id");
    Map<String, Object> request = JsonText.map(message, "request");
    if (id == null) {
      return;
    }
    if (!JsonText.text(request, "subtype").equals("can_use_tool")) {
      process.write(
          Map.of(
              "type",
              "control_response",
              "response",
              Map.of("subtype", "error", "request_id", id, "error", "not supported")));
      return;
    }
    process.write(
        Map.of(
            "type",
            "control_response",
            "response",
            Map.of("subtype", "success", "request_id", id, "response", permission(request))));
  }

  private Map<String, Object> permission(Map<String, Object> request) {
    String tool = JsonText.text(request, "tool_name");
    Map<String, Object> input = JsonText.map(request, "input");
    if (tool.equals(QUESTION_TOOL)) {
      return denied("Nobody can answer now. Decide yourself, or end with your question.", false);
    }
    PermissionRequest wanted = PermissionRequest.of(tool, title(tool, input), input);
    Permissions.Verdict verdict =
        asked == null ? run.permissions().verdict(wanted) : Permissions.Verdict.UNKNOWN;
    return switch (verdict) {
      case ALLOWED -> Map.of("behavior", "allow", "updatedInput", input);
      case REJECTED -> denied("A person has rejected this. Go on without it.", false);
      case UNKNOWN -> {
        if (asked == null) {
          asked = wanted;
          process.stops();
        }
        yield denied("A person is asked first.", true);
      }
    };
  }

  private static Map<String, Object> denied(String message, boolean interrupts) {
    return Map.of("behavior", "deny", "message", message, "interrupt", interrupts);
  }

  private Outcome ended(Map<String, Object> result) throws ActionRefusedException {
    SessionUsage usage = usage(result);
    if (asked != null) {
      return new Outcome.Asks(asked, usage);
    }
    String text = JsonText.text(result, "result");
    String subtype = JsonText.text(result, "subtype");
    if (subtype.equals("success") && !JsonText.flag(result, "is_error")) {
      return new Outcome.Done(text.isEmpty() ? said : text, usage);
    }
    String why = text.isEmpty() ? String.valueOf(result.getOrDefault("errors", subtype)) : text;
    if (isSessionLost(why)) {
      return new Outcome.SessionLost(usage);
    }
    throw new ActionRefusedException(
        subtype.startsWith("error_max")
            ? ActionRefusedException.UNREADABLE
            : ActionRefusedException.FAILED,
        "Claude Code stopped: " + why);
  }

  private boolean isSessionLost(String why) {
    return !run.session().isEmpty() && calls == 0 && why.contains("No conversation found");
  }

  private SessionUsage usage(Map<String, Object> result) {
    Map<String, Object> tokens = JsonText.map(result, "usage");
    return new SessionUsage(
        JsonText.whole(result, "num_turns", 0),
        calls,
        SessionUsage.Tokens.OF_RUN,
        JsonText.whole(tokens, "input_tokens", 0)
            + JsonText.whole(tokens, "cache_creation_input_tokens", 0)
            + JsonText.whole(tokens, "cache_read_input_tokens", 0),
        JsonText.whole(tokens, "output_tokens", 0),
        JsonText.number(result, "total_cost_usd", 0),
        "USD");
  }
}
