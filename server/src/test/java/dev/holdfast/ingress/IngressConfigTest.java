package dev.holdfast.ingress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.config.ConfigFile;
import dev.holdfast.config.Section;
import dev.holdfast.ingress.api.ApiConfig;
import dev.holdfast.ingress.login.TokenConfig;
import dev.holdfast.ingress.wire.ConnectionLimits;
import dev.holdfast.ingress.wire.HttpConfig;
import dev.holdfast.ingress.wire.MetricsConfig;
import dev.holdfast.ingress.wire.Scope;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IngressConfigTest {
  private record ConnectionLimits(HttpConfig http, MetricsConfig metrics, ApiConfig api) {
    static ConnectionLimits from(Section root) {
      return new ConnectionLimits(
          root.section("http").read(HttpConfig::from),
          root.section("metrics").read(MetricsConfig::from),
          root.section("api").read(ApiConfig::from));
    }
  }

  private static ConnectionLimits read(String yaml) throws Exception {
    return ConfigFile.text("conf/holdfast.yaml", yaml, Map.of()).make(ConnectionLimits::from);
  }

  @Test
  void anEmptyFileBindsLoopbackOnly() throws Exception {
    ConnectionLimits doors = read("");
    assertThat(doors.http()).isEqualTo(HttpConfig.defaults());
    assertThat(doors.http().isLoopback()).isTrue();
    assertThat(doors.metrics()).isEqualTo(MetricsConfig.defaults());
    assertThat(doors.api()).isEqualTo(ApiConfig.defaults());
  }

  @Test
  void tokensHaveTheWidestOfTheirScopes() throws Exception {
    ConnectionLimits doors =
        read(
            """
            api:
              wait_secs: 5
              tokens:
                - {name: grafana, token: "0123456789abcdef"}
                - {name: page, token: "fedcba9876543210", scopes: [read, chat]}
            """);
    assertThat(doors.api().answerWait()).isEqualTo(Duration.ofSeconds(5));
    assertThat(doors.api().tokens())
        .extracting(TokenConfig::scope)
        .containsExactly(Scope.READ, Scope.CHAT);
    assertThat(doors.api().toString()).doesNotContain("0123456789abcdef");
  }

  @Test
  void whatCannotWorkIsRefusedWithItsLine() {
    assertThatThrownBy(
            () ->
                read(
                    """
                    http:
                      public_url: bot.example.org
                    metrics:
                      port: 70000
                    api:
                      tokens: [{name: a, token: short}]
                    """))
        .hasMessageContaining("public_url")
        .hasMessageContaining("port must be from 0 to 65535, got 70000")
        .hasMessageContaining("at least 16 characters")
        .hasMessageNotContaining("short");
  }
}
