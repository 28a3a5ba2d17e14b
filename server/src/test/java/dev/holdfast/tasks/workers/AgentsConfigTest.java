package dev.holdfast.tasks.workers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigFile;
import dev.holdfast.tasks.rules.CircuitRules;
import dev.holdfast.tasks.rules.RetryRules;
import dev.holdfast.tasks.workers.AgentsConfig.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AgentsConfigTest {
  private static AgentsConfig read(String text) throws ConfigException {
    return ConfigFile.text("holdfast.yaml", text, Map.of()).make(AgentsConfig::from);
  }

  private static List<String> problems(String text) {
    return catchThrowableOfType(ConfigException.class, () -> read(text)).problems().stream()
        .map(String::valueOf)
        .toList();
  }

  private static AgentSettings settings(
      int seconds, int attempts, int initial, int threshold, int concurrent) {
    return new AgentSettings(
        Duration.ofSeconds(seconds),
        new RetryRules(attempts, Duration.ofMillis(initial), Duration.ofMillis(5000)),
        new CircuitRules(threshold, Duration.ofMillis(60_000)),
        concurrent,
        AllowedSettings.NONE);
  }

  @Test
  void withoutASectionTheDefaultsHold() throws ConfigException {
    assertThat(read("{}")).isEqualTo(AgentsConfig.defaults());
    assertThat(AgentSettings.DEFAULT).isEqualTo(settings(30, 3, 500, 3, 4));
  }

  @Test
  void whatAnEntryLeavesOutIsInheritedKeyByKey() throws ConfigException {
    AgentsConfig config =
        read(
            """
            agents:
              writer: {extension: files, retry: {initial_backoff_ms: 100}}
              files: {timeout_secs: 5, circuit_breaker: {failure_threshold: 9}}
              plain: {}
              default: {max_concurrent: 2, retry: {max_attempts: 5}}
            """);
    assertThat(config.byDefault()).isEqualTo(settings(30, 5, 500, 3, 2));
    assertThat(config.byName())
        .isEqualTo(
            Map.of(
                "writer",
                    new AgentsConfig.Entry(
                        new Kind.Extension("files"), settings(30, 5, 100, 3, 2), false),
                "files",
                    new AgentsConfig.Entry(
                        new Kind.Extension("files"), settings(5, 5, 500, 9, 2), true),
                "plain",
                    new AgentsConfig.Entry(
                        new Kind.Extension("plain"), settings(30, 5, 500, 3, 2), false)));
  }

  @Test
  void aTimeLimitOfAllAgentsIsOneOfEach() throws ConfigException {
    AgentsConfig config =
        read(
            """
            agents:
              default: {timeout_secs: 7}
              plain: {}
            """);
    assertThat(config.limitsAll()).isTrue();
    assertThat(config.byName())
        .containsEntry(
            "plain",
            new AgentsConfig.Entry(new Kind.Extension("plain"), settings(7, 3, 500, 3, 4), true));
  }

  @Test
  void allProblemsAreReportedWithTheirLines() {
    assertThat(
            problems(
                """
                agents:
                  default: {timeout_secs: 0}
                  writer:
                    retries: {}
                    extension: Files
                    retry: {max_attempts: 11}
                    circuit_breaker: {cooldown_ms: 0}
                  Archive: {max_concurrent: 65}
                """))
        .satisfiesExactlyInAnyOrder(
            problem -> assertThat(problem).contains(":2:", "agents.default", "timeout_secs"),
            problem -> assertThat(problem).contains(":4:", "agents.writer", "retries"),
            problem -> assertThat(problem).contains(":5:", "agents.writer", "extension", "Files"),
            problem -> assertThat(problem).contains(":6:", "agents.writer", "max_attempts"),
            problem -> assertThat(problem).contains(":7:", "agents.writer", "cooldown_ms"),
            problem -> assertThat(problem).contains(":8:", "agents.Archive", "name must match"),
            problem -> assertThat(problem).contains(":8:", "agents.Archive", "max_concurrent"));
  }

  @Test
  void thereIsAnEndToAgents() {
    String entries =
        IntStream.rangeClosed(0, AgentsConfig.AGENTS_MAX)
            .mapToObj(i -> "  a" + i + ": {}\n")
            .collect(Collectors.joining());
    assertThat(problems("agents:\n" + entries))
        .singleElement()
        .asString()
        .contains("agents must have at most 100 entries, got 101");
  }

  @Test
  void anOperatorSaysWhatSettingsMayBecome() throws ConfigException {
    AgentsConfig config =
        read(
            "agents: {default: {reconfigure: {max_concurrent: [1, 2]}}, slow: {reconfigure:"
                + " {timeout_secs: [30, 60]}}}");
    assertThat(Objects.requireNonNull(config.byName().get("slow")).settings().allowed())
        .isEqualTo(
            new AllowedSettings(
                List.of(Duration.ofSeconds(30), Duration.ofSeconds(60)), List.of(1, 2)));
    assertThat(problems("agents: {slow: {reconfigure: {timeout_secs: [0]}}}"))
        .singleElement()
        .asString()
        .contains("reconfigure.timeout_secs must be");
    assertThat(problems("agents: {slow: {reconfigure: {max_concurrent: [many]}}}"))
        .singleElement()
        .asString()
        .contains("must be whole numbers, got many");
  }
}
