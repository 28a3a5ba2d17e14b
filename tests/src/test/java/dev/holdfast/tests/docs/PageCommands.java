package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The blocks of commands of a page, word for word.
 *
 * @param blocks in their order
 */
public record PageCommands(List<String> blocks) {
  private static final String HOLDFAST =
      "holdfast() { java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
          + " --enable-native-access=ALL-UNNAMED -jar \"$HOLDFAST_JAR\" \"$@\"; }\n";

  /** Of a page in {@code docs}. */
  public static PageCommands of(String page) throws IOException {
    return of(page, "sh");
  }

  /** The blocks in another language: that of a configuration, for example. */
  public static PageCommands of(String page, String language) throws IOException {
    return new PageCommands(
        Pattern.compile("^```" + language + "\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../docs", page)))
            .results()
            .map(block -> block.group(1))
            .toList());
  }

  /** Runs the block of that number, from 0, which must succeed. Returns what it printed. */
  String run(int block, Path folder) throws IOException, InterruptedException {
    return run(blocks.get(block), folder);
  }

  /** The same of any commands. {@code holdfast} is the jar under test. */
  static String run(String script, Path folder) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-euc", HOLDFAST + script)
            .directory(folder.toFile())
            .redirectErrorStream(true);
    builder.environment().put("HOLDFAST_JAR", Setup.jar().toString());
    Path java = Path.of(System.getProperty("java.home"), "bin");
    builder.environment().merge("PATH", java.toString(), (path, bin) -> bin + ":" + path);
    Process commands = builder.start();
    String said = new String(commands.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(commands.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(commands.exitValue()).as(said).isZero();
    return said;
  }
}
