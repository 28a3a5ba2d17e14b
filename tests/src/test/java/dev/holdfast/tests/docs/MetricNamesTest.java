package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every metric that docs/metrics.md promises is served, under exactly that name. */
@Timeout(60)
class MetricNamesTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final Path PAGE = Path.of("../docs/metrics.md");

  /** The first cell of a row: one name, or several. */
  private static final Pattern ROW =
      Pattern.compile("^\\|( *`holdfast_[^|]+)\\|", Pattern.MULTILINE);

  private static final Pattern NAME = Pattern.compile("`(holdfast_[a-z_]+)`");
  private static final Pattern TYPE =
      Pattern.compile("^# TYPE (holdfast_[a-z_]+) ", Pattern.MULTILINE);

  /** What dashboards and alerts were told to stand on: no edit of the page may lose one. */
  private static final Set<String> LASTING =
      Set.of(
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
          "holdfast_tool_calls_total",
          "holdfast_tool_seconds",
          "holdfast_replies_total",
          "holdfast_outbox_depth",
          "holdfast_breaker_state",
          "holdfast_drills_total",
          "holdfast_retries_total",
          "holdfast_dead_letters",
          "holdfast_restarts_total");

  @Test
  void everyPromisedMetricIsServedAndEveryServedOneIsPromised() throws Exception {
    Set<String> promised = promised();
    assertThat(promised).containsAll(LASTING);
    try (ServerRig rig = new ServerRig()) {
      rig.setup().set("server.plugins_dir", rig.folder().resolve("plugins").toString());
      String _ = PageCommands.of("plugins.md").run(0, rig.folder());
      extend(rig);
      rig.setup()
          .set("broker.kind", "nats")
          .set("broker.nats.control", true); // also where there is none
      rig.start();
      useEverything(rig);
      Await.until("its plugin is there", LIMIT, () -> rig.metrics().sum("holdfast_plugin_up") == 1);
      String served = rig.metrics().text();
      assertThat(promised)
          .allSatisfy(
              name ->
                  assertThat(served)
                      .containsPattern("(?m)^" + name + "(_count|_sum|_bucket|_max)?[{ ]"));
      assertThat(TYPE.matcher(served).results().map(MetricNamesTest::family))
          .as("all of them stand on the page")
          .isSubsetOf(promised);
      assertThat(served).contains("jvm_memory_used_bytes", "vertx_http_server");
      assertThat(rig.server().output())
          .as("no meter is registered twice")
          .doesNotContain("already been registered");
    }
  }

  /** An alert on a counter that appears with its first increase misses that one. */
  @Test
  void everyCounterIsThereBeforeAnythingIsCounted() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      extend(rig);
      rig.start();
      Set<String> before = counters(rig.metrics().text());
      assertThat(before.stream().map(line -> line.replaceAll("\\{.*", "")))
          .contains(
              "holdfast_messages_filtered_total",
              "holdfast_replies_total",
              "holdfast_events_total",
              "holdfast_http_refused_total",
              "holdfast_restarts_total",
              "holdfast_tool_calls_total",
              "holdfast_model_calls_total");
      useEverything(rig);
      Set<String> late = counters(rig.metrics().text());
      late.removeAll(before);
      assertThat(late).isEmpty();
    }
  }

  /**
   * The names and labels of all counters of ours, but of retries: a guard begins with its first
   * call.
   */
  private static Set<String> counters(String served) {
    return served
        .lines()
        .filter(line -> line.matches("holdfast_[a-z_]+_total[{ ].*"))
        .filter(line -> !line.startsWith("holdfast_retries_total"))
        .map(line -> line.substring(0, line.lastIndexOf(' ')))
        .collect(Collectors.toSet());
  }

  private static void extend(ServerRig rig) {
    Map<String, Object> action =
        Map.of(
            "id",
            "job",
            "protocol",
            "action",
            "command",
            List.of("true"),
            "actions",
            List.of(Map.of("name", "run")));
    rig.setup().set("extensions", List.of(action));
  }

  /** Some timers appear with their first use. */
  private static void useEverything(ServerRig rig) throws IOException {
    rig.converse("e1", "t", "hello");
    rig.converse("e2", "t", ShellRig.call("write_file", Map.of("path", "x", "content", "y")));
    assertThat(rig.sender().send("e3", "t", " ").isAccepted()).isTrue();
    assertThat(rig.server().probe("/nothing")).isEqualTo(404);
    rig.api().awaitQuiet(LIMIT);
  }

  private static Set<String> promised() throws IOException {
    return ROW.matcher(Files.readString(PAGE))
        .results()
        .flatMap(row -> NAME.matcher(row.group(1)).results())
        .map(name -> name.group(1))
        .collect(Collectors.toSet());
  }

  /** The largest value of a timer is served as a family of its own. */
  private static String family(MatchResult type) {
    return type.group(1).replaceAll("_max$", "");
  }

  /** The labels that dashboards and alerts stand on. */
  @Test
  void theLabelsAreThosePromised() throws Exception {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      rig.start();
      rig.converse("e1", "t", "hello");
      awaitOne(rig, "holdfast_events_total", "channel=\"webhook\"", "outcome=\"accepted\"");
      awaitOne(rig, "holdfast_events_total", "channel=\"webhook\"", "outcome=\"answered\"");
      awaitOne(rig, "holdfast_replies_total", "channel=\"webhook\"", "outcome=\"sent\"");
      awaitOne(rig, "holdfast_model_calls_total", "provider=\"openai\"", "model=\"gpt-test\"");
      assertThat(sum(rig, "holdfast_breaker_state", "name=\"llm:openai\"")).isZero();
      assertThat(model.requests()).hasSize(1);
    }
  }

  /** What is counted is counted a moment after it has happened. */
  private static void awaitOne(ServerRig rig, String name, String... labels) throws Exception {
    Await.until(name + " is counted", LIMIT, () -> sum(rig, name, labels) > 0);
    assertThat(sum(rig, name, labels)).as(name).isEqualTo(1);
  }

  private static double sum(ServerRig rig, String name, String... labels) throws Exception {
    return rig.metrics().sum(name, labels);
  }
}
