package dev.holdfast.ingress.wire;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;

/** The {@code metrics} section of holdfast.yaml. */
public record MetricsConfig(String host, int port) {
  public MetricsConfig {
    Check.inRange("port", port, 0, 65_535);
  }

  public static MetricsConfig defaults() {
    return new MetricsConfig("127.0.0.1", 9090);
  }

  public static MetricsConfig from(Section metrics) {
    return new MetricsConfig(metrics.text("host", "127.0.0.1"), metrics.whole("port", 9090));
  }
}
