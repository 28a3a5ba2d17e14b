package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs the first block of commands of docs/plugins.md. */
final class FirstPlugin {
  private static final Path PAGE = Path.of("../docs/plugins.md");
  private static final Pattern BLOCK =
      Pattern.compile("^```sh\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

  private FirstPlugin() {}

  /**
   * Leaves the jar in the folder {@code plugins} of {@code folder}.
   *
   * @return what the commands printed
   */
  static String build(Path folder) throws IOException, InterruptedException {
    Matcher block = BLOCK.matcher(Files.readString(PAGE));
    assertThat(block.find()).isTrue();
    return run(folder, block.group(1));
  }

  /** Runs commands in a folder; they must succeed. Returns what they printed. */
  static String run(Path folder, String script) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-euc", script)
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
