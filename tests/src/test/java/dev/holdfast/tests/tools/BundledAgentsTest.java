package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The worker agents that come with Holdfast, in the folders that the operator opens to them. */
@Timeout(180)
class BundledAgentsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** A server with the agent, which may change one folder and read another. */
  private static ServerRig with(String agent, String first, String second) throws IOException {
    ServerRig rig = new ServerRig();
    rig.setup()
        .plugin(agent)
        .set(
            "plugins." + agent + ".folders",
            List.of(
                Map.of("path", folder(rig, first).toString(), "write", true),
                Map.of("path", folder(rig, second).toString())));
    return rig;
  }

  private static Path folder(ServerRig rig, String name) throws IOException {
    return Files.createDirectories(rig.folder().toRealPath().resolve(name));
  }

  private static void start(ServerRig rig, String agent) {
    rig.start();
    Await.until(
        agent + " is there",
        LIMIT,
        () -> rig.api().get("/api/v1/extensions/" + agent).status() == 200);
  }

  private static String call(ServerRig rig, String event, String tool, Map<String, Object> given) {
    return rig.converse(event, "t", ShellRig.call(tool, given)).text();
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
    try (ServerRig rig = with("git", "code/app", "code/library")) {
      for (String name : List.of("code/app", "code/library")) {
        Path repository = folder(rig, name);
        git(repository, "init", "--quiet", "--initial-branch=main");
        Files.writeString(repository.resolve("a.txt"), "one\n");
        Files.writeString(repository.resolve("gone.txt"), "one\n");
        git(repository, "add", ".");
        git(repository, "commit", "--quiet", "-m", "Begin");
        Files.writeString(repository.resolve("a.txt"), "grüße\n");
        Files.delete(repository.resolve("gone.txt"));
      }
      start(rig, "git");
      Path app = folder(rig, "code/app");
      Map<String, Object> inApp = Map.of("repo", app.toString());
      assertThat(call(rig, "e1", "git_status", inApp))
          .contains("\"branch\":\"main\"", "\"change\":\"deleted\"", "a.txt", "untrusted");
      assertThat(call(rig, "e2", "git_diff", inApp)).contains("-one\\n+grüße");
      assertThat(
              call(
                  rig,
                  "e3",
                  "git_add",
                  Map.of("repo", app.toString(), "paths", List.of("a.txt", "gone.txt"))))
          .contains("\"count\":2");
      assertThat(
              call(
                  rig,
                  "e4",
                  "git_commit",
                  Map.of("repo", app.toString(), "message", "Say hello in German")))
          .contains("\"subject\":\"Say hello in German\"", "Holdfast <holdfast@");
      assertThat(git(app, "log", "-1", "--format=%s%n%b"))
          .startsWith("Say hello in German\n")
          .contains("Holdfast-Key: ");
      assertThat(git(app, "status", "--porcelain")).isEmpty();
      assertThat(call(rig, "e5", "git_log", inApp)).contains("Begin", "Say hello in German");

      String library = folder(rig, "code/library").toString();
      assertThat(call(rig, "e6", "git_log", Map.of("repo", library))).contains("Begin");
      assertThat(call(rig, "e7", "git_add", Map.of("repo", library, "paths", List.of("."))))
          .contains("read-only");
      assertThat(call(rig, "e8", "git_status", Map.of("repo", rig.folder().toString())))
          .contains("outside of what this agent may reach");
      assertThat(call(rig, "e9", "git_add", Map.of("repo", app.toString())))
          .as("its schema is held")
          .contains("paths");
    }
  }

  @Test
  void aModelReadsSearchesAndWritesNotesInTheVaultAlone() throws Exception {
    try (ServerRig rig = with("notes", "vault", "manuals")) {
      Path vault = folder(rig, "vault");
      Path manuals = folder(rig, "manuals");
      Files.writeString(vault.resolve("Garden.md"), "---\ntags: [garden]\n---\n# Garden\n\nold\n");
      Files.writeString(manuals.resolve("Pump.md"), "Prime the pump, see [[Garden]].\n");
      start(rig, "notes");
      assertThat(call(rig, "e1", "notes_search", Map.of("vault", "vault", "query", "tag:garden")))
          .contains("Garden.md", "untrusted");
      assertThat(
              call(
                  rig,
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
      assertThat(call(rig, "e3", "notes_read", Map.of("vault", "vault", "path", "Garden")))
          .contains("\"to\":\"Pump\"", "grüße");
      assertThat(
              call(
                  rig,
                  "e4",
                  "notes_create",
                  Map.of("vault", "vault", "path", "Plans/Übersicht", "text", "x\n")))
          .contains("Plans/Übersicht.md");
      assertThat(vault.resolve("Plans/Übersicht.md")).hasContent("x");
      assertThat(call(rig, "e5", "notes_list", Map.of("vault", "manuals"))).contains("Pump.md");
      assertThat(
              call(
                  rig,
                  "e6",
                  "notes_update",
                  Map.of("vault", "manuals", "path", "Pump", "append", "x")))
          .contains("read-only");
      assertThat(manuals.resolve("Pump.md")).hasContent("Prime the pump, see [[Garden]].");
      assertThat(call(rig, "e7", "notes_read", Map.of("vault", "vault", "path", "../manuals/Pump")))
          .contains("must not have ..");
    }
  }

  @Test
  void withoutFoldersNotesAreKeptInTheFolderOfTheExtension() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.setup().plugin("notes");
      start(rig, "notes");
      call(rig, "e1", "notes_create", Map.of("path", "First", "text", "kept"));
      assertThat(rig.setup().dataDir().resolve("extensions/notes/files/notes/First.md"))
          .hasContent("kept");
    }
  }
}
