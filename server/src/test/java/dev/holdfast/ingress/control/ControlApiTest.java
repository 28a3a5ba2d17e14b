package dev.holdfast.ingress.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.holdfast.bus.ControlRequest;
import dev.holdfast.ingress.FakeLogouts;
import dev.holdfast.ingress.IngressRig;
import dev.holdfast.ingress.api.ApiCall;
import dev.holdfast.ingress.login.Authenticator;
import dev.holdfast.ingress.login.Sessions;
import dev.holdfast.ingress.login.Tokens;
import dev.holdfast.ingress.wire.AnswerBudget;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class ControlApiTest {
  private static final String ADMIN = "Bearer " + IngressRig.ADMIN;

  private final ManualTime time = new ManualTime();
  private final Tokens tokens = new Tokens(IngressRig.TOKENS);
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final BlockingQueue<ApiRequest> called = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final Map<String, ApiCall> calls = new HashMap<>();
  private final ControlApi api = api();

  private ControlApi api() {
    for (String operation :
        List.of("stopThread", "resetThread", "getMode", "setMode", "replayDeadLetter")) {
      calls.put(
          operation,
          request -> {
            called.add(request);
            return ApiAnswer.ok(new JsonObject().put("called", operation));
          });
    }
    return new ControlApi(
        calls,
        new Authenticator(tokens, new Sessions(tokens, new FakeLogouts(), time), time),
        new AnswerBudget(1 << 20, Duration.ofSeconds(1), time),
        meters);
  }

  private static ControlRequest request(String verb, String body, String... authorization) {
    return new ControlRequest(
        verb,
        "_INBOX.abc",
        List.of(authorization),
        "",
        body.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  private JsonObject answer(ControlRequest request) throws InterruptedException {
    api.handle(request, answers::add);
    String answer = answers.poll(20, TimeUnit.SECONDS);
    assertThat(answer).as("answered").isNotNull().doesNotContain(IngressRig.ADMIN);
    return new JsonObject(answer);
  }

  private JsonObject ask(String verb, String body) throws InterruptedException {
    return answer(request(verb, body, ADMIN));
  }

  private void assertRefused(JsonObject answer, int status, String words) {
    assertThat(answer.getInteger("status")).as(answer.encode()).isEqualTo(status);
    JsonObject body = answer.getJsonObject("body");
    assertThat(body.getJsonObject("error").getString("message")).contains(words);
    assertThat(body.getString("correlation_id")).isNotEmpty();
    assertThat(called).isEmpty();
    assertThat(meters.counter("holdfast.bus.control", "status", "" + status).count()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({
    "stop,   {'thread_id': 'web:main:a'; 'all': true}, stopThread,       web:main:a, {'all':true}",
    "stop,   {'thread_id': 'web:main:a'},              stopThread,       web:main:a, {}",
    "reset,  {'thread_id': 'a'},                       resetThread,      a,          {}",
    "mode,   '',                                       getMode,          '',         {}",
    "mode,   {},                                       getMode,          '',         {}",
    "mode,   {'mode': 'safe'},                         setMode,          '',        "
        + " {'mode':'safe'}",
    "replay, {'id': 'dl-1'},                           replayDeadLetter, dl-1,       {}",
  })
  void aVerbIsAnOperationOfTheApi(
      String verb, String body, String operation, String id, String passed) throws Exception {
    JsonObject answer = ask(verb, body.replace("''", "").replace(';', ','));
    assertThat(answer.getInteger("status")).as(answer.encode()).isEqualTo(200);
    assertThat(answer.getJsonObject("body").getString("called")).isEqualTo(operation);
    ApiRequest request = called.remove();
    assertThat(request.id()).isEqualTo(id);
    assertThat(request.body()).isEqualTo(new JsonObject(passed.replace('\'', '"')));
    assertThat(request.caller().name()).isEqualTo("main");
    assertThat(meters.counter("holdfast.bus.control", "status", "200").count()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer wrong-token-0123456789",
        "Bearer ",
        "Bearer",
        "Basic YWRtaW4=",
        IngressRig.ADMIN,
        "Bearer  " + IngressRig.ADMIN,
        "Bearer " + IngressRig.ADMIN + "\u0000"
      })
  void whatIsNoTokenIsRefused(String header) throws Exception {
    assertRefused(answer(request("mode", "{}", header)), 401, "unauthorized");
  }

  @Test
  void oneHeaderOnlySaysWhoAsks() throws Exception {
    assertRefused(answer(request("mode", "{}")), 401, "unauthorized");
    assertRefused(answer(request("mode", "{}", ADMIN, ADMIN)), 401, "unauthorized");
  }

  @Test
  void onlyOperatorsAreAdmittedWhateverTheVerbTakesOverHttp() throws Exception {
    for (String token : List.of(IngressRig.CHAT, IngressRig.READ)) {
      for (String verb : List.of("stop", "reset", "mode", "replay", "unheard")) {
        assertRefused(answer(request(verb, "no JSON", "Bearer " + token)), 403, "forbidden");
      }
    }
  }

  @Test
  void aRotatedTokenIsRefusedAtOnce() throws Exception {
    assertThat(ask("mode", "").getInteger("status")).isEqualTo(200);
    called.clear();
    tokens.replace(IngressRig.TOKENS.subList(1, 3));
    assertRefused(ask("mode", ""), 401, "unauthorized");
  }

  @Test
  void whoGuessesIsHeldOffAndWhoKnowsIsNot() throws Exception {
    JsonObject last = new JsonObject();
    for (int i = 0; i < 12; i++) {
      last = answer(request("mode", "{}", "Bearer guess-0123456789-" + i));
    }
    assertRefused(last, 429, "too many failed logins");
    assertThat(last.getLong("retry_after_secs")).isPositive();
    assertThat(ask("mode", "").getInteger("status")).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "stop.all", "STOP", "mode ", "*", ">", "promote"})
  void anotherVerbIsUnknown(String verb) throws Exception {
    assertRefused(ask(verb, "{}"), 404, "stop, reset, mode or replay");
  }

  @ParameterizedTest
  @CsvSource({
    "stop,   'no JSON',                             not valid JSON",
    "stop,   '[]',                                  must be a JSON object",
    "stop,   '{} {}',                               more than one JSON value",
    "stop,   '{}',                                  thread_id",
    "stop,   '{\"thread_id\": 7}',                  thread_id",
    "stop,   '{\"thread_id\": \"\"}',               thread_id",
    "stop,   '{\"thread_id\": \"a\", \"all\": 1}',  all",
    "stop,   '{\"thread_id\": \"a\", \"x\": 1}',    x",
    "stop,   '{\"thread_id\": \"a\", \"thread_id\": \"b\"}', not valid JSON",
    "reset,  '{\"thread_id\": null}',               thread_id",
    "reset,  '{\"thread_id\": \"a\", \"all\": true}', all",
    "mode,   '{\"mode\": \"full\"}',                mode",
    "mode,   '{\"mode\": [\"safe\"]}',              mode",
    "replay, '{\"id\": {}}',                        id",
    "replay, '{\"id\": \"a\\u0000\"}',              NUL",
  })
  void whatTheApiWouldRefuseIsRefused(String verb, String body, String words) throws Exception {
    assertRefused(ask(verb, body), 400, words);
  }

  @Test
  void whatIsHugeOrDeepIsRefused() throws Exception {
    assertRefused(ask("mode", "[".repeat(60_000)), 400, "JSON");
    assertRefused(
        ask("mode", "{'a':".repeat(5000) + "1" + "}".repeat(5000)), 400, "within the limits");
    assertRefused(
        ask("mode", "{'mode': 'safe', 'reason': '" + "x".repeat(70_000) + "'}"), 413, "65536");
    assertRefused(
        ask("mode", "{'mode': 'safe', 'reason': '" + "x".repeat(501) + "'}"), 400, "reason");
    api.handle(
        new ControlRequest("mode", "_INBOX.a", List.of(ADMIN), "", new byte[] {(byte) 0xff}),
        answers::add);
    assertRefused(new JsonObject(answers.remove()), 400, "UTF-8");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "$JS.API.STREAM.PURGE.HOLDFAST",
        "holdfast.control.mode",
        "holdfast.events.mode.changed",
        "INBOX.a",
        "a._INBOX.b"
      })
  void nothingIsSentWhereARequesterMightNotSend(String replyTo) {
    for (String token : List.of(ADMIN, "Bearer wrong-token-0123456789")) {
      byte[] body = "{\"mode\": \"safe\"}".getBytes(StandardCharsets.UTF_8);
      api.handle(new ControlRequest("mode", replyTo, List.of(token), "", body), answers::add);
    }
    assertThat(meters.counter("holdfast.bus.control", "status", "400").count()).isEqualTo(1);
    assertThat(meters.counter("holdfast.bus.control", "status", "401").count()).isEqualTo(1);
    assertThat(answers).isEmpty();
    assertThat(called).isEmpty();
  }

  @Test
  void whoWantsNoAnswerIsObeyedToo() throws Exception {
    ControlRequest silent = new ControlRequest("mode", "", List.of(ADMIN), "", new byte[0]);
    api.handle(silent, answers::add);
    assertThat(called.poll(20, TimeUnit.SECONDS)).isNotNull();
  }

  @Test
  void refusalsAndBugsOfTheOperationAreAnsweredAsTheApiDoes() throws Exception {
    calls.put(
        "replayDeadLetter",
        _ -> {
          throw RefusedRequestException.unknown("no such dead letter");
        });
    assertRefused(ask("replay", "{'id': 'x'}"), 404, "no such dead letter");
    calls.put(
        "replayDeadLetter",
        _ -> {
          throw new IllegalStateException("inner words");
        });
    JsonObject answer = ask("replay", "{'id': 'x'}");
    assertRefused(answer, 500, "internal error");
    assertThat(answer.encode()).doesNotContain("inner words");
  }

  @Test
  void onlySoManyRunAtOnceAndTheRestHearsSo() throws Exception {
    CountDownLatch hanging = new CountDownLatch(16);
    CountDownLatch release = new CountDownLatch(1);
    calls.put(
        "setMode",
        _ -> {
          hanging.countDown();
          release.await();
          return ApiAnswer.ok(new JsonObject());
        });
    for (int i = 0; i < 16; i++) {
      api.handle(request("mode", "{'mode': 'safe'}", ADMIN), answers::add);
    }
    assertThat(hanging.await(20, TimeUnit.SECONDS)).isTrue();
    JsonObject refused = ask("mode", "");
    assertRefused(refused, 503, "too many control requests");
    assertThat(refused.getLong("retry_after_secs")).isEqualTo(5);
    release.countDown();
    for (int i = 0; i < 16; i++) {
      assertThat(new JsonObject(answers.poll(20, TimeUnit.SECONDS)).getInteger("status"))
          .isEqualTo(200);
    }
    assertThat(answers).isEmpty();
  }

  @Test
  void whoComesTooLateHearsSo() throws Exception {
    api.stop();
    assertRefused(ask("mode", ""), 503, "the server is stopping");
    assertRefused(answer(request("mode", "{}")), 401, "unauthorized");
  }

  @Test
  void whatIsAskedForIsWhatTheContractAllows() throws Exception {
    JsonObject contract;
    try (InputStream in = ControlApi.class.getResourceAsStream("/openapi.yaml")) {
      contract =
          new JsonObject(
              new ObjectMapper(new YAMLFactory())
                  .readValue(in, new TypeReference<Map<String, Object>>() {}));
    }
    JsonObject components = contract.getJsonObject("components");
    JsonObject schemas = components.getJsonObject("schemas");
    JsonObject mode = schemas.getJsonObject("ModeRequest").getJsonObject("properties").copy();
    Object _ = mode.getJsonObject("reason").remove("description");
    assertThat(ControlVerb.MODE.schema().getJsonObject("properties")).isEqualTo(mode);
    JsonObject stop = ControlVerb.STOP.schema().getJsonObject("properties");
    JsonObject parameters = components.getJsonObject("parameters");
    JsonObject thread = parameters.getJsonObject("id").getJsonObject("schema");
    assertThat(stop.getJsonObject("thread_id")).isEqualTo(thread);
    assertThat(stop.getJsonObject("all"))
        .isEqualTo(schemas.getJsonObject("Stop").getJsonObject("properties").getJsonObject("all"));
    assertThat(ControlVerb.RESET.schema().getJsonObject("properties").getJsonObject("thread_id"))
        .isEqualTo(thread);
    assertThat(ControlVerb.REPLAY.schema().getJsonObject("properties").getJsonObject("id"))
        .isEqualTo(parameters.getJsonObject("letterId").getJsonObject("schema"));
  }
}
