package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.PlatformMode;
import dev.holdfast.tests.harness.Rig;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Rows S56 and S57, invariant I7: no configured secret is found anywhere but where it was
 * configured.
 */
@Timeout(90)
class CanaryTest {
  private static final String TOKEN = "canary-token-7f3a9b1c2d4e5f60";
  private static final String READER = "canary-reader-00aa11bb22cc33dd";

  @Test
  void secretsAreFoundNowhere() throws IOException {
    try (Rig rig = new Rig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      rig.setup().env("HOLDFAST_TOKEN", TOKEN);
      // The configuration names its secrets by reference, so that its last good copy need not hold
      // them either.
      rig.setup().env("CANARY_KEY", FakeModel.KEY).env("CANARY_READER", READER);
      rig.setup().env("CANARY_SECRET", Rig.SECRET);
      rig.setup().set("models.providers.openai.api_key", "${CANARY_KEY}");
      rig.setup().set("channels.webhook.accounts.ci.secret", "${CANARY_SECRET}");
      rig.setup()
          .set(
              "api.tokens",
              List.of(
                  Map.of(
                      "name", "reader", "token", "${CANARY_READER}", "scopes", List.of("read"))));
      rig.setup().set("models.retry.server_error.initial_backoff_ms", 100);
      // A provider that repeats the key in its error, as some do.
      model.next(
          ModelScript.status(
              400, Map.of(), "invalid_request_error", "bad request with key " + FakeModel.KEY),
          ModelScript.status(
              500, Map.of(), "server_error", "boom, Authorization: Bearer " + FakeModel.KEY),
          ModelScript.reset());
      rig.start();
      Http http = new Http();
      Map<String, String> bearer = Map.of("authorization", "Bearer " + TOKEN);
      List<String> seen = new ArrayList<>();
      rig.accept("e1", "t", "hello");
      rig.platform().awaitPost("e1", Duration.ofSeconds(20));
      rig.accept("e2", "t", "hello again");
      rig.platform().awaitText("e2", "answer to", Duration.ofSeconds(20));
      rig.platform().always(PlatformMode.GONE);
      rig.accept("e3", "t", "to nobody");
      Await.until(
          "e3 was tried",
          Duration.ofSeconds(20),
          () -> rig.platform().posts().stream().anyMatch(post -> post.inReplyTo().equals("e3")));
      for (String path :
          List.of(
              "/api/v1/config",
              "/api/v1/status",
              "/api/v1/events/e1",
              "/api/v1/events/e2",
              "/api/v1/events/e3",
              "/api/v1/dead-letters",
              "/api/v1/breakers",
              "/api/v1/threads",
              "/api/v1/usage",
              "/ready",
              "/live",
              "/health",
              "/nowhere",
              "/api/v1/nowhere")) {
        seen.add(http.get(rig.setup().url(path), bearer).body());
      }
      seen.add(rig.metrics().text());
      rig.platform().posts().forEach(post -> seen.add(post.text()));
      rig.server().stop();
      seen.add(rig.server().output());
      assertNoSecret(seen, rig.setup().dataDir());
    }
  }

  private static void assertNoSecret(List<String> seen, Path data) throws IOException {
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        seen.add(file + "\n" + text);
      }
    }
    for (String secret : Set.of(FakeModel.KEY, TOKEN, READER, Rig.SECRET)) {
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
