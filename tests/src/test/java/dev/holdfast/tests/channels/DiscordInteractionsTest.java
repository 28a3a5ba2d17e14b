package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.testing.DiscordDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The bundled plugin with interactions over HTTP, in the real server. */
@Timeout(240)
@Outside(
    covers = {
      "plugins/discord/src/main",
      "plugins/kit/src/main",
      "server/src/main/java/dev/holdfast/channels",
      "server/src/main/java/dev/holdfast/replies"
    })
class DiscordInteractionsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Of RFC 8032, its first test. */
  static final String SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

  static final String KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

  /** Of its second. */
  static final String OTHER_SEED =
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";

  static final String PING = "{\"type\":1}";

  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final DiscordDouble DISCORD = new DiscordDouble();

  @RegisterExtension
  static final Served SERVED = Served.alone(rig -> configure(rig.setup(), DISCORD));

  private ServerRig rig;

  @BeforeEach
  void open() {
    rig = SERVED.rig();
    DISCORD.reset();
    awaitChannel(rig);
  }

  @AfterAll
  static void close() {
    DISCORD.close();
  }

  static void configure(Setup setup, DiscordDouble discord) {
    setup
        .plugin("discord")
        .set("channels.discord.base_url", discord.baseUrl())
        .setNamed(
            "channels.discord.accounts",
            "main",
            Map.of(
                "bot_token",
                DiscordDouble.TOKEN,
                "public_key",
                KEY,
                "mode",
                "interactions",
                "allow",
                Map.of("users", List.of("7"))));
  }

  static void awaitChannel(ServerRig rig) {
    Await.until("it is there", LIMIT, () -> send(rig, PING, time(), "00").statusCode() == 401);
  }

  private HttpResponse<String> send(String body, String time, String signature) throws Exception {
    return send(rig, body, time, signature);
  }

  static String time() {
    return Long.toString(Instant.now().getEpochSecond());
  }

  static String signature(String seed, String time, String body) throws Exception {
    byte[] encoded = HexFormat.of().parseHex("302e020100300506032b657004220420" + seed);
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(
        KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(encoded)));
    signature.update((time + body).getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(signature.sign());
  }

  static HttpResponse<String> send(ServerRig rig, String body, String time, String signature)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(rig.setup().url("/webhooks/discord/main")))
            .header("content-type", "application/json")
            .header("x-signature-timestamp", time)
            .header("x-signature-ed25519", signature)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
  }

  static String ask(String id, String user, String text) {
    return Json.write(
        Map.of(
            "id",
            id,
            "application_id",
            DiscordDouble.APP,
            "type",
            2,
            "token",
            "tok_3000",
            "channel_id",
            "50",
            "user",
            Map.of("id", user, "username", "ann"),
            "data",
            Map.of(
                "type",
                1,
                "name",
                "ask",
                "options",
                List.of(Map.of("name", "text", "type", 3, "value", text)))));
  }

  @Test
  void aCommandIsDeferredAndItsAnswerTakesThatPlaceOnce() throws Exception {
    String body = ask("3000", "7", "hello");
    String time = time();
    String signature = signature(SEED, time, body);
    HttpResponse<String> answer = send(body, time, signature);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type")).contains("application/json");
    assertThat(Json.read(answer.body()).path("type").asInt()).isEqualTo(5);
    assertThat(send(body, time, signature).statusCode()).as("a replay").isEqualTo(200);
    Await.until("it is answered", LIMIT, () -> DISCORD.texts().equals(List.of("echo: hello")));
    rig.api().awaitQuiet(LIMIT);
    assertThat(DISCORD.texts()).hasSize(1);
  }
}
