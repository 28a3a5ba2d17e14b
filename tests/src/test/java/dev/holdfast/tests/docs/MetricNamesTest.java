package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CallScript;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.ServerRig;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/** Every metric that docs/metrics.md promises is served, under exactly that name. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
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

  private final ServerRig rig = new ServerRig();
  private final FakeModel model = new FakeModel().asOpenAi(rig.setup());
  private Set<String> before = Set.of();

  @BeforeAll
  void start() throws Exception {
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
    rig.setup()
        .set("extensions", List.of(action))
        .set("server.plugins_dir", rig.folder().resolve("plugins").toString())
        .set("broker.kind", "nats")
        .set("broker.nats.control", true); // also where there is none
    String _ = PageCommands.of("plugins.md").run(0, rig.folder());
    rig.start();
    Await.until("its plugin is there", LIMIT, () -> sum("holdfast_plugin_up") == 1);
    before = counters(rig.metrics().text());
  }

  @AfterAll
  void stop() {
    rig.close();
    model.close();
  }

  /** The labels that dashboards and alerts stand on. */
  @Test
  @Order(1)
  void theLabelsAreThosePromised() throws Exception {
    rig.converse("e1", "t", "hello");
    awaitOne("holdfast_events_total", "channel=\"webhook\"", "outcome=\"accepted\"");
    awaitOne("holdfast_events_total", "channel=\"webhook\"", "outcome=\"answered\"");
    awaitOne("holdfast_replies_total", "channel=\"webhook\"", "outcome=\"sent\"");
    awaitOne("holdfast_model_calls_total", "provider=\"openai\"", "model=\"gpt-test\"");
    assertThat(sum("holdfast_breaker_state", "name=\"llm:openai\"")).isZero();
    assertThat(model.requests()).hasSize(1);
  }

  /** An alert on a counter that appears with its first increase misses that one. */
  @Test
  @Order(2)
  void everyCounterIsThereBeforeAnythingIsCounted() throws Exception {
    assertThat(before.stream().map(line -> line.replaceAll("\\{.*", "")))
        .contains(
            "holdfast_messages_filtered_total",
            "holdfast_replies_total",
            "holdfast_events_total",
            "holdfast_http_refused_total",
            "holdfast_restarts_total",
            "holdfast_tool_calls_total",
            "holdfast_model_calls_total");
    useEverything();
    Set<String> late = counters(rig.metrics().text());
    late.removeAll(before);
    assertThat(late).isEmpty();
  }

  @Test
  @Order(3)
  void everyPromisedMetricIsServedAndEveryServedOneIsPromised() throws IOException {
    Set<String> promised = promised();
    assertThat(promised).containsAll(LASTING);
    useEverything();
    awaitServed(promised);
    String served = rig.metrics().text();
    assertThat(TYPE.matcher(served).results().map(MetricNamesTest::family))
        .as("all of them stand on the page")
        .isSubsetOf(promised);
    assertThat(served).contains("jvm_memory_used_bytes", "vertx_http_server");
    assertThat(rig.server().output())
        .as("no meter is registered twice")
        .doesNotContain("already been registered");
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

  private void awaitServed(Set<String> promised) {
    Await.until(
        "all are served",
        LIMIT,
        () -> {
          Set<String> missing = missing(promised);
          if (!missing.isEmpty()) {
            throw new IllegalStateException("not served: " + missing);
          }
          return true;
        });
  }

  private Set<String> missing(Set<String> promised) throws IOException {
    String served = rig.metrics().text();
    return promised.stream()
        .filter(
            name ->
                !Pattern.compile("(?m)^" + name + "(_count|_sum|_bucket|_max)?[{ ]")
                    .matcher(served)
                    .find())
        .collect(Collectors.toSet());
  }

  /** Some timers appear with their first use, a moment after it. */
  private void useEverything() throws IOException {
    model.next(
        CallScript.call("c1", "write_file", Map.of("path", "x", "content", "y")),
        ModelScript.echo());
    rig.converse("e2", "t", "write a file");
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

  /** What is counted is counted a moment after it has happened. */
  private void awaitOne(String name, String... labels) throws Exception {
    Await.until(name + " is counted", LIMIT, () -> sum(name, labels) > 0);
    assertThat(sum(name, labels)).as(name).isEqualTo(1);
  }

  private double sum(String name, String... labels) throws Exception {
    return rig.metrics().sum(name, labels);
  }
}
