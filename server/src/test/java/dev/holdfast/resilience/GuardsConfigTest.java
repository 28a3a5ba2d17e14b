package dev.holdfast.resilience;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigFile;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GuardsConfigTest {
  private static GuardsConfig read(String text) throws ConfigException {
    return ConfigFile.text("holdfast.yaml", text, Map.of()).make(GuardsConfig::from);
  }

  @Test
  void anEmptyFileMeansTheDefaults() throws Exception {
    assertThat(read("")).isEqualTo(GuardsConfig.defaults());
  }

  @Test
  void aNamedBreakerTakesWhatItDoesNotNameFromTheDefaultOfTheFile() throws Exception {
    GuardsConfig config =
        read(
            """
            breakers:
              "llm:anthropic": {failure_threshold: 3}
              default: {success_threshold: 1, initial_backoff_ms: 500}
            """);
    assertThat(config.breaker("llm:openai", "llm:openai"))
        .isEqualTo(new BreakerSettings(5, 1, ofMillis(500), ofMinutes(2)));
    assertThat(config.breaker("llm:anthropic", "llm:anthropic"))
        .isEqualTo(new BreakerSettings(3, 1, ofMillis(500), ofMinutes(2)));
  }

  @Test
  void badValuesAndUnknownKeysAreRefusedTogether() {
    assertThatThrownBy(
            () ->
                read(
                    """
                    breakers:
                      default: {failure_threshold: 0}
                      "llm:x": {failure_treshold: 3}
                    """))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("failure_threshold must be from 1")
        .hasMessageContaining("failure_treshold");
  }

  @Test
  void theRetrySectionIsReadWithItsDefaults() throws Exception {
    GuardConfig config =
        ConfigFile.text("f", "retry: {rate_limit: {max_attempts: 2}, budget_percent: 5}", Map.of())
            .make(root -> GuardConfig.from(root.section("retry")));
    assertThat(config.rateLimit()).isEqualTo(new RetrySettings(2, ofSeconds(1), ofMinutes(1)));
    assertThat(config.serverError()).isEqualTo(new RetrySettings(3, ofSeconds(1), ofSeconds(30)));
    assertThat(config.budgetPercent()).isEqualTo(5);
  }
}
