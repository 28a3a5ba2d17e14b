package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The jars that come with Holdfast, dropped into a running server, with the real servers of npm.
 */
@Timeout(300)
class BundledPluginsTest {
  private static final Path BUNDLED = Path.of("../plugins/bundled");
  private static final Duration START = Duration.ofSeconds(150);

  /** A server that runs, into whose folder of plugins the jar was dropped. */
  private static ServerRig with(String plugin) throws IOException, InterruptedException {
    Commands.assumePresent("npx");
    Npm.assumeRegistry();
    ServerRig rig = new ServerRig();
    Path plugins = Files.createDirectories(rig.folder().resolve("plugins"));
    rig.setup().set("server.plugins_dir", plugins.toString());
    rig.start();
    String jar = plugin + "-0.1.0.jar";
    Files.copy(BUNDLED.resolve(jar), plugins.resolve(jar));
    return rig;
  }

  private static void awaitReady(ServerRig rig, String id) {
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

  private static String call(ServerRig rig, String event, String tool, Map<String, Object> given) {
    return rig.converse(event, "t", ShellRig.call(tool, given)).text();
  }

  @Test
  void filesAreWrittenAndReadInTheFolderOfTheExtensionAlone() throws Exception {
    try (ServerRig rig = with("files-mcp")) {
      awaitReady(rig, "files");
      Path note = rig.setup().dataDir().toRealPath().resolve("extensions/files/files/note.txt");
      call(rig, "e1", "files_write_file", Map.of("path", note.toString(), "content", "grüße"));
      assertThat(note).hasContent("grüße");
      assertThat(call(rig, "e2", "files_read_text_file", Map.of("path", note.toString())))
          .contains("grüße");
      assertThat(call(rig, "e3", "files_read_text_file", Map.of("path", "/etc/hostname")))
          .contains("Access denied");
    }
  }

  @Test
  void whatIsRememberedOutlivesTheServer() throws Exception {
    try (ServerRig rig = with("memory-mcp")) {
      awaitReady(rig, "memory");
      Map<String, Object> ann =
          Map.of("name", "Ann", "entityType", "person", "observations", List.of("likes green tea"));
      call(rig, "e1", "memory_create_entities", Map.of("entities", List.of(ann)));
      assertThat(rig.setup().dataDir().resolve("extensions/memory/files/memory.json"))
          .content()
          .contains("green tea");
      rig.restart();
      Await.until(
          "its kept tools are offered again",
          START,
          () ->
              call(rig, "r" + System.nanoTime(), "memory_search_nodes", Map.of("query", "Ann"))
                  .contains("likes green tea"));
    }
  }

  @Test
  void aRepositoryIsMadeAndCommittedTo() throws Exception {
    Commands.assumePresent("git");
    try (ServerRig rig = with("git-mcp")) {
      awaitReady(rig, "git");
      call(rig, "e1", "git_git_init", Map.of("path", "demo"));
      Path demo = rig.setup().dataDir().resolve("extensions/git/files/demo");
      Files.writeString(demo.resolve("a.txt"), "hello");
      call(rig, "e2", "git_git_add", Map.of("path", "demo", "paths", List.of(".")));
      assertThat(call(rig, "e3", "git_git_commit", Map.of("path", "demo", "message", "Begin")))
          .contains("commitHash");
      assertThat(call(rig, "e4", "git_git_log", Map.of("path", "demo")))
          .contains("Begin", "Holdfast");
      assertThat(call(rig, "e5", "git_git_status", Map.of("path", "/etc")))
          .contains("Path traversal");
    }
  }
}
