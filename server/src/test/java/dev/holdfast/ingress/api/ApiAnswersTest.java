package dev.holdfast.ingress.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.IngressCase;
import dev.holdfast.ingress.IngressRig;
import dev.holdfast.ingress.Raw;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the API answers on the events, letters and threads that there are. */
@Timeout(60)
class ApiAnswersTest extends IngressCase {
  private static final String MESSAGES = "/api/v1/threads/t1/messages";

  @Test
  void aRefusalOfTheStoreIs503AndNotRemembered() throws Exception {
    rig.inbox.refusal = Failure.of(FailureCode.OVERLOADED, "too full");
    String request =
        Raw.request(
            "POST",
            MESSAGES,
            "{\"text\":\"hi\"}",
            IngressRig.bearer(IngressRig.ADMIN),
            "Idempotency-Key: k1");
    Raw.Answer answer = rig.send(request);
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.header("retry-after")).isEqualTo("5");
    rig.inbox.refusal = null;
    assertThat(rig.send(request).status()).isEqualTo(202);
  }

  @Test
  void theClientsCorrelationIdComesBack() throws Exception {
    Raw.Answer answer =
        rig.get(
            "/api/v1/threads?limit=0",
            IngressRig.bearer(IngressRig.READ),
            "X-Correlation-Id: c-17");
    assertThat(new JsonObject(answer.body()).getString("correlation_id")).isEqualTo("c-17");
  }

  /** Whatever ends it, a request ends: its key is free for another try. */
  @Test
  void anErrorInACallFreesItsKey() throws Exception {
    String reset = "/api/v1/threads/boom/reset";
    for (int i = 0; i < 2; i++) {
      Raw.Answer answer =
          rig.post(reset, "{}", IngressRig.bearer(IngressRig.ADMIN), "Idempotency-Key: k7");
      assertThat(answer.status()).isEqualTo(500);
      assertThat(answer.body()).contains("INTERNAL").doesNotContain("Error\"");
    }
  }

  /** Ids stand in logs, lists and terminals. */
  @ParameterizedTest
  @ValueSource(strings = {"\\r", "\\n", "\\u001b[2J", "\\u009b", "\\t"})
  void idsHaveNoControlCharacters(String control) throws Exception {
    String token = IngressRig.bearer(IngressRig.CHAT);
    for (String body :
        List.of(
            "{'message':'hi','context':{'thread_id':'aXb'}}",
            "{'message':'hi','context':{'user_id':'aXb','thread_id':'t'}}",
            "{'message':'hi','correlation_id':'aXb'}")) {
      String sent = body.replace('\'', '"').replace("X", control);
      assertThat(rig.post("/api/v1/chat", sent, token).status()).as(sent).isEqualTo(400);
    }
    assertThat(rig.inbox.events).isEmpty();
  }

  @Test
  void chatWaitsForTheAnswer() throws Exception {
    try (Raw raw = rig.raw()) {
      raw.send(
          Raw.request(
              "POST",
              "/api/v1/chat",
              "{\"api_version\":\"v1\",\"correlation_id\":\"c1\",\"message\":\"hi\",\"context\":{\"thread_id\":\"t1\",\"user_id\":\"ann\"}}",
              IngressRig.bearer(IngressRig.CHAT)));
      IngressRig.until(() -> !rig.inbox.events.isEmpty());
      rig.calls.answers.put("e1", new Answers.Answer(null, "hello ann"));
      rig.news.publish("event.finished", "web:main:t1", "e1", "{\"outcome\":\"answered\"}");
      Raw.Answer answer = raw.answer();
      assertThat(answer.status()).isEqualTo(200);
      JsonObject body = new JsonObject(answer.body());
      assertThat(body.getString("status")).isEqualTo("success");
      assertThat(body.getString("output")).isEqualTo("hello ann");
      assertThat(body.getString("event_id")).isEqualTo("e1");
      assertThat(body.getString("correlation_id")).isEqualTo("c1");
      assertThat(body.getString("api_version")).isEqualTo("v1");
      assertThat(body.containsKey("plan_id")).isTrue();
    }
  }

  @Test
  void chatThatTakesLongIsPending() throws Exception {
    Raw.Answer answer =
        rig.post("/api/v1/chat", "{\"message\":\"hi\"}", IngressRig.bearer(IngressRig.CHAT));
    assertThat(answer.status()).isEqualTo(202);
    JsonObject body = new JsonObject(answer.body());
    assertThat(body.getString("status")).isEqualTo("pending");
    assertThat(body.getString("event_id")).isEqualTo("e1");
  }

  /** A program tells by code and status what to do; people read the sentence. */
  @ParameterizedTest
  @CsvSource({
    "AUTH, 502",
    "CONTEXT_OVERFLOW, 413",
    "BUDGET_EXHAUSTED, 402",
    "NETWORK, 502",
    "AGENT_UNAVAILABLE, 503",
    "TIMEOUT, 504",
    "ACTOR_CRASHED, 500",
    "BACKEND_FAILURE, 502",
    "CANCELLED, 409"
  })
  void aFailedTurnIsAnErrorOfTheChat(FailureCode code, int status) throws Exception {
    rig.calls.answers.put("e1", new Answers.Answer(code, "I could not answer that."));
    try (Raw raw = rig.raw()) {
      raw.send(
          Raw.request(
              "POST",
              "/api/v1/chat",
              "{\"message\":\"hi\",\"context\":{\"thread_id\":\"t1\"}}",
              IngressRig.bearer(IngressRig.CHAT)));
      IngressRig.until(() -> !rig.inbox.events.isEmpty());
      rig.news.publish("event.finished", "web:main:t1", "e1", "{}");
      Raw.Answer answer = raw.answer();
      assertThat(answer.status()).isEqualTo(status);
      assertThat(answer.header("retry-after").isEmpty()).isEqualTo(status != 503);
      JsonObject body = new JsonObject(answer.body());
      assertThat(body.getString("status")).isEqualTo("error");
      assertThat(body.getJsonObject("error").getString("code")).isEqualTo(code.name());
      assertThat(body.getJsonObject("error").getString("message"))
          .isEqualTo("I could not answer that.");
    }
  }

  /** S22: a token is no password of the basic kind either. */
  @Test
  void basicAuthenticationIsNotSpoken() throws Exception {
    String basic =
        Base64.getEncoder()
            .encodeToString(
                ("x:" + IngressRig.ADMIN).getBytes(java.nio.charset.StandardCharsets.UTF_8));
    assertThat(rig.get("/api/v1/status", "Authorization: Basic " + basic).status()).isEqualTo(401);
  }
}
