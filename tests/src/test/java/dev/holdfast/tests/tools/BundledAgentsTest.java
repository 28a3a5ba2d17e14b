package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The worker agents that come with Holdfast, in the folders that the operator opens to them. */
@Timeout(180)
@Outside(
    covers = {"plugins/agent-kit", "plugins/git", "plugins/notes"},
    needs = "git:git")
class BundledAgentsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @RegisterExtension static final Served SERVED = Served.alone(BundledAgentsTest::configure);

  private final ServerRig rig = SERVED.rig();

  /** Each agent may change one folder and read another. */
  private static void configure(ServerRig rig) {
    try {
      open(rig.setup().plugin("git"), "git", "code/app", "code/library");
      open(rig.setup().plugin("notes"), "notes", "vault", "manuals");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void open(Setup setup, String agent, String first, String second)
      throws IOException {
    Setup _ =
        setup.set(
            "plugins." + agent + ".folders",
            List.of(
                Map.of("path", folder(setup, first).toString(), "write", true),
                Map.of("path", folder(setup, second).toString())));
  }

  private static Path folder(Setup setup, String name) throws IOException {
    return Files.createDirectories(setup.folder().toRealPath().resolve(name));
  }

  private Path folder(String name) throws IOException {
    return folder(rig.setup(), name);
  }

  private void awaitAgent(String agent) {
    Await.until(
        agent + " is there",
        LIMIT,
        () -> rig.api().get("/api/v1/extensions/" + agent).status() == 200);
  }

  private String call(String event, String tool, Map<String, Object> given) {
    return SERVED.say(event, ShellRig.call(tool, given));
  }

  private static String git(Path folder, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git", "-c", "user.name=Ann"));
    command.addAll(List.of("-c", "user.email=ann@example.org"));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said.strip();
  }

  @Test
  void aModelStagesAndCommitsWhatAPersonChanged() throws Exception {
    Commands.assumePresent("git");
    for (String name : List.of("code/app", "code/library")) {
      Path repository = folder(name);
      git(repository, "init", "--quiet", "--initial-branch=main");
      Files.writeString(repository.resolve("a.txt"), "one\n");
      Files.writeString(repository.resolve("gone.txt"), "one\n");
      git(repository, "add", ".");
      git(repository, "commit", "--quiet", "-m", "Begin");
      Files.writeString(repository.resolve("a.txt"), "grüße\n");
      Files.delete(repository.resolve("gone.txt"));
    }
    awaitAgent("git");
    Path app = folder("code/app");
    Map<String, Object> inApp = Map.of("repo", app.toString());
    assertThat(call("e1", "git_status", inApp))
        .contains("\"branch\":\"main\"", "\"change\":\"deleted\"", "a.txt", "untrusted");
    assertThat(call("e2", "git_diff", inApp)).contains("-one\\n+grüße");
    assertThat(
            call(
                "e3",
                "git_add",
                Map.of("repo", app.toString(), "paths", List.of("a.txt", "gone.txt"))))
        .contains("\"count\":2");
    assertThat(
            call(
                "e4",
                "git_commit",
                Map.of("repo", app.toString(), "message", "Say hello in German")))
        .contains("\"subject\":\"Say hello in German\"", "Holdfast <holdfast@");
    assertThat(git(app, "log", "-1", "--format=%s%n%b"))
        .startsWith("Say hello in German\n")
        .contains("Holdfast-Key: ");
    assertThat(git(app, "status", "--porcelain")).isEmpty();
    assertThat(call("e5", "git_log", inApp)).contains("Begin", "Say hello in German");

    String library = folder("code/library").toString();
    assertThat(call("e6", "git_log", Map.of("repo", library))).contains("Begin");
    assertThat(call("e7", "git_add", Map.of("repo", library, "paths", List.of("."))))
        .contains("read-only");
    assertThat(call("e8", "git_status", Map.of("repo", rig.folder().toString())))
        .contains("outside of what this agent may reach");
    assertThat(call("e9", "git_add", Map.of("repo", app.toString())))
        .as("its schema is held")
        .contains("paths");
  }

  @Test
  void aModelReadsSearchesAndWritesNotesInTheVaultAlone() throws Exception {
    Path vault = folder("vault");
    Path manuals = folder("manuals");
    Files.writeString(vault.resolve("Garden.md"), "---\ntags: [garden]\n---\n# Garden\n\nold\n");
    Files.writeString(manuals.resolve("Pump.md"), "Prime the pump, see [[Garden]].\n");
    awaitAgent("notes");
    assertThat(call("e1", "notes_search", Map.of("vault", "vault", "query", "tag:garden")))
        .contains("Garden.md", "untrusted");
    assertThat(
            call(
                "e2",
                "notes_update",
                Map.of(
                    "vault",
                    "vault",
                    "path",
                    "Garden",
                    "section",
                    Map.of("heading", "# Garden", "text", "grüße, see [[Pump]]"))))
        .contains("\"hash\":");
    assertThat(vault.resolve("Garden.md"))
        .hasContent("---\ntags: [garden]\n---\n# Garden\n\ngrüße, see [[Pump]]\n");
    assertThat(call("e3", "notes_read", Map.of("vault", "vault", "path", "Garden")))
        .contains("\"to\":\"Pump\"", "grüße");
    assertThat(
            call(
                "e4",
                "notes_create",
                Map.of("vault", "vault", "path", "Plans/Übersicht", "text", "x\n")))
        .contains("Plans/Übersicht.md");
    assertThat(vault.resolve("Plans/Übersicht.md")).hasContent("x");
    assertThat(call("e5", "notes_list", Map.of("vault", "manuals"))).contains("Pump.md");
    assertThat(
            call("e6", "notes_update", Map.of("vault", "manuals", "path", "Pump", "append", "x")))
        .contains("read-only");
    assertThat(manuals.resolve("Pump.md")).hasContent("Prime the pump, see [[Garden]].");
    assertThat(call("e7", "notes_read", Map.of("vault", "vault", "path", "../manuals/Pump")))
        .contains("must not have ..");
  }

  @Test
  void withoutFoldersNotesAreKeptInTheFolderOfTheExtension() throws Exception {
    rig.setup().unset("plugins");
    rig.reload();
    try {
      Await.until(
          "it writes there",
          LIMIT,
          () ->
              call("e" + System.nanoTime(), "notes_create", Map.of("path", "First", "text", "kept"))
                  .contains("First.md"));
      assertThat(rig.setup().dataDir().resolve("extensions/notes/files/notes/First.md"))
          .hasContent("kept");
    } finally {
      configure(rig);
      rig.reload();
    }
  }
}
