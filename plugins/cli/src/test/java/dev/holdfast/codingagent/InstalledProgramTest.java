package dev.holdfast.codingagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.codingagent.ProgramSettings.ProgramKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstalledProgramTest {
  @TempDir Path folder;

  private void install(String name) throws Exception {
    assertThat(Files.createFile(folder.resolve(name)).toFile().setExecutable(true)).isTrue();
  }

  private InstalledProgram find(String settings) throws Exception {
    return InstalledProgram.find(ProgramSettings.read(settings), "/nowhere:" + folder);
  }

  @Test
  void onesThatSpeakTheProtocolComeFirst() throws Exception {
    assertThatThrownBy(() -> find("{}")).isInstanceOf(ActionRefusedException.class);
    install("codex");
    assertThat(find("{}").kind()).isEqualTo(ProgramKind.CODEX);
    install("claude");
    assertThat(find("{}").kind()).isEqualTo(ProgramKind.CLAUDE);
    install("gemini");
    assertThat(find("{}"))
        .isEqualTo(new InstalledProgram(ProgramKind.ACP, List.of("gemini", "--acp")));
    assertThat(find("{\"program\":\"claude\"}").command()).containsExactly("claude");
  }

  @Test
  void aCommandIsTakenAsItIs() throws Exception {
    assertThat(find("{\"command\":[\"/opt/claude\",\"--x\"],\"program\":\"claude\"}"))
        .isEqualTo(new InstalledProgram(ProgramKind.CLAUDE, List.of("/opt/claude", "--x")));
    assertThat(find("{\"command\":[\"/opt/claude\"]}").kind()).isEqualTo(ProgramKind.CLAUDE);
    assertThat(find("{\"command\":[\"/opt/other\"]}").kind()).isEqualTo(ProgramKind.ACP);
  }
}
