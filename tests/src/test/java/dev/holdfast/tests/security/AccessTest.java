package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.RawClient;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Rows S24, S26 and S60: who may do what through the API. */
class AccessTest extends SharedServer {
  /** Row S24: a token can do what its scopes say, whatever the client claims. */
  @Test
  void aReadTokenOnlyReads() throws IOException {
    assertThat(as(READER, "GET", "/api/v1/status", "").status()).isEqualTo(200);
    Map<String, String> changes =
        Map.of(
            "/api/v1/threads/x/messages", "{\"text\":\"hi\"}",
            "/api/v1/threads/x/stop", "{}",
            "/api/v1/threads/x/reset", "",
            "/api/v1/breakers/llm:openai/trip", "",
            "/api/v1/dead-letters/1/replay", "");
    for (Map.Entry<String, String> change : changes.entrySet()) {
      assertThat(as(READER, "POST", change.getKey(), change.getValue()).status())
          .as(change.getKey())
          .isEqualTo(403);
    }
    assertThat(as(READER, "DELETE", "/api/v1/dead-letters/1", "").status()).isEqualTo(403);
    assertThat(as(READER, "GET", "/api/v1/config", "").status()).isEqualTo(403);
    Answer claimed =
        http.post(
            rig.setup().url("/api/v1/threads/x/messages"),
            Map.of(
                "authorization", "Bearer " + READER,
                "content-type", "application/json",
                "x-scopes", "admin",
                "x-holdfast-scopes", "read,chat,admin"),
            "{\"text\":\"hi\",\"scopes\":[\"admin\"]}");
    assertThat(claimed.status()).isIn(400, 403);
  }

  /** Row S24. */
  @Test
  void aChatTokenChatsAndDoesNotAdministrate() throws IOException {
    assertThat(as(ANN, "POST", "/api/v1/threads/x/messages", "{\"text\":\"hi\"}").status())
        .isEqualTo(202);
    assertThat(as(ANN, "POST", "/api/v1/breakers/llm:openai/trip", "").status()).isEqualTo(403);
    assertThat(as(ANN, "GET", "/api/v1/config", "").status()).isEqualTo(403);
  }

  /** Row S26: what a foreign page in the operator's browser could do. */
  @Test
  void foreignPagesAreRefused() throws IOException {
    String login = rig.setup().url("/login");
    Answer session =
        http.post(
            login,
            Map.of("content-type", "application/json", "origin", rig.setup().url("")),
            "{\"token\":\"" + rig.api().token() + "\"}");
    assertThat(session.status()).as(session.body()).isEqualTo(204);
    String cookie = session.header("set-cookie");
    assertThat(cookie).contains("holdfast_session=").containsIgnoringCase("; HttpOnly");
    assertThat(cookie).containsIgnoringCase("; SameSite=Strict");
    String pair = cookie.substring(0, cookie.indexOf(';'));
    String url = rig.setup().url("/api/v1/threads/x/messages");
    for (String origin : List.of("http://evil.example", "null", "http://127.0.0.1:1", "")) {
      Map<String, String> headers = new HashMap<>();
      headers.put("cookie", pair);
      headers.put("content-type", "application/json");
      if (!origin.isEmpty()) {
        headers.put("origin", origin);
      }
      assertThat(http.post(url, headers, "{\"text\":\"hi\"}").status())
          .as("origin '%s'", origin)
          .isEqualTo(403);
    }
    Answer honest =
        http.post(
            url,
            Map.of(
                "cookie", pair, "content-type", "application/json", "origin", rig.setup().url("")),
            "{\"text\":\"hi\"}");
    assertThat(honest.status()).isEqualTo(202);
    assertThat(honest.header("access-control-allow-origin")).isEmpty();
  }

  /** Row S26: DNS rebinding shows in the Host header. */
  @Test
  void foreignHostsAreRefused() throws IOException {
    String bearer = "authorization: Bearer " + rig.api().token() + "\r\n";
    for (String host : List.of("evil.example", "evil.example:80", "127.0.0.1.evil.example")) {
      for (String path : List.of("/chat", "/api/v1/status")) {
        assertThat(
                rawStatus("GET " + path + " HTTP/1.1\r\nhost: " + host + "\r\n" + bearer + "\r\n"))
            .as(host + path)
            .isIn(400, 403, 421);
      }
    }
    assertThat(rawStatus("GET /api/v1/status HTTP/1.1\r\nhost: localhost\r\n" + bearer + "\r\n"))
        .isEqualTo(200);
  }

  /** Row S26: what was logged out stays so, whatever happens to the server. */
  @Test
  void aLogoutOutlivesAKill() throws IOException {
    String cookie = logIn("{\"token\":\"" + rig.api().token() + "\"}");
    String other = logIn("{\"token\":\"" + rig.api().token() + "\"}");
    assertThat(withCookie("POST", "/logout", cookie).status()).isEqualTo(204);
    rig.restart();
    assertThat(withCookie("GET", "/api/v1/status", cookie).status()).isEqualTo(401);
    assertThat(withCookie("GET", "/api/v1/status", other).status()).isEqualTo(200);
  }

  /** What is said after it is heard by nobody who logged out before. */
  @Test
  void aLogoutEndsTheStreamsOfItsSessionAtOnceAndNoOthers() throws Exception {
    String cookie = logIn("{\"token\":\"" + ANN + "\"}");
    String other = logIn("{\"token\":\"" + ANN + "\"}");
    try (RawClient ended = stream(cookie);
        RawClient open = stream(other)) {
      assertThat(withCookie("POST", "/logout", cookie).status()).isEqualTo(204);
      Answer said =
          as(ANN, "POST", "/api/v1/threads/after/messages", "{\"text\":\"after the logout\"}");
      assertThat(said.status()).isEqualTo(202);
      StringBuilder heard = new StringBuilder();
      Await.until(
          "the other session hears of it",
          Duration.ofSeconds(10),
          () -> heard.append(open.hear(Duration.ofMillis(200))).indexOf("after the logout") >= 0);
      assertThat(ended.hear(Duration.ofSeconds(1))).doesNotContain("after the logout");
    }
  }

  private RawClient stream(String cookie) throws IOException {
    RawClient client = new RawClient(rig.setup().httpPort());
    client.say("GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\nCookie: " + cookie + "\r\n\r\n");
    Await.until(
        "the stream is open",
        Duration.ofSeconds(10),
        () -> client.hear(Duration.ofMillis(200)).contains(": hello"));
    return client;
  }

  /** Journals and log collectors read what a server prints. */
  @Test
  void noLoginCodeIsPrintedWhereNoTerminalIs() throws Exception {
    assertThat(rig.server().output()).contains("holdfast login-link").doesNotContain("login=");
    String url = rig.api().post("/api/v1/login-links", Map.of()).json().path("url").asText();
    assertThat(url).startsWith(rig.setup().url("/chat?login="));
    String code = url.substring(url.indexOf('=') + 1);
    String cookie = logIn("{\"code\":\"" + code + "\"}");
    assertThat(withCookie("GET", "/api/v1/config", cookie).status()).isEqualTo(200);
    assertThat(as(ANN, "POST", "/api/v1/login-links", "{}").status()).isEqualTo(403);
  }

  private String logIn(String body) throws IOException {
    Answer answer =
        http.post(rig.setup().url("/login"), Map.of("content-type", "application/json"), body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(204);
    return answer.headers().firstValue("set-cookie").orElseThrow().split(";", 2)[0];
  }

  private Answer withCookie(String method, String route, String cookie) throws IOException {
    return http.send(
        method,
        rig.setup().url(route),
        Map.of(
            "cookie",
            cookie,
            "origin",
            "http://127.0.0.1:" + rig.setup().httpPort(),
            "content-type",
            "application/json"),
        method.equals("POST") ? "{}" : "");
  }

  /** Row S60. */
  @Test
  void anIdempotencyKeyIsHonoured() throws IOException {
    int before = accepted();
    Answer first = keyed("key-1", "{\"text\":\"pay once\"}");
    Answer again = keyed("key-1", "{\"text\":\"pay once\"}");
    assertThat(first.status()).isEqualTo(202);
    assertThat(again.status()).isEqualTo(202);
    assertThat(again.json().path("event_id")).isEqualTo(first.json().path("event_id"));
    assertThat(accepted()).isEqualTo(before + 1);
    assertThat(keyed("key-1", "{\"text\":\"pay more\"}").status()).isEqualTo(409);
    assertThat(keyed("k".repeat(10_240), "{\"text\":\"x\"}").status()).isIn(400, 431);
    assertThat(accepted()).isEqualTo(before + 1);
  }

  private Answer keyed(String key, String body) throws IOException {
    return http.post(
        rig.setup().url("/api/v1/threads/keyed-by-operator/messages"),
        Map.of(
            "authorization",
            "Bearer " + rig.api().token(),
            "content-type",
            "application/json",
            "idempotency-key",
            key),
        body);
  }

  private Answer as(String token, String method, String route, String body) throws IOException {
    return http.send(
        method,
        rig.setup().url(route),
        Map.of("authorization", "Bearer " + token, "content-type", "application/json"),
        body);
  }
}
