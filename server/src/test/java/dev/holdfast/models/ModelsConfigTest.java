package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigFile;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ModelsConfigTest {
  private static ModelsConfig read(String yaml, Map<String, String> environment)
      throws ConfigException {
    return ConfigFile.text("test.yaml", yaml, environment)
        .make(
            root -> root.section("models").read(models -> ModelsConfig.from(models, environment)));
  }

  @Test
  void anEmptyFileMeansTheEcho() throws Exception {
    ModelsConfig config = read("", Map.of());
    assertThat(config.choice()).isEmpty();
    assertThat(read("models: {choice: [operational]}", Map.of()).choice())
        .containsExactly("operational");
    assertThat(config.levels().of("operational")).containsExactly("embedded/echo");
    assertThat(config.levels().byDefault()).isEqualTo("operational");
    assertThat(config.parkAfter()).isEqualTo(Duration.ofSeconds(15));
    assertThat(config.timeouts().total()).isEqualTo(Duration.ofMinutes(10));
    assertThat(config.guard("ollama").maxConcurrent()).isEqualTo(2);
    assertThat(config.guard("anthropic").maxConcurrent()).isEqualTo(32);
    assertThat(config.secrets()).isEmpty();
  }

  @Test
  void aKeyInTheEnvironmentIsEnough() throws Exception {
    ModelsConfig config = read("", Map.of("ANTHROPIC_API_KEY", "k1", "GEMINI_API_KEY", "k2"));
    assertThat(config.levels().of("operational"))
        .containsExactly("anthropic/claude-sonnet-5", "gemini/gemini-3.6-flash");
    assertThat(config.secrets()).hasSize(2);
    assertThat(config.toString()).doesNotContain("k1");
  }

  @Test
  void aLocalProviderIsSwitchedOnByItsAddress() throws Exception {
    ModelsConfig config =
        read("models: {providers: {ollama: {base_url: 'http://127.0.0.1:11434'}}}", Map.of());
    assertThat(config.levels().of("operational")).containsExactly("ollama/llama3.2");
    assertThat(read("", Map.of("OPENAI_API_KEY", "k", "OPENAI_BASE_URL", "http://127.0.0.1:1/v1")))
        .asString()
        .contains("http://127.0.0.1:1/v1");
  }

  @Test
  void levelsFallBackDownwardsAndElseToTheNearestAbove() {
    Levels levels =
        new Levels(
            Map.of("operational", List.of("a/1", "b/2"), "strategic", List.of("c/3", "a/1")),
            "operational");
    assertThat(levels.of("strategic")).containsExactly("c/3", "a/1");
    assertThat(levels.withFallbacks("strategic")).containsExactly("c/3", "a/1", "b/2");
    assertThat(levels.of("tactical")).containsExactly("a/1", "b/2");
    assertThat(levels.of("reactive")).containsExactly("a/1", "b/2");
    assertThat(levels.withFallbacks("reactive")).containsExactly("a/1", "b/2");
  }

  @Test
  void everyMistakeIsNamed() {
    assertThatThrownBy(() -> read("models: {levels: {operational: [openai/gpt-5]}}", Map.of()))
        .hasMessageContaining("providers.openai.api_key");
    assertThatThrownBy(() -> read("models: {levels: {clever: [embedded/echo]}}", Map.of()))
        .hasMessageContaining("clever");
    assertThatThrownBy(() -> read("models: {levels: {operational: [gpt-5]}}", Map.of()))
        .hasMessageContaining("provider/name");
    assertThatThrownBy(() -> read("models: {levels: {operational: [acme/x]}}", Map.of()))
        .hasMessageContaining("acme/x");
    assertThatThrownBy(() -> read("models: {choice: [strategic]}", Map.of()))
        .hasMessageContaining("choice must hold levels that models are named for");
    assertThatThrownBy(() -> read("models: {default_level: clever}", Map.of()))
        .hasMessageContaining("default_level");
    assertThatThrownBy(() -> read("models: {timeouts: {idle_secs: 0}}", Map.of()))
        .hasMessageContaining("idle_secs");
    assertThatThrownBy(() -> read("models: {providers: {openai: {base_url: 'x'}}}", Map.of()))
        .hasMessageContaining("base_url");
    assertThatThrownBy(() -> read("models: {providers: {acme: {api_key: x}}}", Map.of()))
        .hasMessageContaining("acme");
  }
}
