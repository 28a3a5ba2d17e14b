package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** A model that is told where the server's secrets stand, in a folder that it may use. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SecretFileTest {
  private static final String SECRET = ServerRig.SECRET;

  /** Nobody registered it, so nothing would be hidden if it were read. */
  private static final String VARIABLE = "of-the-file-of-variables";

  private final ShellRig shell = new ShellRig();
  private final ServerRig rig = shell.rig();
  private Path shared = Path.of("unset");
  private int messages;

  /** Not in the folder for temporary files, of which a command sees nothing. */
  @BeforeAll
  void start() throws IOException {
    shared = Files.createTempDirectory(Path.of("/var/tmp"), "holdfast-shared-").toRealPath();
    Files.writeString(shared.resolve("key"), SECRET + "\n");
    rig.setup().set("tools.files.roots", List.of(shared.toString()));
    rig.setup().set("channels.webhook.accounts.ci.secret", "${file:" + shared + "/key}");
    Files.writeString(shared.resolve("my.env"), "SOME_TOKEN=" + VARIABLE + "\n");
    rig.setup().set("env_file", shared.resolve("my.env").toString());
    shell.start();
  }

  @AfterAll
  void stop() {
    shell.close();
    ServerRig.delete(shared);
  }

  @Test
  void aFileOfSecretsIsNeitherMovedNorAttachedNorReadBackwards() throws IOException {
    String key = shared.resolve("key").toString();
    assertThat(tool("move_file", Map.of("from", key, "to", "mine"))).contains("the server's own");
    assertThat(tool("attach_file", Map.of("path", "mine"))).doesNotContain("goes with your answer");
    assertThat(tool("read_file", Map.of("path", key))).contains("the server's own");
    assertThat(tool("search_files", Map.of("path", shared.toString(), "pattern", ".")))
        .contains("No hits");
    shell.assumeOwnNamespace("files of the server's user");
    String backwards = new StringBuilder(SECRET).reverse().toString();
    assertThat(
            shell.run(next(), "t", "rev < " + key + "; cp " + key + " mine; rev mine; echo over"))
        .contains("over")
        .doesNotContain(backwards);
    Files.move(shared.resolve("key"), shared.resolve("old"));
    Files.writeString(shared.resolve("key"), SECRET);
    assertThat(tool("move_file", Map.of("from", shared.resolve("old").toString(), "to", "mine")))
        .contains("the server's own");
    assertThat(shared.resolve("key")).hasContent(SECRET);
  }

  @Test
  void theFileOfVariablesIsOutOfReachWhateverItIsCalled() {
    String file = shared.resolve("my.env").toString();
    assertThat(tool("read_file", Map.of("path", file))).contains("the server's own");
    assertThat(tool("search_files", Map.of("path", shared.toString(), "pattern", "TOKEN")))
        .contains("No hits");
    shell.assumeOwnNamespace("files of the server's user");
    assertThat(shell.run(next(), "t", "cat " + file + "; echo over"))
        .contains("over")
        .doesNotContain(VARIABLE);
  }

  private String tool(String name, Map<String, Object> arguments) {
    return shell.say(next(), "t", ShellRig.call(name, arguments));
  }

  private String next() {
    return "secret-" + messages++;
  }
}
