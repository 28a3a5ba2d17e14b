package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.testing.WireExchange;
import dev.holdfast.kit.testing.WireRequest;
import dev.holdfast.kit.testing.WireServer;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Promise;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ThreadFolder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Files in and out, and pages of the web, through the real jar; offline, with the embedded model.
 */
@Timeout(240)
class AttachmentTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final byte[] PNG =
      Base64.getDecoder()
          .decode(
              "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==");

  /** What {@code /slow} is asked and waits for, in the test that runs. */
  private static volatile CountDownLatch asked = new CountDownLatch(1);

  private static volatile CountDownLatch never = new CountDownLatch(1);
  private static final WireServer FILES = new WireServer(AttachmentTest::serve);

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig -> rig.setup().set("tools.web.allow_hosts", List.of("127.0.0.1:" + FILES.port())));

  private final ServerRig rig = SERVED.rig();
  private final String id = SERVED.thread();

  private static void serve(WireRequest request, WireExchange exchange)
      throws IOException, InterruptedException {
    switch (request.path()) {
      case "/cat.png" -> exchange.respond(200, Map.of("content-type", "text/html"), PNG);
      case "/page" -> exchange.respond(200, Map.of("content-type", "text/html"), "<h1>Hi</h1>");
      case "/slow" -> {
        CountDownLatch end = never;
        asked.countDown();
        end.await();
        exchange.respond(200, Map.of(), PNG);
      }
      default -> exchange.respond(404, Map.of(), "");
    }
  }

  @BeforeEach
  void begin() {
    asked = new CountDownLatch(1);
    never = new CountDownLatch(1);
  }

  @AfterEach
  void end() {
    never.countDown();
  }

  @AfterAll
  static void close() {
    FILES.close();
  }

  private void send(String event, String text, String... urls) throws IOException {
    List<Map<String, String>> attachments =
        List.of(urls).stream()
            .map(url -> Map.of("name", "../../../../" + Path.of(url).getFileName(), "url", url))
            .toList();
    String body =
        Json.write(
            Map.of("thread", id, "sender", "alice", "text", text, "attachments", attachments));
    assertThat(rig.sender().sendRaw(id + event, body).isAccepted()).isTrue();
  }

  @Test
  void aPictureOfAWebhookReachesTheModelAndPrivatePlacesDoNot() throws Exception {
    send(
        "m1",
        "look",
        FILES.url("/cat.png"),
        FILES.url("/none.png"),
        rig.setup().url("/live"),
        "http://127.0.0.1:" + rig.setup().metricsPort() + "/metrics",
        "http://169.254.169.254/latest/meta-data");
    String text = rig.platform().awaitPost(id + "m1", LIMIT).text();
    assertThat(text)
        .startsWith("echo: look")
        .contains("[attachment \"cat.png\": image/png, 1x1, ")
        .endsWith("[image png 1x1]")
        .contains("\"none.png\": not available, its server answered 404")
        .contains("\"live\": not available", "\"metrics\": not available")
        .contains("\"meta-data\": not available, 169.254.169.254 is not a public address");
  }

  @Test
  void aStopInTheMiddleOfADownloadFreesTheThread() throws Exception {
    send("m1", "look", FILES.url("/slow"));
    asked.await();
    rig.accept(id + "m2", id, "/stop");
    long acked = System.nanoTime();
    rig.api().awaitState(id + "m1", Set.of("cancelled"), LIMIT);
    Promise.kept("/stop, a download", Duration.ofSeconds(1), acked);
    assertThat(rig.converse(id + "m3", id, "still there?").text()).isEqualTo("echo: still there?");
  }

  @Test
  void aDownloadThatIsCutOffByACrashIsDoneAgain() throws Exception {
    send("m1", "look", FILES.url("/slow"), FILES.url("/cat.png"));
    asked.await();
    rig.server().kill9();
    never.countDown(); // the next one is answered at once
    rig.start();
    assertThat(rig.platform().awaitPost(id + "m1", LIMIT).text())
        .endsWith("[image png 1x1]\n[image png 1x1]");
  }

  @Test
  void aPageIsReadAndTheServerItselfIsNot() throws Exception {
    assertThat(
            rig.converse(id + "m1", id, "!tool web_fetch {\"url\":\"" + FILES.url("/page") + "\"}")
                .text())
        .contains("untrusted", "# Hi");
    for (String url :
        List.of(
            rig.setup().url("/ready"),
            "http://2130706433:" + FILES.port() + "/page",
            "http://[::ffff:127.0.0.1]:" + rig.setup().httpPort() + "/ready",
            "file:///etc/passwd")) {
      String event = id + url.hashCode();
      assertThat(rig.converse(event, id, "!tool web_fetch {\"url\":\"" + url + "\"}").text())
          .doesNotContain("UP", "root:", "Hi");
    }
  }

  @Test
  void anAttachedFileGoesOutWithTheAnswerAlsoAfterARestart() throws Exception {
    send("m1", "keep it", FILES.url("/cat.png"));
    rig.platform().awaitPost(id + "m1", LIMIT);
    String kept = scratchFile();
    rig.platform().refuse();
    rig.accept(id + "m2", id, "!tool attach_file {\"path\":\"attachments/" + kept + "\"}");
    rig.api().awaitState(id + "m2", ServerApi.FINAL, LIMIT);
    rig.server().kill9();
    rig.platform().accept();
    rig.start();
    rig.platform().awaitPost(id + "m2", LIMIT);
    JsonNode file = postedFile(id + "m2");
    assertThat(file.path("media_type").asText()).isEqualTo("image/png");
    assertThat(file.path("bytes").asInt()).isEqualTo(PNG.length);
    assertThat(Base64.getDecoder().decode(file.path("data").asText())).isEqualTo(PNG);
  }

  /** The name of the one file that tools see. */
  private String scratchFile() throws IOException {
    try (var all = Files.walk(ThreadFolder.of(rig, id).path())) {
      return all.filter(path -> path.toString().contains("scratch/attachments/"))
          .map(path -> path.getFileName().toString())
          .findFirst()
          .orElseThrow();
    }
  }

  private JsonNode postedFile(String event) {
    Await.until(
        "the post is in the ledger", LIMIT, () -> !rig.platform().bodiesFor(event).isEmpty());
    return rig.platform().bodiesFor(event).getLast().path("attachments").path(0);
  }

  @Test
  void aFileOfThePageIsKeptShownAndServedSafely() throws Exception {
    Http http = new Http();
    String auth = "Bearer " + rig.api().token();
    String at = rig.setup().url("/api/v1/threads/" + id + "/attachments");
    Map<String, String> headers =
        Map.of("authorization", auth, "content-type", "application/octet-stream");
    Answer kept =
        http.send("POST", at + "?name=..%2Fcat.png", headers, BodyPublishers.ofByteArray(PNG));
    assertThat(kept.status()).isEqualTo(201);
    assertThat(kept.json().path("name").asText()).isEqualTo("cat.png");
    String file = kept.json().path("file").asText();
    Answer sent =
        rig.api()
            .post(
                "/api/v1/threads/" + id + "/messages",
                Map.of(
                    "text", "", "attachments", List.of(Map.of("file", file, "name", "cat.png"))));
    assertThat(sent.status()).isEqualTo(202);
    rig.api().awaitState(sent.json().path("event_id").asText(), ServerApi.FINAL, LIMIT);
    JsonNode entries = rig.api().get("/api/v1/threads/" + id + "/log").json().path("entries");
    assertThat(entries.path(0).path("attachments").path(0).path("file").asText()).isEqualTo(file);
    assertThat(entries.path(1).path("text").asText()).endsWith("[image png 1x1]");

    Answer served = http.get(at + "/" + file, Map.of("authorization", auth));
    assertThat(served.status()).isEqualTo(200);
    assertThat(served.headers().map())
        .containsEntry("content-type", List.of("image/png"))
        .containsEntry("x-content-type-options", List.of("nosniff"))
        .containsEntry("content-disposition", List.of("inline"));
    assertThat(served.headers().firstValue("content-security-policy").orElse(""))
        .contains("sandbox", "default-src 'none'");

    byte[] page = "<script>alert(1)</script>".getBytes(StandardCharsets.UTF_8);
    Answer text = http.send("POST", at, headers, BodyPublishers.ofByteArray(page));
    Answer servedText =
        http.get(at + "/" + text.json().path("file").asText(), Map.of("authorization", auth));
    assertThat(servedText.headers().map())
        .containsEntry("content-type", List.of("application/octet-stream"))
        .containsEntry("content-disposition", List.of("attachment"));
  }

  @Test
  void whatIsNoUploadIsRefused() throws Exception {
    Http http = new Http();
    String at = rig.setup().url("/api/v1/threads/" + id + "/attachments");
    String auth = "Bearer " + rig.api().token();
    String raw = "application/octet-stream";
    ByteArrayOutputStream large = new ByteArrayOutputStream();
    large.write(new byte[11 * 1024 * 1024]);
    assertThat(http.post(at, Map.of("content-type", raw), "x").status()).isEqualTo(401);
    assertThat(
            http.post(at, Map.of("authorization", auth, "content-type", "text/plain"), "x")
                .status())
        .isEqualTo(415);
    Map<String, String> right = Map.of("authorization", auth, "content-type", raw);
    assertThat(
            http.send("POST", at, right, BodyPublishers.ofByteArray(large.toByteArray())).status())
        .isEqualTo(413);
    assertThat(http.post(at, right, "").status()).isIn(400, 415);
    assertThat(
            http.post(rig.setup().url("/api/v1/threads/" + id + "/messages"), right, "{}").status())
        .isEqualTo(415);
    for (String name : List.of("..%2Fmeta.json", "meta.json", "a.png", "%2e%2e", "a.png%00")) {
      assertThat(http.get(at + "/" + name, Map.of("authorization", auth)).status())
          .as(name)
          .isIn(400, 404);
    }
    Map<String, Object> foreign =
        Map.of("text", "x", "attachments", List.of(Map.of("file", "up-1.png")));
    assertThat(rig.api().post("/api/v1/threads/" + id + "/messages", foreign).status())
        .isEqualTo(400);
  }
}
