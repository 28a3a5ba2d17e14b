package dev.holdfast.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenHostsTest {
  private static final TokenHosts HOSTS =
      new TokenHosts("http://127.0.0.1:4003/api", List.of("slack.com"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://slack.com/a",
        "https://files.SLACK.com/a?b=c",
        "http://127.0.0.1:4003/other"
      })
  void thePlatformAndWhatStandsInForItGetTheToken(String url) {
    assertThat(HOSTS.allow(url)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a b",
        "/a",
        "mailto:a@slack.com",
        "http://slack.com/a",
        "https://slack.com:8443/a",
        "https://user@slack.com/a",
        "https://slack.com@example.org/a",
        "https://evilslack.com/a",
        "https://slack.com.example.org/a",
        "https://127.0.0.1:4003/a",
        "http://127.0.0.1:4004/a",
        "http://127.0.0.1/a",
        "file:///etc/passwd"
      })
  void nobodyElseDoes(String url) {
    assertThat(HOSTS.allow(url)).isFalse();
  }
}
