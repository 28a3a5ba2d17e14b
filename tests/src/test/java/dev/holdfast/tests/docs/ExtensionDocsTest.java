package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What docs/extensions.md tells a newcomer to do, done word for word, with the jar alone. */
@Outside(
    covers = {"docs/extensions.md", "tests/src/test/java/dev/holdfast/tests/docs/LocalServer.java"},
    needs = "npx:npm")
@Timeout(300)
class ExtensionDocsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration DOWNLOAD = Duration.ofSeconds(150);
  private static final int FILES = 0;
  private static final int LIST = 1;
  private static final int DICE = 2;
  private static final int ROLL = 3;
  private static final int COIN = 4;
  private static final int TOSS = 5;

  private static void awaitSaid(
      PageCommands page, int block, Path folder, String said, Duration in) {
    Await.until(
        "it says " + said,
        in,
        () -> page.run(block, folder).lines().anyMatch(line -> line.strip().matches(said)));
  }

  @Test
  void aServerOfOthersAScriptAndAJarOfferTheirTools() throws Exception {
    Commands.assumePresent("npx");
    Npm.assumeRegistry();
    PageCommands page = PageCommands.of("extensions.md");
    Path folder = Files.createTempDirectory("holdfast-page");
    try (LocalServer _ = LocalServer.start(folder)) {
      page.run(FILES, folder);
      Path files = folder.resolve("data/extensions/files/files");
      Await.until("its folder is there", LIMIT, () -> Files.isDirectory(files));
      Files.writeString(files.resolve("a-note.txt"), "");
      awaitSaid(page, LIST, folder, ".*\\[FILE] a-note.txt.*", DOWNLOAD);

      page.run(DICE, folder);
      awaitSaid(page, ROLL, folder, "[1-6]", LIMIT);

      assertThat(page.run(COIN, folder)).contains("extension coin", "Tosses coins.");
      awaitSaid(page, TOSS, folder, "(heads|tails)", LIMIT);
    }
  }
}
