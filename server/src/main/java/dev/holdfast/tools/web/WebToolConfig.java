package dev.holdfast.tools.web;

import dev.holdfast.config.Check;
import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Section;
import java.time.Duration;
import java.util.List;

/**
 * The {@code tools.web} section of holdfast.yaml.
 *
 * @param bytesMax of a page; what is beyond is left out
 * @param allowHosts names and addresses that are fetched although they are private; for what comes
 *     with messages too
 */
public record WebToolConfig(
    boolean enabled, Duration timeout, int bytesMax, List<String> allowHosts) {
  public WebToolConfig {
    allowHosts = List.copyOf(allowHosts);
    Check.inRange("timeout_secs", timeout, Duration.ofSeconds(1), Duration.ofMinutes(10));
    Check.inRange("max_bytes", bytesMax, 1024, 64 * 1024 * 1024);
    for (String host : allowHosts) {
      if (host.isBlank() || host.contains("/") || host.contains("*") || host.contains("@")) {
        throw new RefusedValueException(
            "allow_hosts",
            "allow_hosts: must hold names and addresses like wiki.internal or 10.0.0.7:8080, got "
                + host);
      }
    }
  }

  public static WebToolConfig from(Section web) {
    return new WebToolConfig(
        web.flag("enabled", true),
        web.seconds("timeout_secs", 20),
        web.whole("max_bytes", 2_097_152),
        web.texts("allow_hosts", List.of()));
  }
}
