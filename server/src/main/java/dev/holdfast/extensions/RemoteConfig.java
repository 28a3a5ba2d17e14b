package dev.holdfast.extensions;

import dev.holdfast.config.Check;
import dev.holdfast.config.Secret;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Where a server of the Model Context Protocol is called that somebody else runs.
 *
 * @param url of https; of http on this machine alone, since what is sent there is readable on the
 *     way
 * @param headers sent with each request, by lower-case names
 */
public record RemoteConfig(String url, Map<String, Secret> headers) {
  private static final Pattern NAME = Pattern.compile("[a-z0-9!#$%&'*+.^_`|~-]{1,64}");

  /** Below 0x20, and what no header can carry. */
  private static final Pattern UNFIT = Pattern.compile("[^\\x20-\\x7e\\x80-\\xff]");

  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127\\.[0-9]+\\.[0-9]+\\.[0-9]+|\\[::1]");

  /** Those that the protocol or HTTP itself needs. */
  private static final Set<String> OURS =
      Set.of(
          "accept",
          "accept-encoding",
          "connection",
          "content-length",
          "content-type",
          "host",
          "last-event-id",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  public RemoteConfig {
    Check.that(isUsable(url), "url", "must be a URL such as https://mcp.example.org/mcp");
    Check.that(
        !URI.create(url).getScheme().equalsIgnoreCase("http") || isLoopback(url),
        "url",
        "must begin with https://: http:// is for this machine alone, because tokens and data"
            + " could be read on the way");
    Map<String, Secret> all = new TreeMap<>();
    headers.forEach((name, value) -> all.put(name.toLowerCase(Locale.ROOT), value));
    headers = Map.copyOf(all);
    for (Map.Entry<String, Secret> header : headers.entrySet()) {
      String name = header.getKey();
      Check.that(
          NAME.matcher(name).matches() && !OURS.contains(name) && !name.startsWith("mcp-"),
          "headers",
          "names " + name + ", which cannot be set here");
      Check.that(
          !UNFIT.matcher(header.getValue().reveal()).find(),
          "headers",
          "has a value for " + name + " that no header can carry");
    }
  }

  private static boolean isUsable(String url) {
    try {
      URI uri = new URI(url);
      String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
      return (scheme.equals("http") || scheme.equals("https"))
          && uri.getHost() != null
          && uri.getUserInfo() == null
          && uri.getFragment() == null;
    } catch (URISyntaxException _) {
      return false;
    }
  }

  private static boolean isLoopback(String url) {
    return LOOPBACK.matcher(URI.create(url).getHost().toLowerCase(Locale.ROOT)).matches();
  }

  /** Without what stands behind a question mark, which may be secret. */
  String shown() {
    int query = url.indexOf('?');
    return query < 0 ? url : url.substring(0, query);
  }
}
