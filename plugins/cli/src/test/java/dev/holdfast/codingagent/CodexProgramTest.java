package dev.holdfast.codingagent;

import static dev.holdfast.codingagent.AgentDouble.done;
import static dev.holdfast.codingagent.AgentDouble.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.codingagent.ProgramSettings.ProgramKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Against what Codex writes. */
@Timeout(60)
class CodexProgramTest {
  private static final String SESSION = "01a2140f-2a91-79b3-af87-1ae027136622";

  @TempDir Path folder;
  private AgentDouble agent;

  private static final class Unwatched implements Run.Watcher {
    @Override
    public void does(String label) {}

    @Override
    public void waits() {}

    @Override
    public void knows(String session) {}
  }

  @BeforeEach
  void make() throws Exception {
    agent = new AgentDouble(folder, "codex", "");
  }

  @Test
  void aTaskIsDoneAndTheNextOneGoesOnInItsSession() throws Exception {
    assertThat(done(agent.work("k1", "one")))
        .containsEntry("text", "All done.")
        .containsEntry("session", SESSION)
        .containsEntry(
            "usage",
            Map.of(
                "turns", 1L,
                "tool_calls", 2L,
                "session_tokens_in", 24L,
                "session_tokens_out", 10L));
    assertThat(agent.told().getFirst()).contains("make test");
    done(agent.work("k2", "two"));
    assertThat(agent.noted("arguments").getLast())
        .startsWith("exec --json --skip-git-repo-check --sandbox")
        .endsWith("resume " + SESSION + " -");
    assertThat(agent.noted("prompts")).containsExactly("\"one\"", "\"two\"");
  }

  @Test
  void whatItSaysOfAFailureIsTold() throws Exception {
    assertThat(failure(agent.work("k1", "fail"))).isEqualTo("500 Codex stopped: quota exceeded");
  }

  @Test
  void itsOwnSandboxIsPutUpOnlyWhereThereIsNoOther() throws Exception {
    Run run =
        new Run(
            folder,
            "",
            "x",
            Permissions.NONE,
            new TimeLimits(Duration.ZERO, Duration.ZERO, Duration.ZERO),
            new Unwatched());
    InstalledProgram codex = new InstalledProgram(ProgramKind.CODEX, List.of("codex"));
    ProgramSettings plain = ProgramSettings.read("{}");
    assertThat(CodexProgram.command(codex, plain, run, true)).contains("workspace-write");
    assertThat(CodexProgram.command(codex, plain, run, false)).contains("danger-full-access");
    ProgramSettings own = ProgramSettings.read("{\"arguments\":[\"--sandbox\",\"read-only\"]}");
    assertThat(CodexProgram.command(codex, own, run, false))
        .contains("read-only")
        .doesNotContain("danger-full-access");
  }
}
