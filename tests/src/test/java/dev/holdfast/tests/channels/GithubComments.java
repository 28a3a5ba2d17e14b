package dev.holdfast.tests.channels;

import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.get;
import static com.github.tomakehurst.wiremock.client.WireMock.jsonResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathEqualTo;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathMatching;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** As much of GitHub as a comment that is delivered and its answer need, by WireMock. */
final class GithubComments implements ServedPlatform {
  private static final String SECRET = "secret-of-github-comments";
  private static final int FIRST_ISSUE = 7;
  private static final Map<String, Object> REPOSITORY =
      Map.of(
          "id",
          500,
          "full_name",
          "octocat/hello",
          "owner",
          Map.of("id", 40, "login", "octocat"),
          "permissions",
          Map.of("pull", true, "push", false));

  private final WireMockServer server =
      new WireMockServer(WireMockConfiguration.options().bindAddress("127.0.0.1").dynamicPort());
  private final Http http = new Http();
  private String webhook = "";
  private int comments = 100;

  GithubComments() {
    server.start();
    server.stubFor(any(anyUrl()).atPriority(10).willReturn(okJson("[]")));
    server.stubFor(
        get(urlPathEqualTo("/user"))
            .willReturn(okJson("{\"id\":900,\"login\":\"holdfast-bot\",\"type\":\"User\"}")));
    server.stubFor(
        get(urlPathEqualTo("/repos/octocat/hello")).willReturn(okJson(Json.write(REPOSITORY))));
    server.stubFor(
        post(urlPathMatching("/repos/octocat/hello/issues/[0-9]+/comments"))
            .willReturn(jsonResponse("{\"id\":4711}", 201)));
  }

  @Override
  public String plugin() {
    return "github";
  }

  @Override
  public String origin() {
    return "http://127.0.0.1:" + server.port();
  }

  @Override
  public synchronized void configure(Setup setup, String origin) {
    setup
        .set("channels.github.base_url", origin)
        .setNamed(
            "channels.github.accounts",
            "main",
            Map.of(
                "token",
                "ghp_canary",
                "repositories",
                List.of("octocat/hello"),
                "mode",
                "webhook",
                "webhook_secret",
                SECRET,
                "allow",
                Map.of("chats", List.of("500"))));
    webhook = setup.url("/webhooks/github/main");
  }

  @Override
  public synchronized String say(int person, String text) throws IOException {
    comments++;
    String now = Instant.now().toString();
    Map<String, Object> comment =
        Map.of(
            "id",
            comments,
            "body",
            "@holdfast-bot " + text,
            "user",
            Map.of("id", 7, "login", "alice", "type", "User"),
            "author_association",
            "MEMBER",
            "created_at",
            now,
            "updated_at",
            now);
    String body =
        Json.write(
            Map.of(
                "action",
                "created",
                "repository",
                REPOSITORY,
                "issue",
                Map.of("number", FIRST_ISSUE + person),
                "comment",
                comment));
    Answer answer =
        http.post(
            webhook,
            Map.of(
                "content-type",
                "application/json",
                "x-github-event",
                "issue_comment",
                "x-github-delivery",
                "delivery-" + comments,
                "x-hub-signature-256",
                signature(body)),
            body);
    if (answer.status() / 100 != 2) {
      throw new IOException("it was not taken: " + answer.status());
    }
    return Integer.toString(comments);
  }

  private static String signature(String body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return "sha256="
          + HexFormat.of().formatHex(mac.doFinal(body.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public List<String> shown(int person) {
    return server
        .findAll(
            postRequestedFor(
                urlPathEqualTo(
                    "/repos/octocat/hello/issues/" + (FIRST_ISSUE + person) + "/comments")))
        .stream()
        .map(LoggedRequest::getBodyAsString)
        .map(body -> Json.read(body).path("body").asText())
        .toList();
  }

  @Override
  public void close() {
    server.stop();
  }
}
