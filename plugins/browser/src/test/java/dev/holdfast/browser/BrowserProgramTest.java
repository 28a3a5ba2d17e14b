package dev.holdfast.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrowserProgramTest {
  @TempDir Path folder;
  private Path program;

  @BeforeEach
  void write() throws IOException {
    program = Files.createFile(folder.resolve("chrome"));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    Files.createFile(folder.resolve("text"));
  }

  private Path find(String named) {
    return BrowserProgram.find("BROWSER", named, "/none:relative:" + folder);
  }

  @Test
  void aNameIsLookedForOnThePath() {
    assertThat(find("chrome")).isEqualTo(program);
  }

  @Test
  void anAbsolutePathIsTakenAsItIs() {
    assertThat(find(program.toString())).isEqualTo(program);
  }

  @Test
  void whatIsNoProgramIsRefusedByName() {
    assertThatIllegalStateException()
        .isThrownBy(() -> find("firefox"))
        .withMessage("BROWSER names firefox, which is no program on PATH");
    for (String none : new String[] {"text", "bin/chrome", folder + "/text", folder.toString()}) {
      assertThatIllegalStateException()
          .isThrownBy(() -> find(none))
          .withMessageContaining("BROWSER names " + none + ", which is no");
    }
  }
}
