package dev.holdfast.tests.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CallScript;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.RawClient;
import dev.holdfast.tests.harness.ServerRig;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code /v1} with OpenAI's own library, and its responses with a client of Open Responses. */
@Timeout(240)
@Outside(
    covers = {
      "server/src/main/java/dev/holdfast/ingress/openai",
      "tests/src/test/resources/programs/openai-client.mjs"
    })
class OpenAiClientTest {
  private static final String READER = "reader-token-of-the-openai-test";

  private static final String DATA_URL =
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAE"
          + "hQGAhKmMIQAAAABJRU5ErkJggg==";

  private static final int FILE_BYTES_MAX = 2_000_000;

  private static final AtomicReference<NodeClient> CLIENT = new AtomicReference<>();
  private static final Http HTTP = new Http();
  private static final ServerRig RIG = new ServerRig();
  private static final FakeModel MODEL = new FakeModel().asOpenAi(RIG.setup());

  @BeforeAll
  static void start() throws Exception {
    CLIENT.set(new NodeClient("openai-client.mjs", "openai@7.57.0"));
    RIG.setup()
        .set("models.levels.reactive", List.of("embedded/echo"))
        .set("tools.shell.enabled", true)
        .set("tools.autonomy", "supervised")
        .set("attachments.max_bytes", FILE_BYTES_MAX);
    RIG.setup()
        .set(
            "api.tokens",
            List.of(Map.of("name", "reader", "token", READER, "scopes", List.of("read"))));
    RIG.start();
  }

  @AfterAll
  static void stop() {
    RIG.close();
    MODEL.close();
    NodeClient client = CLIENT.get();
    if (client != null) {
      client.close();
    }
  }

  private static JsonNode run(String... arguments) throws Exception {
    return Objects.requireNonNull(CLIENT.get())
        .run(
            Map.of("BASE", RIG.setup().url("/v1"), "TOKEN", RIG.api().token(), "READER", READER),
            arguments);
  }

  private static List<Long> numbers(JsonNode list) {
    List<Long> numbers = new ArrayList<>();
    list.forEach(number -> numbers.add(number.asLong()));
    return numbers;
  }

  @Test
  void itsLibraryTalksToTheAgentAndToTheModels() throws Exception {
    JsonNode said = run("talk");
    JsonNode chat = said.path("chat");
    assertThat(chat.path("models").toString())
        .isEqualTo("[\"holdfast\",\"reactive\",\"operational\"]");
    assertThat(chat.path("call").path("name").asText()).isEqualTo("get_weather");
    assertThat(chat.path("finish").asText()).isEqualTo("tool_calls");
    assertThat(chat.path("told").asText()).isEqualTo("echo: sunny");
    assertThat(chat.path("streamed").asText()).isEqualTo("{\"city\":\"Rome\"}");
    assertThat(chat.path("stateless").asText()).isEqualTo("answer to alone");
    assertThat(chat.path("thread").asText()).isEqualTo("answer to of a page");
    assertThat(chat.path("usage").path("completion_tokens").asInt()).isPositive();

    assertThat(chat.path("titled").asText()).startsWith("answer to ### Task:");
    assertThat(chat.path("tagged").asText()).isEqualTo("answer to name it");
    assertThat(chat.path("libre").asText()).isEqualTo("answer to from libre");
    assertThat(chat.path("libreTitle").asText()).isEqualTo("answer to title of libre");
    assertThat(RIG.api().get("/api/v1/threads/libre-1/log").body()).doesNotContain("title of");

    // What was said in a conversation is kept, by whom too; what was said without one is not.
    JsonNode log = RIG.api().get("/api/v1/threads/web-ui-1/log").json().path("entries");
    assertThat(log.findValuesAsText("text")).containsExactly("of a page", "answer to of a page");
    assertThat(log.path(0).path("sender").asText()).isEqualTo("Ann Lee");
    assertThat(RIG.api().get("/api/v1/threads").body()).doesNotContain("alone");

    JsonNode responses = said.path("responses");
    assertThat(responses.path("first").asText()).isEqualTo("answer to first");
    assertThat(responses.path("second").asText()).isEqualTo("answer to second");
    assertThat(responses.path("sameThread").asBoolean()).isTrue();
    assertThat(responses.path("kept").asText()).isEqualTo("answer to first");
    assertThat(responses.path("text").asText()).isEqualTo("answer to streamed");
    assertThat(numbers(responses.path("numbers"))).isSorted().doesNotHaveDuplicates();
    assertThat(responses.path("types").path(0).asText()).isEqualTo("response.created");
    assertThat(numbers(responses.path("again")))
        .isNotEmpty()
        .isEqualTo(numbers(responses.path("rest")));
    assertThat(responses.path("call").path("type").asText()).isEqualTo("function_call");
    assertThat(responses.path("stored").asBoolean()).isFalse();
    assertThat(responses.path("told").asText()).isEqualTo("echo: cloudy");
    assertThat(responses.path("later").asText()).isEqualTo("answer to later");

    JsonNode refusals = said.path("refusals");
    assertRefused(refusals.path("model"), "NotFoundError", 404, "model_not_found");
    assertRefused(refusals.path("messages"), "BadRequestError", 400, "invalid_value");
    assertRefused(refusals.path("n"), "BadRequestError", 400, "unsupported_parameter");
    for (String param : List.of("stream", "temperature", "tool_choice", "metadata")) {
      assertRefused(refusals.path(param), "BadRequestError", 400, "invalid_value");
      assertThat(refusals.path(param).path("param").asText()).isEqualTo(param);
    }
    assertRefused(refusals.path("key"), "AuthenticationError", 401, "invalid_api_key");
    assertRefused(refusals.path("scope"), "PermissionDeniedError", 403, "auth");
    assertRefused(refusals.path("previous"), "NotFoundError", 404, "previous_response_not_found");
    assertRefused(refusals.path("response"), "NotFoundError", 404, "response_not_found");
  }

  private static Answer respond(boolean streams, List<Object> input, Map<String, Object> more)
      throws Exception {
    Map<String, Object> body = new HashMap<>(more);
    body.put("model", "holdfast");
    body.put("input", input);
    body.put("stream", streams);
    Answer answer = RIG.api().post("/v1/responses", body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer;
  }

  private static Map<String, Object> message(String role, Object content) {
    return Map.of("type", "message", "role", role, "content", content);
  }

  private static String said(JsonNode response) {
    return response.path("output").path(0).path("content").path(0).path("text").asText();
  }

  /** The requests of the specification's own compliance tests. */
  @Test
  void itsResponsesAreThoseOfTheSpecification() throws Exception {
    List<Object> hello = List.of(message("user", "Say hello."));
    JsonNode basic = respond(false, hello, Map.of()).json();
    OpenResponsesShape.checkCompleted(basic);
    assertThat(said(basic)).isEqualTo("answer to Say hello.");
    JsonNode kept = RIG.api().get("/v1/responses/" + basic.path("id").asText()).json();
    assertThat(kept.path("output")).isEqualTo(basic.path("output"));

    JsonNode streamed = OpenResponsesShape.checkStream(respond(true, hello, Map.of()));
    assertThat(said(streamed)).isEqualTo("answer to Say hello.");
    kept = RIG.api().get("/v1/responses/" + streamed.path("id").asText()).json();
    assertThat(kept.path("output")).isEqualTo(streamed.path("output"));

    List<Object> pirate = List.of(message("system", "Be a pirate."), message("user", "Hello."));
    OpenResponsesShape.checkCompleted(respond(false, pirate, Map.of()).json());
    assertThat(MODEL.requests().getLast().body().toString()).contains("Be a pirate.");

    Map<String, Object> place = Map.of("location", Map.of("type", "string"));
    Map<String, Object> schema =
        Map.of("type", "object", "properties", place, "required", List.of("location"));
    Map<String, Object> tool =
        Map.of("type", "function", "name", "get_weather", "description", "x", "parameters", schema);
    Map<String, Object> tools = Map.of("tools", List.of(tool));
    ModelScript call = CallScript.call("c1", "get_weather", Map.of("location", "Rome"));
    MODEL.next(call, call);
    List<Object> weather = List.of(message("user", "What is the weather?"));
    JsonNode called = respond(false, weather, tools).json();
    OpenResponsesShape.checkCompleted(called);
    assertThat(called.path("output").path(0).path("arguments").asText()).contains("Rome");
    JsonNode calledAgain = OpenResponsesShape.checkStream(respond(true, weather, tools));
    assertThat(calledAgain.path("output").path(0).path("type").asText()).isEqualTo("function_call");

    Map<String, Object> image = Map.of("type", "input_image", "image_url", DATA_URL);
    List<Object> parts = List.of(Map.of("type", "input_text", "text", "What is it?"), image);
    JsonNode seen = respond(false, List.of(message("user", parts)), Map.of()).json();
    OpenResponsesShape.checkCompleted(seen);
    assertThat(said(seen)).startsWith("answer to What is it?");

    List<Object> turns =
        List.of(
            message("user", "My name is Alice."),
            message("assistant", "Hello Alice."),
            message("user", "What is my name?"));
    OpenResponsesShape.checkCompleted(respond(false, turns, Map.of()).json());
    assertThat(MODEL.requests().getLast().body().toString()).contains("My name is Alice.");
  }

  @Test
  void aClientOfOpenResponsesUnderstandsThem() throws Exception {
    try (NodeClient client =
        new NodeClient(
            "open-responses-client.mjs", "ai@7.0.173", "@ai-sdk/open-responses@2.0.36")) {
      Map<String, String> variables =
          Map.of("BASE", RIG.setup().url("/v1"), "TOKEN", RIG.api().token());
      JsonNode said = client.run(variables, "talk");
      assertThat(said.path("generated").asText()).isEqualTo("answer to generate");
      assertThat(said.path("finish").asText()).isEqualTo("stop");
      assertThat(said.path("usage").path("outputTokens").asInt()).isPositive();
      JsonNode streamed = said.path("streamed");
      assertThat(streamed.path("text").asText()).isEqualTo("answer to stream");
      assertThat(streamed.path("finish").asText()).isEqualTo("stop");
      assertThat(streamed.path("usage").path("outputTokens").asInt()).isPositive();
      assertThat(said.path("told").asText()).isEqualTo("echo: sunny in Rome");
      assertThat(said.path("steps").toString()).isEqualTo("[\"tool-calls\",\"stop\"]");
      assertThat(said.path("called").path("text").asText()).isEqualTo("echo: sunny in Rome");
      assertThat(said.path("called").path("types").toString()).contains("tool-result");
      assertThat(said.path("instructed").asText()).isEqualTo("answer to instructed");
      assertThat(said.path("turns").asText()).isEqualTo("answer to What is my name?");
      assertThat(said.path("seen").asText()).startsWith("answer to see");
      assertThat(said.path("model").path("status").asInt()).isEqualTo(404);
      assertThat(said.path("choice").path("status").asInt()).isEqualTo(400);
      assertThat(said.path("choice").path("message").asText()).contains("tool_choice");

      MODEL.next(ModelScript.status(400, Map.of(), "invalid_request_error", "no such thing"));
      JsonNode failure = client.run(variables, "failure");
      assertThat(failure.path(0).asText()).isNotEmpty();
      assertThat(failure.path(1).asText()).isEqualTo("error");
    }
  }

  private static void assertRefused(JsonNode refusal, String kind, int status, String code) {
    assertThat(refusal.path("kind").asText()).isEqualTo(kind);
    assertThat(refusal.path("status").asInt()).isEqualTo(status);
    assertThat(refusal.path("code").asText()).isEqualTo(code);
  }

  @Test
  void twoHundredConversationsAreStreamedAtOnce() throws Exception {
    assertThat(run("load", "200").asBoolean()).isTrue();
  }

  @Test
  void aResponseOutlivesItsClientAndTheServer() throws Exception {
    MODEL.next(ModelScript.stallStream());
    JsonNode begun = run("begin");
    RIG.server().kill9();
    RIG.restart();
    JsonNode resumed = run("resume", begun.path("id").asText(), begun.path("number").asText());
    assertThat(resumed.path("text").asText()).isEqualTo("answer to to be killed");
    assertThat(resumed.path("deltas").asText()).isEqualTo("answer to to be killed");
    assertThat(numbers(resumed.path("numbers")))
        .isSorted()
        .allMatch(number -> number > begun.path("number").asLong());
  }

  @Test
  void imagesAndFilesAreAttachmentsOfTheMessage() throws Exception {
    JsonNode said = run("files");
    assertThat(said.path("seen").asText()).startsWith("answer to look");
    assertThat(said.path("again")).as("with the same key").isEqualTo(said.path("seen"));
    assertThat(said.path("read").asText()).startsWith("answer to read");
    assertThat(
            MODEL.requests().stream()
                .anyMatch(request -> request.body().toString().contains("data:image/png;base64,")))
        .as("the model saw the image")
        .isTrue();

    JsonNode log = RIG.api().get("/api/v1/threads/files/log").json().path("entries");
    assertThat(log.findValuesAsText("text")).contains("look", "read").doesNotHaveDuplicates();
    assertThat(log.findValues("attachments").toString()).contains("image/png", "note.txt");
    for (String wrong : List.of("fetched", "broken")) {
      JsonNode refusal = said.path(wrong);
      assertRefused(refusal, "BadRequestError", 400, "invalid_value");
      assertThat(refusal.path("param").asText()).isEqualTo("messages[0].content[1].image_url");
    }
    assertThat(said.path("large").path("status").asInt()).isEqualTo(413);
  }

  private static ModelScript unsafeCall() {
    return CallScript.call("c1", "shell", Map.of("command", "echo ran"));
  }

  @Test
  void aQuestionIsTheAnswerOfAChatUntilItIsDecided() throws Exception {
    MODEL.next(unsafeCall());
    JsonNode said = run("decide");
    assertThat(said.path("question").asText()).contains("echo ran", "/approve ");
    assertThat(said.path("answer").asText()).contains("Approved.", "answer to run it");
  }

  private static Answer send(String key, String path, Map<String, Object> body) throws Exception {
    Map<String, String> headers =
        Map.of(
            "authorization",
            "Bearer " + RIG.api().token(),
            "content-type",
            "application/json",
            "idempotency-key",
            key,
            "x-holdfast-thread",
            "again");
    return HTTP.post(RIG.setup().url(path), headers, Json.write(body));
  }

  @Test
  void aRequestThatIsSentAgainIsToldTheQuestionToo() throws Exception {
    MODEL.next(unsafeCall());
    Map<String, Object> chat =
        Map.of("model", "holdfast", "messages", List.of(message("user", "run it again")));
    JsonNode question = send("again-1", "/v1/chat/completions", chat).json().path("choices");
    assertThat(question.findValuesAsText("content").toString()).contains("/approve ");
    JsonNode again = send("again-1", "/v1/chat/completions", chat).json().path("choices");
    assertThat(again).isEqualTo(question);

    // Nothing else is answered meanwhile, and its sender is told why.
    Map<String, Object> other =
        Map.of("model", "holdfast", "messages", List.of(message("user", "yes, do it")));
    String held = send("again-2", "/v1/chat/completions", other).body();
    assertThat(held).contains("needs a decision first", "/approve ");
    Map<String, Object> response = Map.of("model", "holdfast", "input", "well?");
    JsonNode behind = send("again-3", "/v1/responses", response).json();
    assertThat(behind.path("status").asText()).isEqualTo("in_progress");
    assertThat(behind.path("output").toString()).contains("needs a decision first");
    Map<String, Object> streamed = Map.of("model", "holdfast", "input", "well?", "stream", true);
    assertThat(send("again-4", "/v1/responses", streamed).body())
        .contains("event: error\n", "needs a decision first");
    RIG.api().post("/v1/chat/completions", denial(question.toString()));
  }

  private static Map<String, Object> denial(String question) {
    String code = question.replaceFirst("(?s).*/deny (\\w+).*", "$1");
    return Map.of(
        "model",
        "holdfast",
        "conversation",
        "again",
        "messages",
        List.of(message("user", "/deny " + code)));
  }

  @Test
  void aStreamThatIsAskedForAgainIsTheSame() throws Exception {
    MODEL.next(ModelScript.stallStream());
    String partial = "PARTIAL-TEXT-OF-A-CUT-STREAM";
    Map<String, Object> chat =
        Map.of(
            "model",
            "holdfast",
            "stream",
            true,
            "conversation",
            "replayed",
            "messages",
            List.of(message("user", "stream it")));
    try (RawClient first = ask(chat)) {
      assertThat(heard(first, partial)).contains(partial);
    }
    try (RawClient second = ask(chat)) {
      assertThat(heard(second, partial)).containsOnlyOnce(partial);
    }
    RIG.api().post("/api/v1/chat", Map.of("thread", "replayed", "text", "/stop"));
  }

  private static RawClient ask(Map<String, Object> body) throws Exception {
    byte[] bytes = Json.write(body).getBytes(StandardCharsets.UTF_8);
    return new RawClient(RIG.setup().httpPort())
        .say(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer "
                + RIG.api().token()
                + "\r\ncontent-type: application/json\r\nidempotency-key: replayed-1"
                + "\r\ncontent-length: "
                + bytes.length
                + "\r\n\r\n")
        .say(bytes);
  }

  private static String heard(RawClient client, String wanted) throws Exception {
    StringBuilder heard = new StringBuilder();
    Await.until(
        "the client hears " + wanted,
        Duration.ofSeconds(60),
        () -> heard.append(client.hear(Duration.ofSeconds(1))).indexOf(wanted) >= 0);
    return heard.toString();
  }

  @Test
  void aResponseWaitsForItsApprovalOverAKill() throws Exception {
    MODEL.next(unsafeCall(), unsafeCall());
    JsonNode asked = run("ask");
    String id = asked.path("id").asText();
    assertThat(asked.path("waits").path("status").asText()).isEqualTo("in_progress");
    assertThat(asked.path("waits").path("output_text").asText()).contains("/approve ");
    assertThat(asked.path("text").asText()).contains("/approve ");

    RIG.server().kill9();
    RIG.restart();
    assertThat(run("asked", id).path("question").asText())
        .as("of a stream that begins after the kill")
        .isEqualTo(asked.path("text").asText());
    JsonNode waits = run("look", id);
    assertThat(waits.path("status").asText()).isEqualTo("in_progress");
    assertThat(waits.path("text").asText()).isEqualTo(asked.path("text").asText());

    JsonNode approval =
        RIG.api()
            .get("/api/v1/approvals?state=waiting&thread=approved")
            .json()
            .path("approvals")
            .path(0);
    assertThat(asked.path("text").asText()).contains(approval.path("code").asText());
    RIG.api().post("/api/v1/approvals/" + approval.path("id").asText() + "/approve", Map.of());
    JsonNode resumed = run("resume", id, asked.path("number").asText());
    assertThat(resumed.path("text").asText()).endsWith("answer to to be approved");
    assertThat(resumed.path("deltas").asText()).endsWith("answer to to be approved");
    assertThat(numbers(resumed.path("numbers")))
        .isSorted()
        .allMatch(number -> number > asked.path("number").asLong());
    assertThat(run("look", id).path("status").asText()).isEqualTo("completed");
  }
}
