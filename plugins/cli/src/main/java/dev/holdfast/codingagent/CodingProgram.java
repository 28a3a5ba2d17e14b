package dev.holdfast.codingagent;

import dev.holdfast.agentkit.ActionRefusedException;

/** A coding agent, by the protocol that it speaks. */
@FunctionalInterface
interface CodingProgram {
  /** Blocks until it has ended; nothing of it runs then. */
  Outcome run(Run run) throws ActionRefusedException, InterruptedException;

  static CodingProgram of(InstalledProgram installed, ProgramSettings settings) {
    return switch (installed.kind()) {
      case AUTO -> throw new IllegalArgumentException("a program that was found has a kind");
      case ACP -> run -> AcpProgram.run(installed, settings, run);
      case CLAUDE -> run -> ClaudeProgram.run(installed, settings, run);
      case CODEX -> run -> CodexProgram.run(installed, settings, run);
    };
  }
}
