package dev.holdfast.codingagent;

import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.codingagent.ProgramSettings.ProgramKind;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The coding agent of this machine, and how it is talked to.
 *
 * @param kind any but AUTO
 */
record InstalledProgram(ProgramKind kind, List<String> command) {
  /** What is looked for when nothing is configured: those that speak ACP first. */
  private static final List<InstalledProgram> KNOWN =
      List.of(
          acp("acp-agent"),
          acp("claude-agent-acp"),
          acp("claude-code-acp"),
          acp("codex-acp"),
          acp("gemini", "--acp"),
          acp("opencode", "acp"),
          acp("goose", "acp"),
          new InstalledProgram(ProgramKind.CLAUDE, List.of("claude")),
          new InstalledProgram(ProgramKind.CODEX, List.of("codex")));

  InstalledProgram {
    command = List.copyOf(command);
  }

  private static InstalledProgram acp(String... command) {
    return new InstalledProgram(ProgramKind.ACP, List.of(command));
  }

  /** The one that is configured, or the first one that is there. */
  static InstalledProgram find(ProgramSettings settings, String searchPath)
      throws ActionRefusedException {
    ProgramKind wanted = settings.kind();
    if (!settings.command().isEmpty()) {
      ProgramKind kind = wanted == ProgramKind.AUTO ? kindOf(settings.command()) : wanted;
      return new InstalledProgram(kind, settings.command());
    }
    return KNOWN.stream()
        .filter(each -> wanted == ProgramKind.AUTO || each.kind == wanted)
        .filter(each -> isOnPath(each.command.getFirst(), searchPath))
        .findFirst()
        .orElseThrow(
            () ->
                new ActionRefusedException(
                    ActionRefusedException.FAILED,
                    "No coding agent is installed where PATH leads."));
  }

  /** Of a command without a word on how it is talked to: its name says it, else it speaks ACP. */
  private static ProgramKind kindOf(List<String> command) {
    String name =
        Optional.ofNullable(Path.of(command.getFirst()).getFileName()).orElseThrow().toString();
    return KNOWN.stream()
        .filter(each -> each.command.equals(List.of(name)))
        .map(InstalledProgram::kind)
        .findFirst()
        .orElse(ProgramKind.ACP);
  }

  private static boolean isOnPath(String program, String searchPath) {
    return Arrays.stream(searchPath.split(":"))
        .filter(folder -> !folder.isEmpty())
        .anyMatch(folder -> isProgram(folder, program));
  }

  private static boolean isProgram(String folder, String name) {
    try {
      return Files.isExecutable(Path.of(folder, name));
    } catch (InvalidPathException _) {
      return false;
    }
  }
}
