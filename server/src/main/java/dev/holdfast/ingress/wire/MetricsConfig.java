package dev.holdfast.ingress.wire;

import dev.holdfast.config.Check;
import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Secret;
import dev.holdfast.config.Section;
import java.util.Locale;

/**
 * The {@code metrics} section of holdfast.yaml.
 *
 * @param token what a scraper has to present; empty when anybody may read
 */
public record MetricsConfig(String host, int port, Secret token) {
  private static final int TOKEN_CHARS_MIN = 16;

  public MetricsConfig {
    Check.inRange("port", port, 0, 65_535);
    if (!token.isEmpty() && token.reveal().length() < TOKEN_CHARS_MIN) {
      throw new RefusedValueException(
          "token",
          "token must have at least "
              + TOKEN_CHARS_MIN
              + " characters, got "
              + token.reveal().length());
    }
  }

  public static MetricsConfig defaults() {
    return new MetricsConfig("127.0.0.1", 9090, new Secret(""));
  }

  public static MetricsConfig from(Section metrics) {
    return new MetricsConfig(
        metrics.text("host", "127.0.0.1"), metrics.whole("port", 9090), metrics.secret("token"));
  }

  /** Whether only programs on this machine can connect. */
  public boolean isLoopback() {
    return HostNames.isLoopback(host.toLowerCase(Locale.ROOT));
  }
}
