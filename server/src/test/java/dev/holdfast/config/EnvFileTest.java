package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnvFileTest {
  @TempDir Path folder;

  @Test
  void wrongLinesAreSaidWithTheirNumbersAndWithoutTheirValues() throws Exception {
    Path file = folder.resolve("holdfast.env");
    Files.writeString(
        file,
        """
        # a comment
        ; another

        GOOD=one
        LONG=one \\
        two
        export KEY=hidden-1
        hidden-2
        hidden 3=x
        OPEN="hidden-4
        QUOTED="a b"
        """);
    EnvFile env = new EnvFile(file, Map.of());
    assertThat(env.now())
        .containsEntry("GOOD", "one")
        .containsEntry("LONG", "one two")
        .containsEntry("QUOTED", "a b")
        .doesNotContainKey("KEY");
    assertThat(env.problems())
        .containsExactly(
            file + ":7: write NAME=value, without export",
            file + ":8: there is no = in it: write NAME=value",
            file + ":9: before the = stands no name: letters, digits and _, no digit first",
            file + ":10: the quotation mark of OPEN is not closed");
    Files.delete(file);
    assertThat(env.problems()).isEmpty();
  }
}
