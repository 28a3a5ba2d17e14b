package dev.holdfast.tests.channels;

import static dev.holdfast.tests.channels.TelegramSetup.ANN;
import static dev.holdfast.tests.channels.TelegramSetup.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.testing.BotApiDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The channel with the Bot API that others wrote for their tests. */
@Outside(
    covers = {"plugins/telegram/src/main"},
    needs = {"node:nodejs", "npm:npm"})
@Timeout(300)
class TelegramTestApiTest {
  private static final String SCRIPT =
      """
      const TelegramServer = require('telegram-test-api');
      new TelegramServer({port: Number(process.argv[1]), host: '127.0.0.1', storeTimeout: 300})
        .start().then(() => console.log('started'));
      """;

  private static final Map<String, String> JSON = Map.of("content-type", "application/json");

  @TempDir private Path folder;
  private final Http http = new Http();

  @Test
  void aMessageIsPolledAndAnswered() throws Exception {
    Commands.assumePresent("node");
    Npm.install(folder, "telegram-test-api@4.2.1");
    int port = freePort();
    Process platform =
        new ProcessBuilder("node", "-e", SCRIPT, Integer.toString(port))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("double.log").toFile())
            .start();
    String url = "http://127.0.0.1:" + port;
    try {
      Await.until("it answers", LIMIT, () -> !history(url).isMissingNode());
      try (ServerRig _ = TelegramSetup.polling(url)) {
        say(url, "hello from the other side");
        Await.until("an answer", LIMIT, () -> answers(url).size() == 1);
        say(url, "and once more");
        Await.until("another answer", LIMIT, () -> answers(url).size() == 2);
        assertThat(answers(url).getFirst()).contains("hello from the other side");
        assertThat(answers(url).getLast()).contains("and once more");
      }
    } finally {
      platform.destroyForcibly();
    }
  }

  private void say(String url, String text) throws IOException {
    Map<String, Object> message =
        Map.of(
            "botToken",
            BotApiDouble.TOKEN,
            "from",
            Map.of("id", ANN, "first_name", "Ann", "is_bot", false),
            "chat",
            Map.of("id", ANN, "type", "private"),
            "text",
            text);
    assertThat(http.post(url + "/sendMessage", JSON, Json.write(message)).status()).isEqualTo(200);
  }

  private JsonNode history(String url) throws IOException {
    String token = Json.write(Map.of("token", BotApiDouble.TOKEN));
    return http.post(url + "/getUpdatesHistory", JSON, token).json().path("result");
  }

  private List<String> answers(String url) throws IOException {
    return StreamSupport.stream(history(url).spliterator(), false)
        .map(entry -> entry.path("message"))
        .filter(message -> message.has("chat_id"))
        .map(message -> message.path("text").asText())
        .toList();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
