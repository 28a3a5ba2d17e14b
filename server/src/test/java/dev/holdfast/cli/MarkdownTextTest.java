package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarkdownTextTest {
  @TempDir Path folder;

  private static Terminal terminal(@Nullable String noColour) {
    PrintWriter nowhere = new PrintWriter(new StringWriter());
    return new Terminal(nowhere, nowhere, true, noColour, () -> 80);
  }

  private static String plain(String markdown) {
    return MarkdownText.render(markdown, terminal("1"));
  }

  @Test
  void eachKindOfBlockHasItsLook() {
    assertThat(plain("# Head\n\na **b** *c* `d`\ne")).isEqualTo("Head\n\na b c d\ne");
    assertThat(plain("- a\n- b\n  1. c\n  2. d")).isEqualTo("• a\n• b\n  1. c\n  2. d");
    assertThat(plain("3. a\n4. b")).isEqualTo("3. a\n4. b");
    assertThat(plain("```sh\nls\n  -l\n```")).isEqualTo("    ls\n      -l");
    assertThat(plain("> a\n> b")).isEqualTo("│ a\n│ b");
    assertThat(plain("[x](http://y) <http://z>")).isEqualTo("x (http://y) http://z");
    assertThat(plain("| A | B |\n|---|---|\n| long | **c** |")).isEqualTo("A     B\nlong  c");
    assertThat(plain("<b>kept</b>")).isEqualTo("<b>kept</b>");
  }

  @Test
  void marksBecomeStylesUnlessColoursAreOff() {
    assertThat(MarkdownText.render("**b** `c`", terminal(null)))
        .isEqualTo("\u001b[1mb\u001b[0m \u001b[36mc\u001b[0m");
    assertThat(plain("**b** `c`")).doesNotContain("\u001b");
  }

  @Test
  void whatGrowsIsShownInWholeBlocksAndNothingTwice() {
    List<String> shown = new ArrayList<>();
    Terminal terminal = terminal("1");
    terminal.use(
        new Terminal.Screen() {
          @Override
          public void above(String text) {
            shown.add(text);
          }

          @Override
          public void progress(String text) {}
        });
    MarkdownStream stream = new MarkdownStream(terminal);
    for (String part :
        List.of("One **tw", "o**\n", "\n```\nx", "\n\ny\n```\n\n- a\n\n  b\n\nEnd")) {
      stream.append(part);
    }
    assertThat(shown.getFirst()).isEqualTo("One two");
    assertThat(shown).noneMatch(text -> text.contains("End"));
    stream.end();
    assertThat(String.join("\n", shown).lines().filter(line -> !line.isBlank()))
        .containsExactly("One two", "    x", "    y", "• a", "  b", "End");
  }

  @Test
  void theHistoryIsThePersonsAlone() throws IOException {
    Path history =
        LineEditor.history(Map.of("HOME", folder.toString(), "XDG_STATE_HOME", "relative"));
    assertThat(history).isEqualTo(folder.resolve(".local/state/holdfast/chat-history"));
    LineEditor.createPrivate(history);
    LineEditor.createPrivate(history);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(history)))
        .isEqualTo("rw-------");
    assertThat(LineEditor.history(Map.of("XDG_STATE_HOME", "/state")))
        .isEqualTo(Path.of("/state/holdfast/chat-history"));
  }
}
