package dev.holdfast.tests.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Plans of one step and worker agents of a server, as the API has them. */
public record PlanApi(ServerRig rig) {
  public static final String PLANS = "/api/v1/plans";

  /** Makes one and returns its id; nobody waits for its end. */
  public String make(String agent, String action, Map<String, ?> payload) throws IOException {
    Answer answer =
        rig.api()
            .post(
                PLANS,
                Map.of("agent", agent, "action", action, "payload", payload, "wait_secs", 0));
    assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    return answer.json().path("plan_id").asText();
  }

  public JsonNode step(String plan) throws IOException {
    return rig.api().get(PLANS + "/" + plan).json().path("steps").path(0);
  }

  /** Waits until its step is in that state, and returns it. */
  public JsonNode awaitState(String plan, String state, Duration limit) {
    try {
      return Await.value(
          "the step is " + state,
          limit,
          () -> Optional.of(step(plan)).filter(step -> step.path("state").asText().equals(state)));
    } catch (AssertionError e) {
      try {
        throw new AssertionError(e.getMessage() + ", but it is " + step(plan), e);
      } catch (IOException _) {
        throw e;
      }
    }
  }

  public JsonNode agent(String id) throws IOException {
    for (JsonNode agent : rig.api().get("/api/v1/agents").json()) {
      if (agent.path("agent_id").asText().equals(id)) {
        return agent;
      }
    }
    throw new IllegalStateException("no agent " + id);
  }
}
