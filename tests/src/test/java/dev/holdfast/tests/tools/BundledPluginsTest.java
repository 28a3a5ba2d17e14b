package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The jars that come with Holdfast, dropped into a running server, with the real servers of npm.
 */
@Timeout(300)
@Outside(
    covers = {"plugins/files-mcp", "plugins/git-mcp", "plugins/memory-mcp"},
    needs = "git:git")
class BundledPluginsTest {
  private static final Duration START = Duration.ofSeconds(150);

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig -> rig.setup().set("server.plugins_dir", rig.folder().resolve("plugins").toString()));

  private final ServerRig rig = SERVED.rig();

  @BeforeEach
  void needsNpm() throws Exception {
    Commands.assumePresent("npx");
    Npm.assumeRegistry();
  }

  private void awaitReady(String id) throws IOException {
    Setup _ = rig.setup().plugin(id + "-mcp");
    Await.until(
        id + " is ready",
        START,
        () -> {
          JsonNode extension = rig.api().get("/api/v1/extensions/" + id).json();
          assertThat(extension.path("state").asText())
              .as(extension.toString())
              .isNotEqualTo("parked");
          return extension.path("state").asText().equals("ready");
        });
  }

  private String call(String event, String tool, Map<String, Object> given) {
    return SERVED.say(event, ShellRig.call(tool, given));
  }

  @Test
  void filesAreWrittenAndReadInTheFolderOfTheExtensionAlone() throws Exception {
    awaitReady("files");
    Path note = rig.setup().dataDir().toRealPath().resolve("extensions/files/files/note.txt");
    call("e1", "files_write_file", Map.of("path", note.toString(), "content", "grüße"));
    assertThat(note).hasContent("grüße");
    assertThat(call("e2", "files_read_text_file", Map.of("path", note.toString())))
        .contains("grüße");
    assertThat(call("e3", "files_read_text_file", Map.of("path", "/etc/hostname")))
        .contains("Access denied");
  }

  @Test
  void whatIsRememberedOutlivesTheServer() throws Exception {
    awaitReady("memory");
    Map<String, Object> ann =
        Map.of("name", "Ann", "entityType", "person", "observations", List.of("likes green tea"));
    call("e1", "memory_create_entities", Map.of("entities", List.of(ann)));
    assertThat(rig.setup().dataDir().resolve("extensions/memory/files/memory.json"))
        .content()
        .contains("green tea");
    rig.restart();
    Await.until(
        "its kept tools are offered again",
        START,
        () ->
            call("r" + System.nanoTime(), "memory_search_nodes", Map.of("query", "Ann"))
                .contains("likes green tea"));
  }

  @Test
  void aRepositoryIsMadeAndCommittedTo() throws Exception {
    Commands.assumePresent("git");
    awaitReady("git");
    call("e1", "git_git_init", Map.of("path", "demo"));
    Path demo = rig.setup().dataDir().resolve("extensions/git/files/demo");
    Files.writeString(demo.resolve("a.txt"), "hello");
    call("e2", "git_git_add", Map.of("path", "demo", "paths", List.of(".")));
    assertThat(call("e3", "git_git_commit", Map.of("path", "demo", "message", "Begin")))
        .contains("commitHash");
    assertThat(call("e4", "git_git_log", Map.of("path", "demo"))).contains("Begin", "Holdfast");
    assertThat(call("e5", "git_git_status", Map.of("path", "/etc"))).contains("Path traversal");
  }
}
