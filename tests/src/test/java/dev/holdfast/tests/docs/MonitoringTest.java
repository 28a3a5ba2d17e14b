package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** The rules and the dashboard of docs/monitoring.md, in a Prometheus that scrapes the server. */
@Outside(
    covers = {
      "docs/monitoring.md",
      "docs/metrics.md",
      "conf/alerts.yaml",
      "conf/grafana.json",
      "tests/src/test/resources/alerts-test.yaml"
    },
    needs = "promtool:prometheus")
@Timeout(90)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MonitoringTest {
  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final Path ALERTS = Path.of("../conf/alerts.yaml");
  private static final Path DASHBOARD = Path.of("../conf/grafana.json");
  private static final String TOKEN = "a-scrapers-token-0123456789";
  private static final Pattern NAME = Pattern.compile("\\b(?:holdfast|jvm|process)_[a-z_]+\\b");
  private static final Pattern COMPARISON = Pattern.compile(" (?:>|==|!=) ");

  private final ServerRig rig = new ServerRig();
  private final Http http = new Http();
  private int port;
  private @Nullable Process prometheus;

  @BeforeAll
  void start() throws IOException {
    Commands.assumePresent("promtool");
    Commands.assumePresent("prometheus");
    rig.setup().set("metrics.token", TOKEN);
    rig.start();
    Path folder = rig.folder();
    Path token = Files.writeString(folder.resolve("token"), TOKEN);
    Files.copy(ALERTS, folder.resolve("alerts.yaml"));
    String config =
        PageCommands.of("monitoring.md", "yaml")
            .blocks()
            .getFirst()
            .replace("scrape_interval: 15s", "scrape_interval: 1s\n  evaluation_interval: 1s")
            .replace("/etc/prometheus/holdfast-alerts.yaml", "alerts.yaml")
            .replace("/etc/prometheus/holdfast.token", token.toString())
            .replace("127.0.0.1:9090", "127.0.0.1:" + rig.setup().metricsPort());
    Files.writeString(folder.resolve("prometheus.yml"), config);
    port = new Setup(folder).httpPort();
    prometheus =
        new ProcessBuilder(
                "prometheus",
                "--config.file=prometheus.yml",
                "--storage.tsdb.path=" + folder.resolve("tsdb"),
                "--web.listen-address=127.0.0.1:" + port)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    Await.until(
        "Prometheus is ready", LIMIT, () -> http.get(url("/-/ready"), Map.of()).status() == 200);
  }

  @AfterAll
  void stop() {
    if (prometheus != null) {
      prometheus.destroyForcibly().onExit().join();
    }
    rig.close();
  }

  @Test
  void theRulesAreValidAndAlertWhenTheyShould() {
    assertThat(Commands.run("promtool", "check", "rules", ALERTS.toString())).contains("SUCCESS");
    assertThat(Commands.run("promtool", "test", "rules", "src/test/resources/alerts-test.yaml"))
        .contains("SUCCESS");
  }

  @Test
  void everyAlertIsExplained() throws IOException {
    String page = Files.readString(Path.of("../docs/monitoring.md"));
    assertThat(alerts())
        .allSatisfy(
            alert ->
                assertThat(page)
                    .contains(
                        "| `%s` | %s |"
                            .formatted(
                                alert.path("alert").asText(),
                                alert.path("labels").path("severity").asText())));
  }

  @Test
  void everyMetricThatIsNamedIsServed() throws IOException {
    rig.converse("first", "t", "hello"); // some timers appear with their first use
    String served =
        http.get(
                "http://127.0.0.1:" + rig.setup().metricsPort() + "/metrics",
                Map.of("authorization", "Bearer " + TOKEN))
            .body();
    List<String> named =
        Stream.concat(alerts().stream().map(alert -> alert.path("expr").asText()), queries())
            .flatMap(expression -> NAME.matcher(expression).results())
            .map(name -> name.group())
            .distinct()
            .toList();
    assertThat(named).hasSizeGreaterThan(30);
    assertThat(named)
        .allSatisfy(name -> assertThat(served).containsPattern("(?m)^" + name + "[{ ]"));
  }

  @Test
  void aServerThatIsWellAlertsNobody() throws Exception {
    Await.until(
        "all rules were evaluated",
        LIMIT,
        () -> rules().stream().allMatch(rule -> rule.path("health").asText().equals("ok")));
    assertThat(rules()).hasSameSizeAs(alerts());
    Await.until("it is scraped", LIMIT, () -> !results("up{job=\"holdfast\"} == 1").isEmpty());
    assertThat(rules()).filteredOn(rule -> rule.path("state").asText().equals("firing")).isEmpty();
  }

  @Test
  void everyQueryOfTheDashboardHasAResult() throws Exception {
    List<String> queries =
        queries()
            .map(query -> query.replace("$__rate_interval", "20s").replace("$instance", ".*"))
            .toList();
    for (String query : queries) {
      assertThat(query).doesNotContain("$");
      assertThat(results(query)).as(query).isNotNull();
    }
    List<String> shown = queries.stream().filter(Predicate.not(COMPARISON.asPredicate())).toList();
    assertThat(shown).hasSizeGreaterThan(20);
    int[] sent = {0};
    Await.until(
        "all of them show something",
        LIMIT,
        () -> {
          String id = "e" + sent[0]++;
          rig.converse(id, "t", ShellRig.call("list_files", Map.of()));
          String empty = shown.stream().filter(this::isEmpty).collect(Collectors.joining("\n"));
          if (!empty.isEmpty()) {
            throw new IOException("empty: " + empty);
          }
          return true;
        });
  }

  private boolean isEmpty(String query) {
    try {
      JsonNode results = results(query);
      return results.isEmpty() || results.path(0).path("value").path(1).asText().equals("NaN");
    } catch (IOException _) {
      return true;
    }
  }

  private static List<JsonNode> alerts() throws IOException {
    List<JsonNode> rules =
        new YAMLMapper()
            .readTree(ALERTS.toFile())
            .path("groups")
            .valueStream()
            .flatMap(group -> group.path("rules").valueStream())
            .toList();
    assertThat(rules).hasSizeGreaterThan(10);
    return rules;
  }

  private static Stream<String> queries() throws IOException {
    return Json.read(Files.readString(DASHBOARD)).findValuesAsText("expr").stream();
  }

  private List<JsonNode> rules() throws IOException {
    return get("/api/v1/rules")
        .path("groups")
        .valueStream()
        .flatMap(group -> group.path("rules").valueStream())
        .toList();
  }

  private JsonNode results(String query) throws IOException {
    return get("/api/v1/query?query=" + ServerApi.encode(query)).path("result");
  }

  private JsonNode get(String path) throws IOException {
    JsonNode answer = http.get(url(path), Map.of()).json();
    assertThat(answer.path("status").asText()).as(path + ": " + answer).isEqualTo("success");
    return answer.path("data");
  }

  private String url(String path) {
    return "http://127.0.0.1:" + port + path;
  }
}
