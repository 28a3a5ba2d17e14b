package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.Rig;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every metric that the documents promise is served, under exactly that name. */
@Timeout(60)
class MetricNamesTest {
  private static final List<String> PROMISED =
      List.of(
          "holdfast_events_total",
          "holdfast_inbox_depth",
          "holdfast_inbox_commit_seconds",
          "holdfast_turn_seconds",
          "holdfast_turn_overhead_seconds",
          "holdfast_threads_active",
          "holdfast_model_calls_total",
          "holdfast_model_seconds",
          "holdfast_model_first_token_seconds",
          "holdfast_model_tokens_total",
          "holdfast_model_cost_usd_total",
          "holdfast_replies_total",
          "holdfast_outbox_depth",
          "holdfast_breaker_state",
          "holdfast_retries_total",
          "holdfast_wakeups_total",
          "holdfast_budget_refusals_total",
          "holdfast_budget_used_percent",
          "holdfast_dead_letters");

  @Test
  void everyPromisedMetricIsServed() throws Exception {
    try (Rig rig = new Rig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      rig.start();
      rig.converse("e1", "t", "hello");
      rig.api().awaitQuiet(Duration.ofSeconds(10));
      String served = rig.metrics().text();
      assertThat(PROMISED)
          .allSatisfy(
              name ->
                  assertThat(served)
                      .containsPattern("(?m)^" + name + "(_count|_sum|_bucket|_max)?[{ ]"));
      assertThat(served).contains("jvm_memory_used_bytes", "vertx_http_server");
      assertThat(rig.server().output())
          .as("no meter is registered twice")
          .doesNotContain("already been registered");
      assertThat(model.requests()).hasSize(1);
    }
  }

  /** The labels that dashboards and alerts stand on. */
  @Test
  void theLabelsAreThosePromised() throws Exception {
    try (Rig rig = new Rig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      rig.start();
      rig.converse("e1", "t", "hello");
      rig.api().awaitQuiet(Duration.ofSeconds(10));
      assertThat(sum(rig, "holdfast_events_total", "channel=\"webhook\"", "outcome=\"accepted\""))
          .isEqualTo(1);
      assertThat(sum(rig, "holdfast_events_total", "channel=\"webhook\"", "outcome=\"answered\""))
          .isEqualTo(1);
      assertThat(sum(rig, "holdfast_replies_total", "channel=\"webhook\"", "outcome=\"sent\""))
          .isEqualTo(1);
      assertThat(
              sum(rig, "holdfast_model_calls_total", "provider=\"openai\"", "model=\"gpt-test\""))
          .isEqualTo(1);
      assertThat(sum(rig, "holdfast_breaker_state", "name=\"llm:openai\"")).isZero();
      assertThat(model.requests()).hasSize(1);
    }
  }

  private static double sum(Rig rig, String name, String... labels) throws Exception {
    return rig.metrics().sum(name, labels);
  }
}
