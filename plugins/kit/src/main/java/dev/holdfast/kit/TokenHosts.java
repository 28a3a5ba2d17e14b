package dev.holdfast.kit;

import java.net.URI;
import java.util.List;
import java.util.Locale;

/**
 * Where an account's token may go: to what its base address names, and by HTTPS to the platform's
 * own hosts, whatever address a message holds. Immutable, thread-safe.
 *
 * @param baseUrl with the scheme and port that go with it
 * @param domains of the platform, such as {@code slack.com}; hosts within them count too
 */
public record TokenHosts(String baseUrl, List<String> domains) {
  private static final String HTTPS = "https";

  public TokenHosts {
    domains = List.copyOf(domains);
  }

  /** False for what is no address, names a user or has an unusual port. */
  public boolean allow(String url) {
    try {
      URI uri = URI.create(url);
      if (uri.getHost() == null || uri.getRawUserInfo() != null) {
        return false;
      }
      return isBase(uri, URI.create(baseUrl)) || isOfPlatform(uri);
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private static boolean isBase(URI uri, URI base) {
    return host(uri).equals(host(base))
        && uri.getPort() == base.getPort()
        && String.valueOf(uri.getScheme()).equals(base.getScheme());
  }

  private boolean isOfPlatform(URI uri) {
    String host = host(uri);
    return HTTPS.equals(uri.getScheme())
        && uri.getPort() == -1
        && domains.stream().anyMatch(domain -> host.equals(domain) || host.endsWith("." + domain));
  }

  private static String host(URI uri) {
    return String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT);
  }
}
