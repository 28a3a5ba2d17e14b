package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.PlatformMode;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is not well is told in the same words wherever somebody looks, and ends everywhere. */
@Timeout(180)
class ConditionsShownTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig ->
              rig.setup()
                  .set("breakers.default.initial_backoff_ms", 60_000)
                  .set("breakers.default.max_backoff_ms", 60_000));

  private final ServerRig rig = SERVED.rig();

  @Test
  void aBreakerAndABadConfigurationAreTheSameConditionsEverywhere() throws Exception {
    rig.converse(SERVED.thread(), "t", "hello"); // the guards are made with their first call
    Await.until("nothing is told of before", LIMIT, () -> told().isEmpty());
    assertThat(metric("breaker")).isZero();
    rig.setup().set("nonsense", 1).write();
    String breaker = breaker();
    rig.api().post("/api/v1/breakers/" + ServerApi.encode(breaker) + "/trip", Map.of());
    Await.until("both are told", LIMIT, () -> told().size() == 2);

    List<JsonNode> all = told();
    assertThat(all)
        .extracting(condition -> condition.path("type").asText())
        .containsExactly("breaker/" + breaker, "configuration");
    assertThat(all)
        .extracting(condition -> condition.path("reason").asText())
        .containsExactly("open_by_hand", "file_refused");
    assertThat(all.getFirst().path("exit_rule").asText()).contains("reset by hand");
    assertThat(all.getLast().path("message").asText()).contains("nonsense");
    for (String probe : List.of("/ready", "/health")) {
      JsonNode health = new Http().get(rig.setup().url(probe), Map.of()).json();
      assertThat(health.path("status").asText()).isEqualTo("UP");
      assertThat(ofChecks(health)).as(probe).isEqualTo(all);
    }
    assertThat(list(rig.api().get("/api/v1/status").json())).isEqualTo(all);
    assertThat(list(holdfast("status", "--json"))).isEqualTo(all);
    assertThat(list(holdfast("doctor", "--json"))).isEqualTo(all);
    assertThat(metric("breaker")).isEqualTo(1);
    assertThat(metric("configuration")).isEqualTo(1);

    rig.setup().unset("nonsense").write(); // each command writes it down again
    rig.api().post("/api/v1/breakers/" + ServerApi.encode(breaker) + "/reset", Map.of());
    Await.until("both are over", LIMIT, () -> told().isEmpty());
    assertThat(ofChecks(new Http().get(rig.setup().url("/health"), Map.of()).json())).isEmpty();
    assertThat(list(holdfast("status", "--json"))).isEmpty();
    assertThat(metric("breaker") + metric("configuration")).isZero();
  }

  @Test
  void repliesThatWaitForAnAccountThatIsGoneAreCounted() throws Exception {
    rig.platform().always(PlatformMode.UNAVAILABLE);
    int posts = rig.platform().posts().size();
    rig.accept(SERVED.thread(), "t", "hello");
    Await.until("a post is refused", LIMIT, () -> rig.platform().posts().size() > posts);
    assertThat(rig.server().stop()).isZero(); // a kill would leave its outcome unknown
    rig.setup().set("channels.webhook.accounts", Map.of());
    rig.start();
    Await.until("it is told", LIMIT, () -> ofChannel().isPresent());
    JsonNode told = ofChannel().orElseThrow();
    assertThat(told.path("reason").asText()).isEqualTo("absent");
    assertThat(told.path("message").asText())
        .contains("webhook:ci", " 1 reply waits for it since 2");
    rig.platform().always(PlatformMode.ACCEPT);
    rig.setup()
        .setNamed(
            "channels.webhook.accounts",
            "ci",
            Map.of(
                "secret",
                ServerRig.SECRET,
                "reply_url",
                rig.platform().replyUrl(),
                "allow",
                List.of("*")));
    assertThat(rig.server().stop()).isZero(); // or the next test would be told of the kill
    rig.start();
    rig.platform().awaitPost(SERVED.thread(), LIMIT);
  }

  private Optional<JsonNode> ofChannel() throws IOException {
    return told().stream()
        .filter(condition -> condition.path("type").asText().equals("channel/webhook:ci"))
        .findFirst();
  }

  private String breaker() throws IOException {
    return rig.api().get("/api/v1/breakers").json().path("breakers").findPath("name").asText();
  }

  private List<JsonNode> told() throws IOException {
    return list(rig.api().get("/api/v1/conditions").json());
  }

  private static List<JsonNode> list(JsonNode answer) {
    List<JsonNode> all = new ArrayList<>();
    answer.path("conditions").forEach(all::add);
    return all;
  }

  private static List<JsonNode> ofChecks(JsonNode health) {
    List<JsonNode> all = new ArrayList<>();
    health.path("checks").forEach(check -> all.addAll(list(check.path("data"))));
    return all;
  }

  private double metric(String type) throws IOException {
    return rig.metrics().sum("holdfast_conditions", "type=\"" + type + "\"", "status=\"degraded\"");
  }

  private JsonNode holdfast(String... arguments) throws IOException {
    return HoldfastCommand.run(rig.setup(), arguments).json();
  }
}
