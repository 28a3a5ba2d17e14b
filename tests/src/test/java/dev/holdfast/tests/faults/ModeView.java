package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The mode of a running server, wherever somebody looks. */
record ModeView(ServerRig rig) {
  private static final Duration LIMIT = Duration.ofSeconds(150);

  JsonNode now() throws IOException {
    return rig.api().get("/api/v1/mode").json();
  }

  boolean is(String mode, String rule) throws IOException {
    JsonNode now = now();
    return now.path("mode").asText().equals(mode) && now.path("rule").asText().equals(rule);
  }

  void await(String mode, String rule) {
    Await.until(mode + " by " + rule, LIMIT, () -> is(mode, rule));
  }

  JsonNode set(String mode, String reason) throws IOException {
    return rig.api().post("/api/v1/mode", Map.of("mode", mode, "reason", reason)).json();
  }

  void assertShown(String mode) throws IOException {
    Await.until("a condition", LIMIT, () -> conditions().contains(mode));
    assertThat(new Http().get(rig.setup().url("/health"), Map.of()).body())
        .contains("\"reason\":\"" + mode + "\"");
    assertThat(rig.metrics().sum("holdfast_mode", "mode=\"" + mode + "\"")).isOne();
    assertThat(rig.metrics().sum("holdfast_mode")).isOne();
  }

  private List<String> conditions() throws IOException {
    List<String> reasons = new ArrayList<>();
    rig.api()
        .get("/api/v1/conditions")
        .json()
        .path("conditions")
        .forEach(
            condition -> {
              if (condition.path("type").asText().equals("mode")) {
                reasons.add(condition.path("reason").asText());
              }
            });
    return reasons;
  }

  /** Waits until an incident says that the server went into the mode. */
  void awaitIncident(String mode, String severity) {
    Await.until(
        "an incident of the mode " + mode,
        LIMIT,
        () -> incidents().stream().anyMatch(one -> tells(one, mode, severity)));
  }

  private static boolean tells(JsonNode incident, String mode, String severity) {
    return incident.path("summary").asText().contains(mode)
        && incident.path("severity").asText().equals(severity);
  }

  /** Waits until nobody needs to look at them any more. */
  void awaitIncidentsOver() {
    Await.until(
        "the incidents are resolved",
        LIMIT,
        () ->
            incidents().stream()
                .allMatch(one -> one.path("resolved_by").asText().equals("recovered")));
  }

  private List<JsonNode> incidents() throws IOException {
    return rig.api()
        .get("/api/v1/incidents?state=all")
        .json()
        .path("incidents")
        .valueStream()
        .filter(incident -> incident.path("kind").asText().equals("mode"))
        .toList();
  }
}
