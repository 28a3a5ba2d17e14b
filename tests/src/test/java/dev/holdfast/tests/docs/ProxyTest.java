package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.WebhookSender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** What docs/proxy.md says, with the proxies themselves; only ports and paths are others. */
@Outside(
    covers = {
      "docs/proxy.md",
      "tests/src/test/java/dev/holdfast/tests/docs/ReverseProxy.java",
      "server/src/main/java/dev/holdfast/ingress/wire/HttpConfig.java",
      "server/src/main/java/dev/holdfast/ingress/wire/HostNames.java"
    },
    needs = {"nginx:nginx", "caddy:caddy", "curl:curl", "openssl:openssl"})
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProxyTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Pattern LOCATIONS =
      Pattern.compile("^ +location .*\\n    }\\n", Pattern.MULTILINE | Pattern.DOTALL);

  private final ServerRig rig = new ServerRig();
  private final FakeModel model = new FakeModel();
  private final int publicPort = ReverseProxy.freePort(rig.folder());

  @BeforeAll
  void start() {
    model.asOpenAi(rig.setup());
    rig.setup().set("http.public_url", "https://" + ReverseProxy.HOST + ":" + publicPort);
    rig.start();
  }

  @AfterAll
  void stop() {
    rig.close();
    model.close();
  }

  @Test
  void caddyPassesOnEverythingButProbes() throws Exception {
    Commands.assumePresent("curl");
    try (ReverseProxy caddy = caddy(block("caddyfile", 0))) {
      logsInStreamsAndDelivers(caddy, "caddy");
    }
  }

  @Test
  void nginxPassesOnEverythingButProbes() throws Exception {
    Commands.assumePresent("curl");
    try (ReverseProxy nginx = nginx(block("nginx", 0))) {
      logsInStreamsAndDelivers(nginx, "nginx");
      assertThat(nginx.status("/chat", "-H", "Host: evil.example")).isEqualTo(403);
    }
  }

  @Test
  void caddyPassesOnNothingButWebhooks() throws Exception {
    Commands.assumePresent("curl");
    try (ReverseProxy caddy = caddy(block("caddyfile", 1))) {
      deliversAndHidesTheRest(caddy, "caddy");
    }
  }

  @Test
  void nginxPassesOnNothingButWebhooks() throws Exception {
    Commands.assumePresent("curl");
    String whole = block("nginx", 0);
    String narrowed =
        LOCATIONS.matcher(whole).replaceFirst(Matcher.quoteReplacement(block("nginx", 1)));
    assertThat(narrowed).contains("location /webhooks/").doesNotContain("location ~");
    try (ReverseProxy nginx = nginx(narrowed)) {
      deliversAndHidesTheRest(nginx, "nginx");
    }
  }

  /** No Traefik is at hand, so that its files are at least whole and name one another's parts. */
  @Test
  void traefiksFilesFitTogether() throws Exception {
    YAMLMapper yaml = new YAMLMapper();
    JsonNode fixed = yaml.readTree(block("yaml", 1));
    JsonNode http = yaml.readTree(block("yaml", 2)).path("http");
    JsonNode router = http.path("routers").path("holdfast");
    JsonNode service = http.path("services").path(router.path("service").asText());
    JsonNode balancer = service.path("loadBalancer");
    assertThat(fixed.path("entryPoints").has(router.path("entryPoints").path(0).asText())).isTrue();
    assertThat(fixed.path("certificatesResolvers").has(router.at("/tls/certResolver").asText()))
        .isTrue();
    assertThat(fixed.at("/providers/file/filename").asText()).endsWith("/holdfast.yaml");
    assertThat(fixed.path("entryPoints").findValue("to").asText())
        .isEqualTo(router.path("entryPoints").path(0).asText());
    assertThat(http.path("serversTransports").has(balancer.path("serversTransport").asText()))
        .isTrue();
    assertThat(balancer.at("/servers/0/url").asText()).isEqualTo("http://127.0.0.1:8080");
    assertThat(router.path("rule").asText())
        .startsWith("Host(`" + ReverseProxy.HOST + "`)")
        .contains("!Path(`/live`)", "!Path(`/ready`)", "!Path(`/health`)");
  }

  private void logsInStreamsAndDelivers(ReverseProxy proxy, String name) throws Exception {
    String cookie = logIn(proxy);
    assertThat(proxy.status("/chat")).isEqualTo(200);
    assertThat(proxy.status("/api/v1/status")).isEqualTo(401);
    assertThat(proxy.status("/api/v1/status", "-b", cookie)).isEqualTo(200);
    for (String hidden : List.of("/metrics", "/live", "/ready", "/health")) {
      assertThat(proxy.status(hidden)).as(hidden).isEqualTo(404);
    }
    streams(proxy, name, cookie);
    delivers(proxy, name + "-hook");
  }

  private String logIn(ReverseProxy proxy) throws Exception {
    String head =
        proxy.curl(
            "/login",
            List.of(
                "-i",
                "-H",
                "Origin: https://" + ReverseProxy.HOST + ":" + publicPort,
                "--json",
                "{\"token\":\"" + rig.api().token() + "\"}"));
    assertThat(head).containsPattern("HTTP/\\S+ 204").contains("; Secure");
    Matcher cookie = Pattern.compile("(holdfast_session=[^;]+)").matcher(head);
    assertThat(cookie.find()).as(head).isTrue();
    return cookie.group(1);
  }

  /** The model has begun to answer and goes on only when it is stopped. */
  private void streams(ReverseProxy proxy, String name, String cookie) throws Exception {
    Path heard = rig.folder().resolve(name + "-stream.txt");
    Process stream = proxy.follow("/api/v1/stream", heard, "-b", cookie);
    try {
      Await.until("the stream is open", LIMIT, () -> Files.readString(heard).contains(": hello"));
      model.next(ModelScript.stallStream());
      String event = say(proxy, name, cookie, "hello");
      Await.until(
          "the beginning of the answer is there",
          LIMIT,
          () -> Files.readString(heard).contains("PARTIAL-TEXT"));
      assertThat(rig.api().state(event)).isEqualTo("running");
      String thread = rig.api().event(event).path("thread_id").asText();
      assertThat(rig.api().post("/api/v1/threads/" + thread + "/stop", Map.of()).isAccepted())
          .isTrue();
      rig.api().awaitState(event, Set.of("cancelled"), LIMIT);
      say(proxy, name, cookie, "and again");
      Await.until(
          "so is the next answer",
          LIMIT,
          () -> Files.readString(heard).contains("answer to and again"));
    } finally {
      stream.destroyForcibly();
    }
  }

  private String say(ReverseProxy proxy, String thread, String cookie, String text)
      throws Exception {
    String answer =
        proxy.curl(
            "/api/v1/threads/" + thread + "/messages",
            List.of(
                "-b",
                cookie,
                "-H",
                "Origin: https://" + ReverseProxy.HOST + ":" + publicPort,
                "--json",
                "{\"text\":\"" + text + "\"}"));
    Matcher id = Pattern.compile("\"event_id\" ?: ?\"([^\"]+)\"").matcher(answer);
    assertThat(id.find()).as(answer).isTrue();
    return id.group(1);
  }

  private void delivers(ReverseProxy proxy, String id) throws Exception {
    String body = WebhookSender.body(id, "hello from outside");
    Map<String, String> headers = rig.sender().headers(id, body);
    String path = "/webhooks/webhook/ci";
    String changed = body.replace("hello", "hullo");
    assertThat(proxy.post(path, headers, changed)).isEqualTo(401);
    assertThat(proxy.post(path, headers, body)).isBetween(200, 299);
    assertThat(rig.platform().awaitPost(id, LIMIT).text())
        .isEqualTo("answer to hello from outside");
  }

  private void deliversAndHidesTheRest(ReverseProxy proxy, String name) throws Exception {
    delivers(proxy, name + "-only-hook");
    for (String hidden : List.of("/", "/chat", "/api/v1/status", "/openapi.yaml", "/ready")) {
      assertThat(proxy.status(hidden)).as(hidden).isEqualTo(404);
    }
  }

  private static String block(String language, int index) throws IOException {
    return PageCommands.of("proxy.md", language).blocks().get(index);
  }

  private ReverseProxy caddy(String config) throws IOException {
    return ReverseProxy.caddy(local(config), rig.folder(), publicPort);
  }

  private ReverseProxy nginx(String config) throws IOException {
    return ReverseProxy.nginx(local(config), rig.folder(), publicPort);
  }

  private String local(String config) {
    assertThat(config).contains(ReverseProxy.HOST);
    return config.replace("127.0.0.1:8080", "127.0.0.1:" + rig.setup().httpPort());
  }
}
