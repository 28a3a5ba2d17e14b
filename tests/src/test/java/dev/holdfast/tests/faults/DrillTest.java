package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.LoadDriver;
import dev.holdfast.tests.harness.SentEvent;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Each drill on the real server under load: nothing is lost or doubled, each promise holds. How
 * long each fault lasts: {@code -Dholdfast.drill_secs}.
 */
@Timeout(900)
class DrillTest {
  private static final int SECS = Integer.getInteger("holdfast.drill_secs", 3);
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int PER_SECOND = 10;
  private static final int THREADS = 10;
  private static final Path SERVER =
      Path.of("../server/src/test/resources/extensions/mcp_server.py").toAbsolutePath().normalize();

  @RegisterExtension static final Served SERVED = Served.aloneWithModel(DrillTest::configure);

  private final ServerRig rig = SERVED.rig();
  private final String id = SERVED.thread();

  private static void configure(ServerRig rig) {
    List<String> python = List.of(Commands.PYTHON, "-c", text(SERVER).replace("${", "$${"));
    rig.setup()
        .set("breakers.default.initial_backoff_ms", 500)
        .set("breakers.default.max_backoff_ms", 1_000)
        .set("models.retry.server_error.initial_backoff_ms", 200)
        .set(
            "extensions",
            List.of(
                new AgentScript(rig, "worker").declaration(),
                Map.of("id", "demo", "command", python)))
        .set(
            "agents",
            Map.of(
                "default",
                Map.of(
                    "retry",
                    Map.of("max_attempts", 3, "initial_backoff_ms", 500),
                    "circuit_breaker",
                    Map.of("failure_threshold", 2, "cooldown_ms", 1_000))));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void eachPromiseHoldsUnderLoad() throws Exception {
    Await.until(
        "demo serves",
        LIMIT,
        () ->
            rig.api().get("/api/v1/extensions/demo").json().path("state").asText().equals("ready"));
    SoftAssertions all = new SoftAssertions();
    List<SentEvent> sent = new ArrayList<>();
    for (JsonNode drill : rig.api().get("/api/v1/drills").json().path("drills")) {
      String name = drill.path("name").asText();
      try (LoadDriver load = new LoadDriver(rig, id + name).start(PER_SECOND, THREADS)) {
        JsonNode report = run(name);
        System.out.printf("drill %s: %s%n", name, summary(report));
        load.stop(LIMIT);
        sent.addAll(load.events());
        for (JsonNode promise : report.path("promises")) {
          all.assertThat(promise.path("held").asText())
              .as("%s: %s (%s)", name, promise.path("text").asText(), promise.path("why"))
              .isIn("yes", "untested");
        }
        all.assertThat(report.path("strikes").asInt()).as("%s struck", name).isPositive();
        // What is being stored while the disk begins or ends to refuse may be accepted too.
        all.assertThat(report.path("events").path("accepted").asInt() > THREADS)
            .as("%s: messages are accepted unless the disk refuses", name)
            .isEqualTo(!name.equals("disk-refuses"));
      }
    }
    all.assertAll();
    rig.api().awaitQuiet(LIMIT);
    assertThat(sent).isNotEmpty();
    for (SentEvent event : sent) {
      assertThat(event.acked()).isTrue();
      List<String> answers =
          rig.platform().posts().stream()
              .filter(post -> post.inReplyTo().equals(event.id()))
              .filter(post -> post.text().contains(event.token()))
              .map(post -> post.replyId() + " " + post.text())
              .toList();
      assertThat(answers).as("%s is answered once", event.id()).hasSize(1);
    }
  }

  private JsonNode run(String name) throws Exception {
    try (HoldfastCommand drill =
        HoldfastCommand.start(
            rig.setup(), "drill", "run", name, "--for", String.valueOf(SECS), "--json")) {
      if (name.equals("agent-crashes")) {
        awaitCondition();
        rig.api()
            .post(
                "/api/v1/plans", Map.of("agent", "worker", "action", "look", "payload", Map.of()));
      }
      HoldfastCommand.Result result = drill.await(Duration.ofSeconds(SECS + 200L));
      assertThat(result.out()).as(result.err()).isNotBlank();
      return result.json();
    }
  }

  private void awaitCondition() {
    Await.until(
        "the drill is shown",
        LIMIT,
        () ->
            rig.api().get("/api/v1/conditions").json().findValuesAsText("type").contains("drill"));
  }

  private static String summary(JsonNode report) {
    return "struck %s, %s, counts %s, looks %s of which %s not ready"
        .formatted(
            report.path("strikes"),
            report.path("events"),
            report.path("counts"),
            report.path("looks"),
            report.path("looks_not_ready"));
  }

  @Test
  void aRestartEndsAnyAndOneRunsAtATime() throws Exception {
    Map<String, Object> away = Map.of("name", "model-away", "for_secs", 300);
    assertThat(rig.api().post("/api/v1/drills", away).status()).isEqualTo(200);
    assertThat(rig.api().post("/api/v1/drills", away).status()).isEqualTo(409);
    Map<String, Object> endless = Map.of("name", "model-away", "for_secs", 301);
    assertThat(rig.api().post("/api/v1/drills", endless).status()).isEqualTo(400);
    awaitCondition();
    rig.accept(id + "kept", "t", "are you there?");
    assertThat(rig.platform().awaitPost(id + "kept", LIMIT).text()).contains("I have your message");
    rig.restart();
    rig.platform().awaitText(id + "kept", "answer to are you there?", LIMIT);
    JsonNode drills = rig.api().get("/api/v1/drills").json();
    assertThat(drills.path("runs")).isEmpty();
    JsonNode audit = rig.api().get("/api/v1/audit").json().path("entries");
    assertThat(audit.findValuesAsText("what")).contains("operator.drill_start");
  }
}
