package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ToolResult;
import dev.holdfast.time.TimedWait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a child that is kept sees of files that become secrets, and what of its own is hidden. */
@Timeout(60)
class SecretViewTest extends ExtensionCase {
  private Path shared = Path.of("unset");

  /** Not in the folder for temporary files, of which a child sees nothing. */
  @BeforeEach
  void makeFolder() throws IOException {
    shared = Files.createTempDirectory(Path.of("/var/tmp"), "holdfast-view-").toRealPath();
    Files.writeString(shared.resolve("key"), "canary");
  }

  @AfterEach
  void deleteFolder() throws IOException {
    try (Stream<Path> all = Files.walk(shared)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private String read() throws InterruptedException {
    return rig.call("demo_read", "{\"path\":\"" + shared.resolve("key") + "\"}").text();
  }

  @Test
  void aChildIntoWhoseViewASecretComesIsReplaced() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    assertThat(read()).isEqualTo("canary");
    rig.secrets.addFile(shared.resolve("key"));
    rig.extensions().lookAtSecrets();
    TimedWait.until("another child", () -> starts() == 2);
    assertThat(read()).startsWith("nothing");
    rig.extensions().lookAtSecrets();
    assertThat(rig.call("demo_echo").isError()).isFalse();
    assertThat(starts()).as("once is enough").isEqualTo(2);
    assertThat(rig.view("demo").restarts()).as("it did not fail").isZero();
  }

  @Test
  void noCallBeginsOnAChildThatSeesASecretWhenTheLastLookIsOld() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    Files.createDirectory(shared.resolve("v2"));
    rig.secrets.addFile(shared.resolve("key"));
    TimedWait.until("the child is replaced at a call", () -> callStarts() == 2);
    assertThat(read()).startsWith("nothing");
  }

  private int callStarts() {
    try {
      assertThat(rig.call("demo_echo").isError()).isFalse();
      return starts();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A call on the way is not lost for it. */
  @Test
  void aCallThatRunsComesToItsEndFirst() throws Exception {
    rig.again(
        new Pace(
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            3,
            Duration.ofMillis(50),
            Duration.ofMillis(300)));
    rig.serve(ExtensionRig.server("demo"));
    CompletableFuture<ToolResult> running =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return rig.call("demo_wait");
              } catch (InterruptedException e) {
                throw new CompletionException(e);
              }
            });
    Path files = rig.folder.resolve("demo/files");
    TimedWait.until("it works", () -> Files.exists(files.resolve("waiting")));
    rig.secrets.addFile(shared.resolve("key"));
    rig.extensions().lookAtSecrets();
    Files.createFile(files.resolve("go"));
    assertThat(running.join().text()).startsWith("wait");
    TimedWait.until("another child", () -> starts() == 2);
  }

  /** Its pace gives them 100 ms. */
  @Test
  void aCallThatRunsTooLongDoesNotKeepTheChild() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    CompletableFuture<ToolResult> running =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return rig.call("demo_hang");
              } catch (InterruptedException e) {
                throw new CompletionException(e);
              }
            });
    Path files = rig.folder.resolve("demo/files");
    TimedWait.until("it works", () -> Files.exists(files.resolve("hanging")));
    rig.secrets.addFile(shared.resolve("key"));
    rig.extensions().lookAtSecrets();
    assertThat(running.join().isError()).isTrue();
    TimedWait.until("another child", () -> starts() == 2);
  }

  @Test
  void whatIsSecretOfItsVariablesCountsBeforeItsFirstStart() throws Exception {
    rig.environment.put("DEMO_TOKEN", "s3cret-of-demo");
    rig.environment.put("DEMO_LICENSE", "licence-of-demo");
    rig.environment.put("DEMO_REGION", "eu-central-1");
    String entry =
        "- {id: never, protocol: action, command: [bash], env: [DEMO_TOKEN, DEMO_REGION],"
            + " secret_env: [DEMO_LICENSE], actions: [{name: run}]}\n";
    List<String> _ = rig.declare(entry);
    assertThat(rig.secrets.redact("s3cret-of-demo licence-of-demo eu-central-1"))
        .isEqualTo("*** *** eu-central-1");
    rig.environment.put("DEMO_TOKEN", "another-of-demo");
    List<String> _ = rig.declare(entry);
    assertThat(rig.secrets.redact("another-of-demo s3cret-of-demo")).isEqualTo("*** ***");
  }

  @Test
  void aServerThatWasNotStartedAgainHidesItsSecretsToo() throws Exception {
    rig.environment.put("DEMO_TOKEN", "s3cret-of-demo");
    rig.serve(ExtensionRig.server("demo", List.of(), "  env: [DEMO_TOKEN]\n"));
    rig.environment.put("DEMO_TOKEN", "another-of-demo");
    rig.again(rig.pace);
    List<String> _ = rig.declare(ExtensionRig.server("demo", List.of(), "  env: [DEMO_TOKEN]\n"));
    assertThat(rig.secrets.redact("another-of-demo")).isEqualTo("***");
    assertThat(rig.view("demo").state()).isEqualTo(ExtensionState.IDLE);
  }

  @Test
  void itsErrorsAreAsFreeOfSecretsAsWhatItAnswers() throws Exception {
    rig.environment.put("DEMO_TOKEN", "s3cret-of-demo");
    rig.serve(ExtensionRig.server("demo", List.of(), "  env: [DEMO_TOKEN]\n"));
    assertThat(rig.call("demo_errors").isError()).isFalse();
    TimedWait.until("its errors", () -> logs().stream().anyMatch(line -> line.startsWith("H ")));
    assertThat(logs()).containsExactly("server starts", "Z ***", "C ***", "H ***");
  }

  private List<String> logs() {
    return rig.extensions().logs("demo").orElseThrow();
  }

  private int starts() {
    try {
      return rig.starts("demo");
    } catch (IOException _) {
      return 0;
    }
  }
}
