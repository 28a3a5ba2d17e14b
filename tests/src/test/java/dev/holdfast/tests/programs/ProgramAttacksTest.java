package dev.holdfast.tests.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.RawClient;
import dev.holdfast.tests.harness.ServerRig;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients of {@code /v1} and {@code /mcp} that mean harm, or vanish. */
@Timeout(240)
class ProgramAttacksTest {
  private static final String ANN = "token-of-ann-in-the-attack-test";
  private static final String BOB = "token-of-bob-in-the-attack-test";
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String LARGE = "x".repeat(20_000);

  private static final ServerRig RIG = new ServerRig();
  private static final FakeModel MODEL = new FakeModel().asOpenAi(RIG.setup()).unrecorded();
  private static final Http HTTP = new Http();

  @BeforeAll
  static void start() {
    RIG.setup()
        .set("attachments.max_bytes", 4_000_000)
        .set(
            "api.tokens",
            List.of(
                Map.of("name", "ann", "token", ANN, "scopes", List.of("read", "chat")),
                Map.of("name", "bob", "token", BOB, "scopes", List.of("read", "chat"))));
    RIG.start();
  }

  @AfterAll
  static void stop() {
    RIG.close();
    MODEL.close();
  }

  private static Map<String, String> headers(String token) {
    return Map.of("authorization", "Bearer " + token, "content-type", "application/json");
  }

  private static Answer post(String token, String path, Object body) throws Exception {
    return HTTP.post(RIG.setup().url(path), headers(token), Json.write(body));
  }

  private static Answer get(String token, String path) throws Exception {
    return HTTP.get(RIG.setup().url(path), headers(token));
  }

  private static Map<String, Object> streamed(String thread, String text) {
    return Map.of("model", "holdfast", "stream", true, "conversation", thread, "input", text);
  }

  private static RawClient ask(String path, Object body) throws Exception {
    byte[] bytes = Json.write(body).getBytes(StandardCharsets.UTF_8);
    return new RawClient(RIG.setup().httpPort())
        .receiveLittle()
        .say(
            "POST "
                + path
                + " HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer "
                + ANN
                + "\r\ncontent-type: application/json\r\naccept: application/json,"
                + " text/event-stream\r\ncontent-length: "
                + bytes.length
                + "\r\n\r\n")
        .say(bytes);
  }

  private static CompletableFuture<HttpResponse<String>> stream(HttpClient client, int i) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(RIG.setup().url("/v1/responses"))).timeout(LIMIT);
    headers(ANN).forEach(request::header);
    String body = Json.write(streamed("read-" + i, "words " + i));
    return client.sendAsync(
        request.POST(HttpRequest.BodyPublishers.ofString(body)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** What is huge is more than the kernel takes for a client that does not read. */
  private static ModelScript large() {
    return ModelScript.answer(
        said -> said + " " + (said.equals("huge") ? LARGE.repeat(200) : LARGE));
  }

  @Test
  void streamsThatNobodyReadsHoldUpNoOthers() throws Exception {
    MODEL.always(large());
    List<RawClient> unread = new ArrayList<>();
    List<CompletableFuture<HttpResponse<String>>> read = new ArrayList<>();
    try (HttpClient client = HttpClient.newHttpClient()) {
      for (int i = 0; i < 5; i++) {
        Map<String, Object> huge =
            Map.of("model", "holdfast", "stream", true, "store", false, "input", "huge");
        unread.add(ask("/v1/responses", huge));
      }
      for (int i = 0; i < 100; i++) {
        unread.add(ask("/v1/responses", streamed("unread-" + i, "words " + i)));
        read.add(stream(client, i));
      }
      for (int i = 0; i < 100; i++) {
        String events = read.get(i).join().body();
        assertThat(events).contains("\"words " + i + " " + LARGE + "\"");
        assertThat(events).endsWith("data: [DONE]\n\n");
      }
    }
    for (RawClient client : unread) {
      client.reset();
    }
    RIG.api().awaitQuiet(LIMIT);
    for (int i = 0; i < 100; i++) {
      assertThat(get(ANN, "/api/v1/threads/unread-" + i + "/log").body()).contains("words " + i);
    }
    MODEL.always(ModelScript.echo());
    assertThat(RIG.server().output()).doesNotContain("OutOfMemory", "failed unexpectedly");
    assertServes();
  }

  private static void assertServes() throws Exception {
    Answer answer =
        post(ANN, "/v1/responses", Map.of("model", "holdfast", "store", false, "input", "well?"));
    assertThat(answer.body()).contains("answer to well?");
  }

  @Test
  void aResponseOfSomebodyElseIsNotThere() throws Exception {
    Map<String, Object> first =
        Map.of("model", "holdfast", "input", "the secret plan", "conversation", "of-ann");
    JsonNode anns = post(ANN, "/v1/responses", first).json();
    String path = "/v1/responses/" + anns.path("id").asText();
    assertThat(get(ANN, path).body()).contains("the secret plan");
    JsonNode entries = get(ANN, "/api/v1/threads/of-ann/log").json().path("entries");

    List<Answer> answers =
        List.of(
            get(BOB, path),
            get(BOB, path + "?stream=true&starting_after=0"),
            post(BOB, path + "/cancel", Map.of()),
            post(
                BOB,
                "/v1/responses",
                Map.of(
                    "model",
                    "holdfast",
                    "input",
                    "and then?",
                    "previous_response_id",
                    anns.path("id").asText())),
            post(
                BOB,
                "/v1/responses",
                Map.of("model", "holdfast", "input", "and?", "conversation", "of-ann")));
    for (Answer answer : answers) {
      assertThat(answer.status()).as(answer.body()).isIn(403, 404);
      assertThat(answer.body()).doesNotContain("secret plan");
    }
    String missing = "/v1/responses/resp_" + "0".repeat(32);
    assertThat(get(BOB, path).body().replace(anns.path("id").asText(), "ID"))
        .as("no word more than of one that never was")
        .isEqualTo(get(BOB, missing).body().replace("resp_" + "0".repeat(32), "ID"));
    assertThat(HTTP.send("DELETE", RIG.setup().url(path), headers(BOB), "").status())
        .isEqualTo(405);
    assertThat(get(ANN, "/api/v1/threads/of-ann/log").json().path("entries")).isEqualTo(entries);
  }

  @Test
  void inputThatIsTooMuchIsRefusedAndNotKept() throws Exception {
    String before = threads();
    String item = "{\"role\":\"user\",\"content\":\"a\"},";
    String items = item.repeat(99_999) + item.substring(0, item.length() - 1);
    String url = "data:image/png;base64," + "A".repeat(10_000_000);
    List<String> inputs =
        List.of(
            "[" + items + "]",
            "[".repeat(100_000) + "]".repeat(100_000),
            "[{\"role\":\"user\",\"content\":" + "[".repeat(70) + "]".repeat(70) + "}]",
            "[{\"role\":\"user\",\"content\":[{\"type\":\"input_image\",\"image_url\":\""
                + url
                + "\"}]}]",
            "\"" + "a".repeat(3_500_000) + "\"");
    for (String input : inputs) {
      String body = "{\"model\":\"holdfast\",\"conversation\":\"giant\",\"input\":" + input + "}";
      Answer answer = HTTP.post(RIG.setup().url("/v1/responses"), headers(ANN), body);
      assertThat(answer.status()).as(answer.body()).isIn(400, 413);
      assertThat(answer.json().path("error").path("message").asText()).isNotEmpty();
      assertThat(answer.body().length()).isLessThan(1000);
    }
    assertThat(threads()).isEqualTo(before);
    assertThat(RIG.server().output()).doesNotContain("OutOfMemory", "failed unexpectedly");
    assertServes();
  }

  private static String threads() throws Exception {
    return String.join(
        " ", RIG.api().get("/api/v1/threads?limit=200").json().findValuesAsText("thread_id"));
  }

  @Test
  void aReplayFromAnyNumberEndsWithTheWholeResponse() throws Exception {
    JsonNode said =
        post(ANN, "/v1/responses", Map.of("model", "holdfast", "input", "again")).json();
    String path = "/v1/responses/" + said.path("id").asText() + "?stream=true&starting_after=";
    for (String number : List.of("-1", "0", "3", "9000000000000000000")) {
      String events = get(ANN, path + number).body();
      assertThat(events).contains("event: response.completed\n", "answer to again");
      assertThat(events).endsWith("data: [DONE]\n\n");
    }
    for (String number : List.of("x", "1.5", "99999999999999999999")) {
      Answer answer = get(ANN, path + number);
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.json().path("error").path("param").asText()).isEqualTo("starting_after");
    }
  }

  @Test
  void aMessageOfAnMcpClientThatHangsUpIsAnswered() throws Exception {
    CountDownLatch isAsked = new CountDownLatch(1);
    CountDownLatch isGone = new CountDownLatch(1);
    MODEL.next(
        (request, exchange) -> {
          isAsked.countDown();
          await(isGone);
          ModelScript.echo().run(request, exchange);
        });
    Map<String, Object> call =
        Map.of(
            "name",
            "send_message",
            "arguments",
            Map.of("text", "before I go", "thread", "hung-up"));
    RawClient client =
        ask("/mcp", Map.of("jsonrpc", "2.0", "id", 1, "method", "tools/call", "params", call));
    await(isAsked);
    client.reset();
    isGone.countDown();
    Await.until(
        "the message is answered",
        LIMIT,
        () -> get(ANN, "/api/v1/threads/hung-up/log").body().contains("answer to before I go"));
    JsonNode log = get(ANN, "/api/v1/threads/hung-up/log").json().path("entries");
    assertThat(log.findValuesAsText("text"))
        .containsExactly("before I go", "answer to before I go");
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
