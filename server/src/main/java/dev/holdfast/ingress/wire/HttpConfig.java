package dev.holdfast.ingress.wire;

import dev.holdfast.config.Check;
import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Section;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The {@code http} section of holdfast.yaml.
 *
 * @param publicUrl how platforms and people reach the server; empty when it was not given
 * @param allowedHosts Host names besides loopback and the one of {@code publicUrl}
 */
public record HttpConfig(
    String host,
    int port,
    String publicUrl,
    List<String> allowedHosts,
    int maxBodyBytes,
    Duration headerTimeout,
    Duration bodyTimeout,
    Duration idleTimeout,
    int maxConnections) {

  public HttpConfig {
    allowedHosts = List.copyOf(allowedHosts);
    Check.inRange("port", port, 0, 65_535);
    Check.inRange("max_body_bytes", maxBodyBytes, 1024, 64 * 1024 * 1024);
    Check.atLeast("header_timeout_secs", headerTimeout, Duration.ofMillis(1));
    Check.atLeast("body_timeout_secs", bodyTimeout, Duration.ofMillis(1));
    Check.atLeast("idle_timeout_secs", idleTimeout, Duration.ofMillis(1));
    Check.inRange("max_connections", maxConnections, 1, 1_000_000);
    if (!publicUrl.isEmpty() && !isWebAddress(publicUrl)) {
      throw new RefusedValueException(
          "public_url",
          "public_url must be like https://bot.example.org, without a path, got " + publicUrl);
    }
  }

  /** What holds when the section is empty. */
  public static HttpConfig defaults() {
    return new HttpConfig(
        "127.0.0.1",
        8080,
        "",
        List.of(),
        1_048_576,
        Duration.ofSeconds(10),
        Duration.ofSeconds(15),
        Duration.ofSeconds(60),
        10_000);
  }

  public static HttpConfig from(Section http) {
    HttpConfig fallback = defaults();
    return new HttpConfig(
        http.text("host", fallback.host),
        http.whole("port", fallback.port),
        http.text("public_url", fallback.publicUrl),
        http.texts("allowed_hosts", fallback.allowedHosts),
        http.whole("max_body_bytes", fallback.maxBodyBytes),
        http.seconds("header_timeout_secs", fallback.headerTimeout.toSeconds()),
        http.seconds("body_timeout_secs", fallback.bodyTimeout.toSeconds()),
        http.seconds("idle_timeout_secs", fallback.idleTimeout.toSeconds()),
        http.whole("max_connections", fallback.maxConnections));
  }

  /** Whether only programs on this machine can connect. */
  public boolean isLoopback() {
    return HostNames.isLoopback(host.toLowerCase(Locale.ROOT));
  }

  private static boolean isWebAddress(String url) {
    try {
      URI uri = URI.create(url);
      String scheme = uri.getScheme();
      String path = uri.getPath();
      return uri.getHost() != null
          && ("http".equals(scheme) || "https".equals(scheme))
          && (path == null || path.isEmpty() || path.equals("/"));
    } catch (IllegalArgumentException _) {
      return false;
    }
  }
}
