package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigFile;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerConfigTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "http: {port: 7000}\nmetrics: {port: 7000}\n",
        "http: {port: 9090}\n",
        "metrics: {port: 8080}\n",
        "http: {port: 7000, host: localhost}\nmetrics: {port: 7000}\n",
        "http: {port: 7000}\nmetrics: {port: 7000, host: 0.0.0.0}\n",
        "http: {port: 7000, host: 192.0.2.1}\nmetrics: {port: 7000, host: '::'}\n",
        "http: {port: 7000, host: 192.0.2.1}\nmetrics: {port: 7000, host: 192.0.2.1}\n",
      })
  void twoListenersOnOneAddressAreRefusedOnce(String text) {
    ConfigException refused = catchThrowableOfType(ConfigException.class, () -> read(text));
    assertThat(refused.problems())
        .singleElement()
        .asString()
        .contains("http.port", "metrics.port", "different");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "http: {port: 0}\nmetrics: {port: 0}\n",
        "http: {port: 7000, host: 192.0.2.1}\nmetrics: {port: 7000}\n",
      })
  void listenersOnDifferentAddressesAreFine(String text) {
    assertThatCode(() -> read(text)).doesNotThrowAnyException();
  }

  @Test
  void agentsAndTasksTakeEffectWithoutARestart() throws ConfigException {
    ServerConfig before = read("{}");
    ServerConfig changed =
        read("agents: {writer: {extension: files}}\ntasks: {max_running: 2}\nhttp: {port: 7000}\n");
    assertThat(before.differences(changed)).containsExactly("http", "agents", "tasks");
    ServerConfig live = before.withLive(changed);
    assertThat(live.agents()).isEqualTo(changed.agents());
    assertThat(live.tasks()).isEqualTo(changed.tasks());
    assertThat(live.differences(changed)).containsExactly("http");
  }

  @Test
  void aTokenOfTheFileIsNotTheServersOwn() {
    ConfigException refused =
        catchThrowableOfType(
            ConfigException.class,
            () -> read("api: {tokens: [{name: reader, token: token-0123456789abc}]}"));
    assertThat(refused)
        .hasMessageContaining("that of reader is the server's own (HOLDFAST_TOKEN)")
        .hasMessageNotContaining("token-0123456789abc");
  }

  private static ServerConfig read(String text) throws ConfigException {
    Map<String, String> environment = Map.of("HOLDFAST_TOKEN", "token-0123456789abc");
    return ConfigFile.text("holdfast.yaml", text, environment)
        .make(root -> ServerConfig.from(root, environment));
  }
}
