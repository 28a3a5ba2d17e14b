package dev.holdfast.ingress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.config.ConfigFile;
import dev.holdfast.config.Section;
import dev.holdfast.ingress.api.ApiConfig;
import dev.holdfast.ingress.login.TokenConfig;
import dev.holdfast.ingress.wire.HttpConfig;
import dev.holdfast.ingress.wire.MetricsConfig;
import dev.holdfast.ingress.wire.Scope;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IngressConfigTest {
  private record Listeners(HttpConfig http, MetricsConfig metrics, ApiConfig api) {
    static Listeners from(Section root) {
      return new Listeners(
          root.section("http").read(HttpConfig::from),
          root.section("metrics").read(MetricsConfig::from),
          root.section("api").read(ApiConfig::from));
    }
  }

  private static Listeners read(String yaml) throws Exception {
    return ConfigFile.text("conf/holdfast.yaml", yaml, Map.of()).make(Listeners::from);
  }

  @Test
  void anEmptyFileBindsLoopbackOnly() throws Exception {
    Listeners listeners = read("");
    assertThat(listeners.http()).isEqualTo(HttpConfig.defaults());
    assertThat(listeners.http().isLoopback()).isTrue();
    assertThat(listeners.metrics()).isEqualTo(MetricsConfig.defaults());
    assertThat(listeners.api()).isEqualTo(ApiConfig.defaults());
  }

  @Test
  void tokensHaveTheWidestOfTheirScopes() throws Exception {
    Listeners listeners =
        read(
            """
            api:
              wait_secs: 5
              tokens:
                - {name: grafana, token: "0123456789abcdef"}
                - {name: page, token: "fedcba9876543210", scopes: [read, chat]}
            """);
    assertThat(listeners.api().answerWait()).isEqualTo(Duration.ofSeconds(5));
    assertThat(listeners.api().tokens())
        .extracting(TokenConfig::scope)
        .containsExactly(Scope.READ, Scope.CHAT);
    assertThat(listeners.api().toString()).doesNotContain("0123456789abcdef");
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

  @Test
  void nothingIsServedBelowAPath() throws Exception {
    assertThatThrownBy(() -> read("http: {public_url: 'https://x.example.org/bot'}\n"))
        .hasMessageContaining("without a path");
    assertThat(read("http: {public_url: 'https://x.example.org/'}\n").http().publicUrl())
        .isEqualTo("https://x.example.org/");
  }

  /** The wider of the two would win, whoever was given the other. */
  @Test
  void twoTokensOfOneValueAreRefusedByTheirNames() {
    assertThatThrownBy(
            () ->
                read(
                    """
                    api:
                      tokens:
                        - {name: reader, token: "reader-token-0123456789", scopes: [read]}
                        - {name: dup, token: "reader-token-0123456789", scopes: [admin]}
                    """))
        .hasMessageContaining(":2: api: tokens must have different values")
        .hasMessageContaining("those of reader and dup are the same")
        .hasMessageNotContaining("reader-token-0123456789");
  }

  @Test
  void allThatIsWrongWithATokenIsSaidAtOnce() {
    assertThatThrownBy(
            () ->
                read(
                    """
                    metrics: {token: 0123456789abcdef0}
                    api:
                      tokens:
                        - {name: "", token: 0123456789abcdef0, scopes: [read]}
                    """))
        .hasMessageContaining("name must be 1 to 64 letters")
        .hasMessageNotContaining("unknown key scopes")
        .hasMessageNotContaining("api.tokens[0]: unknown key");
  }

  /** Threads and sessions belong to names: no other token may pass for the server's own. */
  @Test
  void aTokenThatNobodyCouldSendOrThatHasTheServersNameIsRefused() {
    assertThatThrownBy(
            () -> read("api: {tokens: [{name: operator, token: \"0123456789abcdef\"}]}\n"))
        .hasMessageContaining("name of the server's own token");
    assertThatThrownBy(() -> read("api: {tokens: [{name: a, token: \"0123456789 abcdef\"}]}\n"))
        .hasMessageContaining("without blanks");
  }
}
