package dev.holdfast.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ingress.login.Sessions;
import dev.holdfast.ingress.wire.HttpConfig;
import dev.holdfast.time.ManualTime;
import java.lang.module.ModuleDescriptor.Version;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RequestRouterTest {
  private static final String STATUS = "/api/v1/status";
  private static final String HOOK = "/webhooks/webhook/ci";

  @AutoClose private IngressRig rig;

  @BeforeEach
  void start() throws Exception {
    rig =
        new IngressRig(
            free ->
                new HttpConfig(
                    free.host(),
                    0,
                    "https://bot.example.org",
                    List.of("box.lan"),
                    free.maxBodyBytes(),
                    free.headerTimeout(),
                    free.bodyTimeout(),
                    free.idleTimeout(),
                    free.maxConnections()),
            new ManualTime());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/live", "/ready", "/health"})
  void probesAreOnlyRead(String path) throws Exception {
    assertThat(rig.get(path).status()).isIn(200, 503);
    for (String method : List.of("DELETE", "POST")) {
      Raw.Answer answer = rig.send(Raw.request(method, path, ""));
      assertThat(answer.status()).as(method).isEqualTo(405);
      assertThat(answer.header("allow")).isEqualTo("GET, HEAD");
    }
  }

  /** S26: a name that a stranger made to point here opens nothing. */
  @Test
  void onlyKnownNamesAreAnswered() throws Exception {
    String token = IngressRig.bearer(IngressRig.ADMIN);
    for (String host :
        List.of(
            "localhost",
            "localhost:8080",
            "127.0.0.1:1",
            "[::1]:8080",
            "bot.example.org",
            "BOX.lan:80")) {
      assertThat(rig.get(STATUS, token, "Host: " + host).status()).as(host).isEqualTo(200);
    }
    for (String host :
        List.of(
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil.example:8080",
            "bot.example.org.evil",
            "10.0.0.1",
            "")) {
      assertThat(rig.get(STATUS, token, "Host: " + host).status()).as(host).isEqualTo(403);
      assertThat(rig.get("/chat", "Host: " + host).status()).as(host).isEqualTo(403);
    }
    assertThat(rig.send("GET " + STATUS + " HTTP/1.0\r\n" + token + "\r\n\r\n").status())
        .isEqualTo(403);
    for (String probe : List.of("/live", "/health")) {
      for (String host : List.of("10.0.0.1", "10.0.0.1:80", "[fd00::1]:80", "box.lan")) {
        assertThat(rig.get(probe, "Host: " + host).status()).as(host).isEqualTo(200);
      }
      for (String host : List.of("evil.example", "10.0.0.1.evil.example", "[evil]", "")) {
        assertThat(rig.get(probe, "Host: " + host).status()).as(host).isEqualTo(403);
      }
    }
    assertThat(rig.get("/ready", "Host: evil.example").status()).isEqualTo(403);
    assertThat(rig.send("GET /live HTTP/1.0\r\n\r\n").status()).isEqualTo(200);
    assertThat(rig.post(HOOK, "t|x|m", "x-sign: ok", "Host: hooks.example").status())
        .isEqualTo(200);
  }

  /** S26: a page of somebody else is not served, with or without a token. */
  @Test
  void onlyOwnPagesMayAsk() throws Exception {
    String token = IngressRig.bearer(IngressRig.ADMIN);
    for (String origin :
        List.of(
            "http://evil.example",
            "null",
            "https://localhost:1",
            "file://",
            "http://bot.example.org")) {
      assertThat(rig.get(STATUS, token, "Origin: " + origin).status()).as(origin).isEqualTo(403);
      assertThat(rig.post("/login", "{\"token\":\"x\"}", "Origin: " + origin).status())
          .isEqualTo(403);
    }
    assertThat(rig.get(STATUS, token, "Origin: http://localhost").status()).isEqualTo(200);
    assertThat(rig.get(STATUS, token, "Origin: https://bot.example.org").status()).isEqualTo(200);
    assertThat(rig.get(STATUS, token, "Sec-Fetch-Site: cross-site").status()).isEqualTo(403);
  }

  @Test
  void noOtherPageIsGivenLeave() throws Exception {
    Raw.Answer preflight =
        rig.send(
            Raw.request(
                "OPTIONS",
                STATUS,
                "",
                "Origin: http://localhost",
                "Access-Control-Request-Method: POST"));
    assertThat(preflight.status()).isEqualTo(405);
    Raw.Answer answer =
        rig.get(STATUS, IngressRig.bearer(IngressRig.ADMIN), "Origin: http://localhost");
    assertThat(answer.headers().keySet()).noneMatch(name -> name.startsWith("access-control"));
  }

  /** S17: only the methods that mean something here. */
  @Test
  void otherMethodsAreRefused() throws Exception {
    for (String method :
        List.of("TRACE", "CONNECT", "PUT", "PATCH", "OPTIONS", "PROPFIND", "get", "G")) {
      assertThat(
              rig.send(Raw.request(method, STATUS, "", IngressRig.bearer(IngressRig.ADMIN)))
                  .status())
          .as(method)
          .isEqualTo(405);
    }
    for (String header : List.of("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override")) {
      assertThat(
              rig.post(
                      "/api/v1/dead-letters/d/replay",
                      "",
                      IngressRig.bearer(IngressRig.ADMIN),
                      header + ": DELETE")
                  .status())
          .isEqualTo(405);
    }
    assertThat(rig.send(Raw.request("PUT", HOOK, "t|x|m", "x-sign: ok")).status()).isEqualTo(405);
    assertThat(rig.calls.requests).isEmpty();
  }

  /** S20: nothing is unpacked. */
  @Test
  void compressedBodiesAreRefused() throws Exception {
    for (String coding : List.of("gzip", "deflate", "br", "identity", "gzip, gzip")) {
      assertThat(rig.post(HOOK, "t|x|m", "x-sign: ok", "Content-Encoding: " + coding).status())
          .isEqualTo(415);
    }
    assertThat(rig.inbox.events).isEmpty();
  }

  /** S21: what a form of a stranger's page can send is not taken. */
  @Test
  void onlyJsonIsTaken() throws Exception {
    for (String type :
        List.of(
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "text/plain; application/json",
            "application/jsonx",
            "application/json; charset=utf-16",
            "application/json, text/plain",
            "")) {
      assertThat(rig.post(HOOK, "t|x|m", "x-sign: ok", "Content-Type: " + type).status())
          .as(type)
          .isEqualTo(415);
      assertThat(
              rig.post(
                      "/api/v1/threads/t/messages",
                      "{\"text\":\"x\"}",
                      IngressRig.bearer(IngressRig.ADMIN),
                      "Content-Type: " + type)
                  .status())
          .as(type)
          .isEqualTo(415);
      assertThat(rig.post("/login", "{\"token\":\"x\"}", "Content-Type: " + type).status())
          .isEqualTo(415);
    }
    assertThat(
            rig.send(
                    "POST "
                        + HOOK
                        + " HTTP/1.1\r\n"
                        + "Host: localhost\r\n"
                        + "x-sign: ok\r\n"
                        + "Content-Length: 5\r\n\r\n"
                        + "t|x|m")
                .status())
        .isEqualTo(415);
    assertThat(rig.inbox.events).isEmpty();
    assertThat(
            rig.post(HOOK, "t|x|m", "x-sign: ok", "Content-Type: Application/JSON; charset=UTF-8")
                .status())
        .isEqualTo(200);
  }

  /** S32: a path has one spelling. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/chat",
        "/assets/../chat",
        "/assets/%2e%2e/chat",
        "/assets/..%2fchat.html",
        "/assets/%2e%2e%2fchat.html",
        "/assets/foo%2F..%2Fchat.css",
        "//chat",
        "/chat//",
        "/chat;x",
        "/chat;jsessionid=1",
        "/assets;x/chat.css",
        "/assets\\chat.css",
        "/assets/%5cchat.css",
        "/assets/chat.css%00.png",
        "/./chat",
        "/chat/.",
        "/chat/..",
        "/assets/.",
        "/assets/",
        "/assets",
        "/assets/sub/chat.css",
        "/assets/%63hat.css",
        "/assets/chat.css",
        "/assets/lib/marked.js",
        "/assets/0123456789abcdef0123/chat.css",
        "/assets/0123456789abcdef0123/lib/../../../web/chat.html",
        "/META-INF/MANIFEST.MF",
        "/application.yaml",
        "/logback.xml",
        "/web/chat.html",
        "/CHAT",
        "/chat/",
        "/chat%20",
        "http://localhost/chat",
        "*",
        "chat",
        "/chat#x",
        "/\u00e4",
        "/chat?x=%zz",
        "/webhooks/",
        "/webhooks/webhook%2fci",
        "/webhooks/../api/v1/status",
      })
  void trickyPathsLeadNowhere(String path) throws Exception {
    assertThat(rig.get(path, IngressRig.bearer(IngressRig.ADMIN)).status()).isIn(400, 404);
  }

  @Test
  void probesAnswerAnybody() throws Exception {
    assertThat(rig.get("/live").status()).isEqualTo(200);
    assertThat(rig.get("/ready").status()).isEqualTo(503);
    assertThat(rig.get("/health").body()).contains("UP");
  }

  /** S27: what a browser shows comes from here and stands in no frame. */
  @Test
  void pagesCarryTheHeadersThatBindABrowser() throws Exception {
    for (String path : List.of("/openapi.yaml", "/nothing", "/api/v1/status")) {
      Raw.Answer answer = rig.get(path);
      assertThat(answer.header("content-security-policy"))
          .contains("default-src 'self'")
          .contains("frame-ancestors 'none'")
          .doesNotContain("unsafe");
      assertThat(answer.header("x-content-type-options")).isEqualTo("nosniff");
      assertThat(answer.header("referrer-policy")).isEqualTo("no-referrer");
    }
  }

  /** Through 3.4.12 there are ways around it that are publicly known. */
  @Test
  void whatCleansAnswersOnThePageHasNoKnownHole() throws Exception {
    Raw.Answer script = rig.get(folder() + "lib/dompurify.js");
    assertThat(script.status()).isEqualTo(200);
    Matcher version = Pattern.compile("DOMPurify ([0-9.]+) ").matcher(script.body());
    assertThat(version.find()).isTrue();
    assertThat(Version.parse(version.group(1))).isGreaterThanOrEqualTo(Version.parse("3.4.13"));
  }

  @Test
  void filesAreServedOnceAndThenConfirmed() throws Exception {
    Raw.Answer first = rig.get("/openapi.yaml");
    assertThat(first.status()).isEqualTo(200);
    assertThat(first.body()).startsWith("openapi: 3.1.0");
    Raw.Answer again = rig.get("/openapi.yaml", "If-None-Match: " + first.header("etag"));
    assertThat(again.status()).isEqualTo(304);
    assertThat(rig.get("/").header("location")).isEqualTo("/chat");
    assertThat(rig.send(Raw.request("DELETE", "/openapi.yaml", "")).status()).isEqualTo(405);
  }

  /** So that a browser asks for each of them once, and a new version has new addresses. */
  @Test
  void filesOfThePageAreKeptForGoodAndThePageIsNot() throws Exception {
    assertThat(rig.get("/chat").header("cache-control")).isEqualTo("no-cache");
    Raw.Answer script = rig.get(folder() + "lib/marked.js");
    assertThat(script.status()).isEqualTo(200);
    assertThat(script.header("content-type")).startsWith("text/javascript");
    assertThat(script.header("cache-control")).isEqualTo("public, max-age=31536000, immutable");
    assertThat(rig.get(folder() + "lib/highlight.js").body()).contains("var hljs=");
    assertThat(rig.get(folder() + "lib/katex.js").body()).contains("renderToString");
    assertThat(rig.get(folder() + "styles.css").body()).contains(".composer", ".settings");
    assertThat(rig.get(folder() + "icon-512.png").header("content-type")).isEqualTo("image/png");
    Raw.Answer unknown = rig.get(folder().replaceFirst("[0-9a-f]/$", "x/") + "main.js");
    assertThat(unknown.status()).isEqualTo(404);
    assertThat(unknown.header("cache-control")).isEqualTo("no-store");
  }

  /** So that its frame can be painted before any script has run. */
  @Test
  void thePageSaysWhetherItsReaderIsLoggedIn() throws Exception {
    String session = rig.sessions.openByToken(IngressRig.ADMIN).orElseThrow();
    String cookie = "Cookie: " + Sessions.COOKIE + "=" + session;
    Raw.Answer opened = rig.get("/chat", cookie);
    assertThat(opened.body()).contains("data-view=\"chat\"");
    assertThat(opened.header("vary")).isEqualTo("cookie");
    for (Raw.Answer closed :
        List.of(
            rig.get("/chat"), rig.get("/chat", cookie + "x"), rig.get("/chat?login=x", cookie))) {
      assertThat(closed.body()).contains("data-view=\"loading\"");
      assertThat(closed.header("etag")).isNotEqualTo(opened.header("etag"));
    }
  }

  /** Where this version of the page has its files. */
  private String folder() throws Exception {
    Matcher folder = Pattern.compile("/assets/[0-9a-f]{20}/").matcher(rig.get("/chat").body());
    assertThat(folder.find()).isTrue();
    return folder.group();
  }
}
