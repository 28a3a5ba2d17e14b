package dev.holdfast.ingress.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ingress.IngressCase;
import dev.holdfast.ingress.IngressRig;
import dev.holdfast.ingress.Raw;
import dev.holdfast.ingress.wire.RequestTarget;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ApiTest extends IngressCase {
  private static final String MESSAGES = "/api/v1/threads/t1/messages";

  /** S22: whatever is not one good token in the one right place is 401. */
  @Test
  void onlyABearerTokenOpens() throws Exception {
    List<String> wrong =
        List.of(
            "X: y",
            "Authorization: ",
            "Authorization: Bearer",
            "Authorization: Bearer ",
            "Authorization: Bearer  " + IngressRig.ADMIN,
            "Authorization: Bearer " + IngressRig.ADMIN + " x",
            "Authorization: Basic " + IngressRig.ADMIN,
            "Authorization: " + IngressRig.ADMIN,
            "Authorization: Token " + IngressRig.ADMIN,
            IngressRig.bearer(IngressRig.ADMIN) + "\r\n" + IngressRig.bearer(IngressRig.ADMIN));
    for (String header : wrong) {
      Raw.Answer answer = rig.get("/api/v1/status", header);
      assertThat(answer.status()).as(header).isEqualTo(401);
      assertThat(answer.header("www-authenticate")).isEqualTo("Bearer");
      JsonObject body = new JsonObject(answer.body());
      assertThat(body.getString("correlation_id")).isNotEmpty();
      assertThat(body.getJsonObject("error").getString("code")).isEqualTo("AUTH");
    }
    assertThat(rig.calls.requests).isEmpty();
    assertThat(rig.get("/api/v1/status", IngressRig.bearer(IngressRig.ADMIN)).status())
        .isEqualTo(200);
  }

  /** S22: a token in the address would stand in every log on the way. */
  @Test
  void aTokenInTheQueryIsNeverAccepted() throws Exception {
    for (String name : List.of("token", "access_token", "api_key", "authorization")) {
      assertThat(rig.get("/api/v1/status?" + name + "=" + IngressRig.ADMIN).status())
          .isEqualTo(401);
    }
  }

  @Test
  void unknownPathsAskForATokenToo() throws Exception {
    assertThat(rig.get("/api/v1/nothing").status()).isEqualTo(401);
    assertThat(rig.get("/api/v1/nothing", IngressRig.bearer(IngressRig.READ)).status())
        .isEqualTo(404);
    assertThat(rig.get("/api/v2/status", IngressRig.bearer(IngressRig.READ)).status())
        .isEqualTo(404);
    assertThat(rig.post("/api/v1/status", "{}", IngressRig.bearer(IngressRig.ADMIN)).status())
        .isEqualTo(405);
  }

  /** S24: a scope is what the server knows of the token, whatever a header claims. */
  @Test
  void aTokenOpensNoMoreThanItsScope() throws Exception {
    assertThat(rig.get("/api/v1/status", IngressRig.bearer(IngressRig.READ)).status())
        .isEqualTo(200);
    assertThat(
            rig.post(
                    MESSAGES,
                    "{\"text\":\"hi\"}",
                    IngressRig.bearer(IngressRig.READ),
                    "X-Scope: admin")
                .status())
        .isEqualTo(403);
    assertThat(rig.post(MESSAGES, "{\"text\":\"hi\"}", IngressRig.bearer(IngressRig.CHAT)).status())
        .isEqualTo(202);
    assertThat(rig.get("/api/v1/config", IngressRig.bearer(IngressRig.CHAT)).status())
        .isEqualTo(403);
    assertThat(rig.post("/api/v1/breakers/x/trip", "", IngressRig.bearer(IngressRig.CHAT)).status())
        .isEqualTo(403);
    assertThat(
            rig.post("/api/v1/breakers/x/trip", "", IngressRig.bearer(IngressRig.ADMIN)).status())
        .isEqualTo(200);
    assertThat(
            rig.send(
                    Raw.request(
                        "DELETE",
                        "/api/v1/dead-letters/d1",
                        "",
                        IngressRig.bearer(IngressRig.CHAT)))
                .status())
        .isEqualTo(403);
    assertThat(rig.get("/api/v1/config", IngressRig.bearer(IngressRig.ADMIN)).status())
        .isEqualTo(200);
  }

  /** S23: guessing is held off, from this machine too; who has the right token never waits. */
  @Test
  void guessersAreHeldOffAndTheRightTokenOfTheSameAddressPasses() throws Exception {
    int refused = 0;
    for (int i = 0; i < 12; i++) {
      Raw.Answer answer = rig.get("/api/v1/status", IngressRig.bearer("guess-number-" + i));
      refused += answer.status() == 429 ? 1 : 0;
      if (answer.status() == 429) {
        assertThat(Integer.parseInt(answer.header("retry-after"))).isPositive();
      }
    }
    assertThat(refused).isEqualTo(2);
    for (int i = 0; i < 3; i++) {
      assertThat(rig.get("/api/v1/status", IngressRig.bearer(IngressRig.ADMIN)).status())
          .isEqualTo(200);
      assertThat(rig.post("/login", "{\"token\":\"" + IngressRig.READ + "\"}").status())
          .isEqualTo(204);
      assertThat(rig.get("/api/v1/status", IngressRig.bearer("guess-again-" + i)).status())
          .as("a right login does not set the guesser free")
          .isEqualTo(429);
      assertThat(rig.post("/login", "{\"token\":\"wrong\"}").status()).isEqualTo(429);
      assertThat(rig.post("/login", "{\"code\":\"wrong\"}").status()).isEqualTo(429);
    }
  }

  /** S29: a forwarded-for header does not make a guesser another one. */
  @Test
  void aForwardedAddressIsNotBelieved() throws Exception {
    int status = 0;
    for (int i = 0; i < 11; i++) {
      status =
          rig.get(
                  "/api/v1/status",
                  IngressRig.bearer("guess-number-" + i),
                  "X-Forwarded-For: 10.0.0." + i)
              .status();
    }
    assertThat(status).isEqualTo(429);
  }

  @Test
  void theContractIsEnforced() throws Exception {
    String token = IngressRig.bearer(IngressRig.ADMIN);
    for (String body :
        List.of(
            "{}",
            "{\"text\":\"\"}",
            "{\"text\":7}",
            "{\"text\":null}",
            "{\"text\":\"hi\",\"extra\":1}",
            "{\"text\":\"hi\",\"dedupe_key\":\"" + "k".repeat(300) + "\"}",
            "{\"text\":\"  \"}",
            "[]",
            "7")) {
      Raw.Answer answer = rig.post(MESSAGES, body, token);
      assertThat(answer.status()).as(body).isEqualTo(400);
      assertThat(new JsonObject(answer.body()).getJsonObject("error").getString("code"))
          .isEqualTo("INVALID_REQUEST");
    }
    assertThat(rig.send(Raw.request("POST", MESSAGES, "", token)).status()).isEqualTo(400);
    assertThat(rig.get("/api/v1/threads?limit=0", token).status()).isEqualTo(400);
    assertThat(rig.get("/api/v1/threads?limit=x", token).status()).isEqualTo(400);
    assertThat(rig.get("/api/v1/threads?limit=7", token).status()).isEqualTo(200);
    assertThat(rig.get("/api/v1/dead-letters?kind=other", token).status()).isEqualTo(400);
    assertThat(rig.post("/api/v1/dead-letters/d1/replay", "{\"channel\":\"x\"}", token).status())
        .isEqualTo(400);
    assertThat(rig.inbox.events).isEmpty();
  }

  @Test
  void whatLooksLikeJsonInTheQueryIsText() throws Exception {
    for (String words :
        List.of("\"two words\" more", "\"", "[", "{\"a\":1}", "true", "7", "null")) {
      String query = URLEncoder.encode(words, StandardCharsets.UTF_8);
      Raw.Answer answer = rig.get("/api/v1/search?q=" + query, IngressRig.bearer(IngressRig.ADMIN));
      assertThat(answer.status()).as(answer.body()).isEqualTo(200);
      assertThat(rig.calls.requests.getLast().text("q", "")).isEqualTo(words);
    }
  }

  /** Whoever wrote the request learns which part of it is wrong, and what may stand there. */
  @Test
  void aRefusalNamesWhatIsWrongAndWhere() throws Exception {
    String name = "n".repeat(300);
    String step = "{\"name\":\"a\",\"agent\":\"x\",\"action\":\"y\"%s}";
    Map<String, String> said =
        Map.ofEntries(
            Map.entry(plan("[]"), "steps: has fewer than 1 items"),
            Map.entry(
                plan("[" + String.join(",", Collections.nCopies(11, step.formatted(""))) + "]"),
                "steps: has more than 10 items"),
            Map.entry(
                plan("[{\"agent\":\"x\",\"action\":\"y\"}]"), "steps/0: must have a member name"),
            Map.entry(
                plan("[" + step.formatted(",\"payload\":[1]") + "]"),
                "steps/0/payload: must be object, not array"),
            Map.entry(
                plan("[" + step.formatted(",\"payload\":null") + "]"),
                "steps/0/payload: must be object, not null"),
            Map.entry(
                plan("[" + step.formatted(",\"needs\":\"b\"") + "]"),
                "steps/0/needs: must be array, not string"),
            Map.entry(
                plan("[" + step.formatted(",\"need\":[]") + "]"),
                "steps/0/need: is an unknown key; known here: action, agent, name, needs, payload"),
            Map.entry(
                plan("[{\"name\":\"" + name + "\",\"agent\":\"x\",\"action\":\"y\"}]"),
                "steps/0/name: has 300 characters, not at most 64"),
            Map.entry("{\"priority\":101}", "priority: must be at most 100"),
            Map.entry("{\"priority\":\"5\"}", "priority: must be integer, not string"),
            Map.entry("{\"priority\":1.5}", "priority: must be integer, not number"),
            Map.entry("{\"priority\":null}", "priority: must be integer, not null"),
            Map.entry("{\"wait_secs\":-1}", "wait_secs: must be at least 0"),
            Map.entry(
                "{\"goal\":\"" + "g".repeat(2001) + "\"}",
                "goal: has 2001 characters, not at most 2000"),
            Map.entry(
                "{\"gaol\":\"x\"}",
                "gaol: is an unknown key; known here: action, agent, goal, payload, priority,"
                    + " steps, thread_id, wait_secs"));
    String token = IngressRig.bearer(IngressRig.ADMIN);
    for (Map.Entry<String, String> each : said.entrySet()) {
      Raw.Answer answer = rig.post("/api/v1/plans", each.getKey(), token);
      assertThat(answer.status()).as(each.getKey()).isEqualTo(400);
      JsonObject error = new JsonObject(answer.body()).getJsonObject("error");
      assertThat(error.getString("message")).isEqualTo(each.getValue());
      assertThat(error.getJsonObject("details").getJsonArray("problems"))
          .isEqualTo(new JsonArray().add(each.getValue()));
    }
  }

  @Test
  void aRefusalNamesAllThatIsWrong() throws Exception {
    String token = IngressRig.bearer(IngressRig.ADMIN);
    Raw.Answer answer =
        rig.post(
            "/api/v1/plans", "{\"priority\":-1,\"goal\":7,\"steps\":[{\"name\":\"a\"}]}", token);
    JsonObject error = new JsonObject(answer.body()).getJsonObject("error");
    assertThat(error.getJsonObject("details").getJsonArray("problems"))
        .containsExactlyInAnyOrder(
            "priority: must be at least 0",
            "goal: must be string, not integer",
            "steps/0: must have a member agent",
            "steps/0: must have a member action");
    assertThat(
            rig.post("/api/v1/tasks/" + "0".repeat(36) + "/input", "{\"answer\":\"\"}", token)
                .body())
        .contains("answer: has 0 characters, not ");
  }

  private static String plan(String steps) {
    return "{\"steps\":" + steps + "}";
  }

  /** S18: JSON that is too deep, too clever or not quite JSON is refused, and fast. */
  @Test
  void hostileJsonIsRefusedFast() throws Exception {
    StringBuilder keys = new StringBuilder("{");
    for (int i = 0; i < 80_000; i++) {
      keys.append("\"k").append(i).append("\":1,");
    }
    keys.append("\"text\":1}");
    List<String> bodies =
        List.of(
            "[".repeat(100_000),
            "{\"text\":" + "[".repeat(65) + "]".repeat(65) + "}",
            "{\"a\":".repeat(100_000),
            keys.toString(),
            "{\"text\":" + "9".repeat(1_000_000) + "}",
            "{\"text\":1e999999999}",
            "{\"text\":\"hi\",\"text\":\"ho\"}",
            "{\"text\":\"hi\",\"\\u0074ext\":\"ho\"}",
            "{\"text\":NaN}",
            "{\"text\":Infinity}",
            "{\"text\":+1}",
            "{\"text\":01}",
            "{'text':'hi'}",
            "{text:\"hi\"}",
            "{\"text\":\"hi\",}",
            "{\"text\":\"hi\"}{}",
            "{\"text\":\"hi\"} x",
            "/* c */{\"text\":\"hi\"}",
            "\ufeff{\"text\":\"hi\"}",
            "{\"text\":\"\\ud800\"}",
            "{\"text\":\"\\udc00\\ud800\"}",
            "{\"text\":\"a\\u0000b\"}",
            "{\"text\":\"a\u0000b\"}",
            "{\"text\":\"a\tb\"}",
            "{\"\\ud800\":1}");
    String token = IngressRig.bearer(IngressRig.ADMIN);
    rig.post(MESSAGES, "{}", token); // the first request loads the classes
    for (String body : bodies) {
      long before = System.nanoTime(); // how long the parser takes
      int status = rig.post(MESSAGES, body, token).status();
      long millis = (System.nanoTime() - before) / 1_000_000;
      assertThat(status).as(body.substring(0, Math.min(40, body.length()))).isEqualTo(400);
      assertThat(millis).as(body.substring(0, Math.min(40, body.length()))).isLessThan(1000);
    }
    assertThat(rig.inbox.events).isEmpty();
  }

  /** S18: other encodings, which a parser that guesses would take. */
  @Test
  void onlyUtf8IsRead() throws Exception {
    byte[][] bodies = {
      "{\"text\":\"hi\"}".getBytes(java.nio.charset.StandardCharsets.UTF_16),
      "{\"text\":\"hi\"}".getBytes(java.nio.charset.StandardCharsets.UTF_16LE),
      "{\"text\":\"hi\"}".getBytes(java.nio.charset.StandardCharsets.UTF_16BE),
      "{\"text\":\"h\u00e4\"}".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1),
      {'{', '"', 't', '"', ':', '"', (byte) 0xc0, (byte) 0x80, '"', '}'},
      {'{', '"', 't', '"', ':', '"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"', '}'},
    };
    for (byte[] body : bodies) {
      try (Raw raw = rig.raw()) {
        raw.send(
            "POST "
                + MESSAGES
                + " HTTP/1.1\r\nHost: localhost\r\n"
                + IngressRig.bearer(IngressRig.ADMIN)
                + "\r\nContent-Type: application/json\r\nContent-Length: "
                + body.length
                + "\r\n\r\n");
        raw.send(body);
        assertThat(raw.answer().status()).isEqualTo(400);
      }
    }
  }

  /** S33: an id is only a name; each spelling of it is another one. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "..%2F..%2Fx",
        "%2Fetc%2Fpasswd",
        "a%2F..%2Fb",
        "CON",
        "%E2%80%AEabc",
        "t%20x",
        "a+b",
        "%C3%A9",
        "e%CC%81",
        "100%25",
        "a%3Bb"
      })
  void idsAreOnlyNames(String encoded) throws Exception {
    Raw.Answer answer =
        rig.post(
            "/api/v1/threads/" + encoded + "/messages",
            "{\"text\":\"hi\"}",
            IngressRig.bearer(IngressRig.ADMIN));
    assertThat(answer.status()).isEqualTo(202);
    String decoded = String.valueOf(RequestTarget.decode(encoded));
    assertThat(rig.inbox.events.getFirst().threadId()).isEqualTo("web:main:" + decoded);
  }

  /** S16, S33: ids that would break a line or a path are refused. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a%0Ab",
        "a%0D%0Ab",
        "a%00b",
        "%2E%2E",
        "%2e",
        "..",
        "a%zz",
        "a%",
        "%C3",
        "%1b[31m",
        "a b",
        "a//b"
      })
  void idsThatAreNoNamesAreRefused(String encoded) throws Exception {
    Raw.Answer answer =
        rig.post(
            "/api/v1/threads/" + encoded + "/messages",
            "{\"text\":\"hi\"}",
            IngressRig.bearer(IngressRig.ADMIN));
    assertThat(answer.status()).isIn(400, 404);
    assertThat(rig.inbox.events).isEmpty();
  }

  @Test
  void longIdsAreRefused() throws Exception {
    String token = IngressRig.bearer(IngressRig.ADMIN);
    assertThat(rig.get("/api/v1/threads/" + "x".repeat(1201), token).status()).isEqualTo(400);
    String path = "/api/v1/threads/" + "x".repeat(1001) + "/messages";
    assertThat(rig.post(path, "{\"text\":\"hi\"}", token).status()).isEqualTo(400);
    assertThat(rig.inbox.events).isEmpty();
  }

  /** Percent-encoded, each of its characters takes nine. */
  @Test
  void theLongestIdOfAThreadOpensEachOfItsOperations() throws Exception {
    String id = "%E2%82%AC".repeat(333);
    String token = IngressRig.bearer(IngressRig.ADMIN);
    String path = "/api/v1/threads/webhook%3A" + "a".repeat(64) + "%3A" + id;
    assertThat(rig.get(path + "/log?limit=1000", token).status()).isEqualTo(200);
    assertThat(rig.get(path + "/attachments/" + "a".repeat(80) + ".txt", token).status())
        .isEqualTo(200);
    assertThat(rig.post(path + "/stop", "{}", token).status()).isEqualTo(200);
    assertThat(rig.post("/api/v1/threads/" + id + "/messages", "{\"text\":\"hi\"}", token).status())
        .isEqualTo(202);
  }

  @Test
  void theMediaTypeMayBeSpeltInAnyCase() throws Exception {
    String request =
        Raw.request("POST", MESSAGES, "{\"text\":\"hi\"}", IngressRig.bearer(IngressRig.ADMIN));
    assertThat(request).contains("application/json");
    assertThat(rig.send(request.replace("application/json", "APPLICATION/JSON")).status())
        .isEqualTo(202);
  }

  @Test
  void aPlatformsThreadGetsItsMessagesFromThePlatform() throws Exception {
    Raw.Answer answer =
        rig.post(
            "/api/v1/threads/webhook%3Aci%3At1/messages",
            "{\"text\":\"hi\"}", IngressRig.bearer(IngressRig.ADMIN));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(
            rig.post(
                    "/api/v1/threads/web%3Amain%3At1/messages",
                    "{\"text\":\"hi\"}", IngressRig.bearer(IngressRig.ADMIN))
                .status())
        .isEqualTo(202);
  }

  /** S60: one key, one body, one answer. */
  @Test
  void anIdempotencyKeyMakesARetrySafe() throws Exception {
    String token = IngressRig.bearer(IngressRig.ADMIN);
    String key = "Idempotency-Key: k1";
    Raw.Answer first = rig.post(MESSAGES, "{\"text\":\"hi\"}", token, key);
    Raw.Answer second = rig.post(MESSAGES, "{\"text\":\"hi\"}", token, key);
    assertThat(second.status()).isEqualTo(202);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(rig.calls.requests).hasSize(1);
    assertThat(rig.post(MESSAGES, "{\"text\":\"other\"}", token, key).status()).isEqualTo(409);
    assertThat(
            rig.post(MESSAGES, "{\"text\":\"hi\"}", token, "Idempotency-Key: " + "k".repeat(256))
                .status())
        .isEqualTo(400);
    assertThat(rig.post(MESSAGES, "{\"text\":\"hi\"}", token, "Idempotency-Key: ").status())
        .isEqualTo(400);
    assertThat(rig.inbox.events).hasSize(1);
  }

  @Test
  void anIdempotencyKeyThatIsUsedAgainInAnotherThreadLosesNoMessage() throws Exception {
    String token = IngressRig.bearer(IngressRig.ADMIN);
    String key = "Idempotency-Key: k1";
    Raw.Answer first = rig.post(MESSAGES, "{\"text\":\"hi\"}", token, key);
    Raw.Answer second = rig.post("/api/v1/threads/t2/messages", "{\"text\":\"ho\"}", token, key);
    assertThat(first.status()).isEqualTo(202);
    assertThat(second.status()).isEqualTo(202);
    assertThat(rig.inbox.events).hasSize(2);
  }

  /** S60: the same key of another token is another key. */
  @Test
  void keysOfDifferentTokensAreDifferent() throws Exception {
    rig.post(
        MESSAGES, "{\"text\":\"hi\"}", IngressRig.bearer(IngressRig.ADMIN), "Idempotency-Key: k1");
    assertThat(
            rig.post(
                    MESSAGES,
                    "{\"text\":\"ho\"}",
                    IngressRig.bearer(IngressRig.CHAT),
                    "Idempotency-Key: k1")
                .status())
        .isEqualTo(202);
  }

  /** S60: the second of two at once is told that the first still runs. */
  @Test
  void aRunningKeyIs409() throws Exception {
    var commit = new java.util.concurrent.CompletableFuture<String>();
    rig.inbox.gate = commit;
    String request =
        Raw.request(
            "POST",
            MESSAGES,
            "{\"text\":\"hi\"}",
            IngressRig.bearer(IngressRig.ADMIN),
            "Idempotency-Key: k1");
    try (Raw first = rig.raw()) {
      first.send(request);
      IngressRig.until(() -> !rig.calls.requests.isEmpty());
      assertThat(rig.send(request).status()).isEqualTo(409);
      commit.complete("done");
      assertThat(first.answer().status()).isEqualTo(202);
    }
    assertThat(rig.inbox.events).hasSize(1);
  }
}
