package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The embedded model calls what it is told to: tools as they are in the jar, for files above all.
 */
@Timeout(300)
class FilesTest {
  private static final int EDITS = 40;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private static final Path SHARED = ServerRig.newFolder("holdfast-shared");

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig ->
              rig.setup()
                  .set("inbox.max_attempts", 20)
                  .set("tools.files.roots", List.of(SHARED.toString()))
                  .set("tools.shell.enabled", true));

  private final ServerRig rig = SERVED.rig();

  @AfterAll
  static void stop() {
    ServerRig.delete(SHARED);
  }

  @Test
  void aFileIsWrittenAndReadBackAlsoAfterKill9() throws Exception {
    JsonNode wrote =
        says("files", "!tool write_file {\"path\":\"notes/a.txt\",\"content\":\"one\\ntwo\"}");
    assertThat(wrote.path("output").asText())
        .isEqualTo("echo: Wrote new file notes/a.txt: 7 bytes");
    rig.restart();
    assertThat(answer("files", "!tool read_file {\"path\":\"notes/a.txt\"}"))
        .isEqualTo("echo: 1\tone\n2\ttwo\n");
    assertThat(answer("other", "!tool read_file {\"path\":\"notes/a.txt\"}"))
        .contains("no such file");
    String execution = wrote.path("event_id").asText() + ".1.1";
    Path manifest = rig.setup().dataDir().resolve("backups/" + execution + "/manifest.json");
    assertThat(Files.readString(manifest)).contains("\"stage\":\"done\"");
    assertThat(rig.api().event(wrote.path("event_id").asText()).path("story").toString())
        .contains("\"execution\":\"" + execution + "\"");
  }

  @Test
  void whatIsOutsideIsRefused() throws Exception {
    String token = rig.setup().dataDir().resolve("token").toString();
    for (String path : List.of("../meta.json", token, "/etc/passwd", "/proc/self/environ")) {
      String output = answer("hostile", "!tool read_file {\"path\":\"" + path + "\"}");
      assertThat(output).as(path).matches("echo: .*(is outside the folders|must not hold).*");
    }
    try (Stream<Path> scratch =
        Files.find(
            rig.setup().dataDir().resolve("threads"), 9, (file, _) -> file.endsWith("scratch"))) {
      for (Path folder : scratch.toList()) {
        Files.createSymbolicLink(folder.resolve("link"), Path.of("/etc"));
      }
    }
    assertThat(answer("hostile", "!tool read_file {\"path\":\"link/passwd\"}"))
        .contains("links are not followed");
  }

  @Test
  void aConfiguredFolderIsShared() throws Exception {
    Path file = SHARED.resolve("a.txt");
    says("one", "!tool write_file {\"path\":\"" + file + "\",\"content\":\"x\"}");
    assertThat(file).hasContent("x");
    assertThat(
            answer("two", "!tool search_files {\"path\":\"" + SHARED + "\",\"pattern\":\"^x$\"}"))
        .isEqualTo("echo: " + file + ":1: x\n");
  }

  @Test
  void aCallThatDoesNotFitIsToldSoAndCounted() throws Exception {
    double ok = calls("ok");
    double invalid = calls("invalid_request");
    assertThat(answer("shell", "!tool shell {\"command\": \"echo $((6*7))\"}"))
        .isEqualTo("echo: 42\nexit code 0");
    assertThat(answer("shell", "!tool shell {\"comand\": \"true\"}"))
        .contains("do not fit the tool");
    assertThat(answer("shell", "!tool none {}")).isEqualTo("echo: !tool none {}");
    assertThat(calls("ok")).isEqualTo(ok + 1);
    assertThat(calls("invalid_request")).isEqualTo(invalid + 1);
  }

  private double calls(String outcome) throws IOException {
    return rig.metrics().sum("holdfast_tool_calls_total", "outcome=\"" + outcome + "\"");
  }

  /** Each edit is made once, though the server is killed in the middle of them again and again. */
  @Test
  void noEditIsLostOrDoubledByKill9() throws Exception {
    says("kills", "!tool write_file {\"path\":\"log\",\"content\":\"END\"}");
    List<String> events = new ArrayList<>();
    for (int i = 0; i < EDITS; i++) {
      events.add(
          accept("!tool edit_file {\"path\":\"log\",\"old\":\"END\",\"new\":\"e" + i + " END\"}"));
    }
    Path log = find("log");
    for (int wanted = EDITS / 4; wanted < EDITS; wanted += EDITS / 4) {
      int enough = wanted;
      Await.until(
          "the file has " + enough + " edits",
          LIMIT,
          () -> Files.readString(log).split(" ").length > enough);
      rig.restart();
    }
    for (String event : events) {
      awaitEnd(event);
      assertThat(rig.api().event(event).path("replies").path(0).path("text").asText())
          .isEqualTo("echo: Edited log: 1 replaced (lines 1)");
    }
    List<String> made = new ArrayList<>();
    for (int i = 0; i < EDITS; i++) {
      made.add("e" + i);
    }
    made.add("END");
    assertThat(Files.readString(log)).isEqualTo(String.join(" ", made));
    try (Stream<Path> files = Files.list(log.getParent())) {
      assertThat(files).containsExactly(log);
    }
  }

  private void awaitEnd(String event) throws IOException {
    try {
      rig.api().awaitState(event, ServerApi.FINAL, LIMIT);
    } catch (AssertionError e) {
      throw new AssertionError("its story: " + rig.api().event(event), e);
    }
  }

  private String accept(String text) throws IOException {
    return rig.api()
        .post("/api/v1/threads/kills/messages", Map.of("text", text))
        .json()
        .path("event_id")
        .asText();
  }

  private Path find(String name) throws IOException {
    try (Stream<Path> files =
        Files.find(
            rig.setup().dataDir().resolve("threads"),
            9,
            (file, _) -> file.endsWith("scratch/" + name))) {
      return files.findFirst().orElseThrow();
    }
  }

  private String answer(String thread, String text) throws IOException {
    return says(thread, text).path("output").asText();
  }

  private JsonNode says(String thread, String text) throws IOException {
    return rig.api()
        .post(
            "/api/v1/chat",
            Map.of(
                "api_version",
                "1",
                "correlation_id",
                "c",
                "message",
                text,
                "context",
                Map.of("thread_id", thread, "user_id", "me")))
        .json();
  }
}
