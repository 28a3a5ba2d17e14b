package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CallScript;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.PlatformMode;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Rows S56 and S57, invariant I7: no configured secret is found anywhere but where it was
 * configured.
 */
@Timeout(120)
class CanaryTest {
  private static final String TOKEN = "canary-token-7f3a9b1c2d4e5f60";
  private static final String READER = "canary-reader-00aa11bb22cc33dd";
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Map<String, String> BEARER = Map.of("authorization", "Bearer " + TOKEN);

  private final ShellRig shell = new ShellRig();
  private final ServerRig rig = shell.rig();
  private final FakeModel model = new FakeModel().asOpenAi(rig.setup());
  private final Http http = new Http();
  private final List<String> seen = new ArrayList<>();

  @AfterEach
  void close() {
    shell.close();
    model.close();
  }

  @Test
  void secretsAreFoundNowhere() throws Exception {
    configure();
    rig.start();
    try (HttpClient client = HttpClient.newHttpClient();
        InputStream stream = openStream(client)) {
      talk();
      callTools();
      postToNobody();
      askForEverything();
      assertThat(rig.server().stop()).isZero();
      String news = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      assertThat(news).contains("event: event.finished", "event: approval.");
      seen.add(news);
    }
    rig.platform().posts().forEach(post -> seen.add(post.text()));
    seen.add(rig.server().output());
    readFiles();
    assertNoSecret();
  }

  /**
   * The configuration names its secrets by reference, so that its last good copy need not hold them
   * either.
   */
  private void configure() {
    rig.setup().env("HOLDFAST_TOKEN", TOKEN);
    rig.setup().env("CANARY_KEY", FakeModel.KEY).env("CANARY_READER", READER);
    rig.setup().env("CANARY_SECRET", ServerRig.SECRET);
    rig.setup().set("models.providers.openai.api_key", "${CANARY_KEY}");
    rig.setup().set("channels.webhook.accounts.ci.secret", "${CANARY_SECRET}");
    Map<String, Object> reader =
        Map.of("name", "reader", "token", "${CANARY_READER}", "scopes", List.of("read"));
    rig.setup().set("api.tokens", List.of(reader));
    rig.setup().set("models.retry.server_error.initial_backoff_ms", 100);
    rig.setup().set("tools.autonomy", "supervised");
  }

  /** What the server tells of itself from here to its end. */
  private InputStream openStream(HttpClient client) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(rig.setup().url("/api/v1/stream")));
    BEARER.forEach(request::header);
    return client.send(request.build(), BodyHandlers.ofInputStream()).body();
  }

  /** With a provider that repeats the key in its errors, as some do. */
  private void talk() {
    model.next(
        ModelScript.status(
            400, Map.of(), "invalid_request_error", "bad request with key " + FakeModel.KEY),
        ModelScript.status(
            500, Map.of(), "server_error", "boom, Authorization: Bearer " + FakeModel.KEY),
        ModelScript.reset());
    rig.accept("e1", "t", "hello");
    rig.platform().awaitPost("e1", LIMIT);
    rig.accept("e2", "t", "hello again");
    rig.platform().awaitText("e2", "answer to", LIMIT);
  }

  /**
   * The child writes its environment into a file, because what it says is searched for secrets
   * before anybody sees it.
   */
  private void callTools() {
    String line = "env > environment; cat /proc/self/environ >> environment; env";
    callTool("e3", "shell", Map.of("command", line));
    assertThat(shell.scratch("t").resolve("environment")).content().contains("PATH=");
    callTool("e4", "write_file", Map.of("path", "file", "content", "written by a tool"));
    assertThat(shell.scratch("t").resolve("file")).hasContent("written by a tool");
  }

  private void callTool(String event, String tool, Map<String, Object> arguments) {
    model.next(CallScript.call("call-" + event, tool, arguments), ModelScript.answer(_ -> "done"));
    rig.accept(event, "t", "do something");
    Await.until(
        event + " is answered",
        LIMIT,
        () -> {
          approveAll();
          return rig.platform().shownFor(event).stream()
              .anyMatch(post -> post.text().equals("done"));
        });
  }

  private void approveAll() throws IOException {
    Map<String, String> json = new HashMap<>(BEARER);
    json.put("content-type", "application/json");
    for (String id : get("/api/v1/approvals").json().path("approvals").findValuesAsText("id")) {
      http.post(rig.setup().url("/api/v1/approvals/" + id + "/approve"), json, "{}");
    }
  }

  private void postToNobody() {
    rig.platform().always(PlatformMode.GONE);
    rig.accept("e5", "t", "to nobody");
    Await.until(
        "e5 was tried",
        LIMIT,
        () -> rig.platform().posts().stream().anyMatch(post -> post.inReplyTo().equals("e5")));
  }

  private void askForEverything() throws IOException {
    Set<String> paths =
        new LinkedHashSet<>(
            List.of(
                "/ready",
                "/live",
                "/health",
                "/chat",
                "/openapi.yaml",
                "/api/v1/config",
                "/api/v1/status",
                "/api/v1/dead-letters",
                "/api/v1/breakers",
                "/api/v1/conditions",
                "/api/v1/usage",
                "/api/v1/schedules",
                "/api/v1/approvals?state=all",
                "/api/v1/audit",
                "/api/v1/audit/verify",
                "/api/v1/threads"));
    for (String event : List.of("e1", "e2", "e3", "e4", "e5")) {
      paths.add("/api/v1/events/" + event);
    }
    for (String thread : named("/api/v1/threads", "thread_id")) {
      paths.add("/api/v1/threads/" + ServerApi.encode(thread));
      paths.add("/api/v1/threads/" + ServerApi.encode(thread) + "/log");
    }
    for (String execution : named("/api/v1/audit", "execution")) {
      paths.add("/api/v1/executions/" + ServerApi.encode(execution));
    }
    for (String path : paths) {
      Answer answer = get(path);
      assertThat(answer.status()).as(path).isEqualTo(200);
      seen.add(answer.body());
    }
    for (String path : List.of("/nowhere", "/api/v1/nowhere", "/api/v1/executions/nowhere")) {
      seen.add(get(path).body());
    }
    seen.add(http.get(rig.setup().url("/api/v1/config"), Map.of()).body());
    seen.add(rig.metrics().text());
  }

  /** All that a list calls by this name; something is there, or nothing would be looked at. */
  private Set<String> named(String list, String name) throws IOException {
    JsonNode found = get(list).json();
    Set<String> values = new LinkedHashSet<>(found.findValuesAsText(name));
    values.remove("");
    assertThat(values).as(list).isNotEmpty();
    return values;
  }

  private Answer get(String path) throws IOException {
    return http.get(rig.setup().url(path), BEARER);
  }

  private void readFiles() throws IOException {
    try (Stream<Path> files = Files.walk(rig.setup().dataDir())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        seen.add(file + "\n" + text);
      }
    }
  }

  private void assertNoSecret() {
    for (String secret : Set.of(FakeModel.KEY, TOKEN, READER, ServerRig.SECRET)) {
      for (String form : forms(secret)) {
        for (String text : seen) {
          assertThat(text.contains(form))
              .as("'%s' in: %s", form, text.substring(0, Math.min(300, text.length())))
              .isFalse();
        }
      }
    }
  }

  private static List<String> forms(String secret) {
    byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
    return List.of(
        secret,
        secret.replace("whsec_", ""),
        Base64.getEncoder().withoutPadding().encodeToString(bytes),
        URLEncoder.encode(secret, StandardCharsets.UTF_8));
  }
}
