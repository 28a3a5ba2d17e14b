package dev.holdfast.ingress.wire;

import java.net.URI;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which names the pages and the API answer to. A page of a stranger whose name was made to point
 * here (DNS rebinding) carries a name that is not among them.
 */
public final class HostNames {
  private static final Pattern IPV4_LOOPBACK = Pattern.compile("127(\\.\\d{1,3}){3}");

  private static final Pattern ADDRESS =
      Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9A-Fa-f:.]+]");

  private final Set<String> allowed = new HashSet<>();
  private final @Nullable String publicOrigin;

  public HostNames(HttpConfig config) {
    for (String name : config.allowedHosts()) {
      allowed.add(nameOf(name.toLowerCase(Locale.ROOT)));
    }
    if (config.publicUrl().isEmpty()) {
      publicOrigin = null;
    } else {
      URI url = URI.create(config.publicUrl());
      allowed.add(url.getHost().toLowerCase(Locale.ROOT));
      publicOrigin = originOf(url);
    }
  }

  /** {@code name}: a lower-case name or address without a port; IPv6 with or without brackets. */
  static boolean isLoopback(String name) {
    return name.equals("localhost")
        || name.equals("::1")
        || name.equals("[::1]")
        || IPV4_LOOPBACK.matcher(name).matches();
  }

  public boolean isAllowed(@Nullable String hostHeader) {
    if (hostHeader == null || hostHeader.isEmpty()) {
      return false;
    }
    String name = nameOf(hostHeader.toLowerCase(Locale.ROOT));
    return isLoopback(name) || allowed.contains(name);
  }

  /**
   * Whether a probe may name this host: whoever watches machines knows them by their addresses, and
   * a name that was made to point here is never an address.
   */
  public boolean isAllowedForProbes(@Nullable String hostHeader) {
    return hostHeader == null
        || ADDRESS.matcher(nameOf(hostHeader)).matches()
        || isAllowed(hostHeader);
  }

  /**
   * Whether a page of {@code origin} is one of ours: same authority as the request, or the public
   * address.
   */
  public boolean isOwnOrigin(String origin, @Nullable String hostHeader) {
    String lower = origin.toLowerCase(Locale.ROOT);
    if (lower.equals(publicOrigin)) {
      return true;
    }
    if (hostHeader == null) {
      return false;
    }
    String host = hostHeader.toLowerCase(Locale.ROOT);
    return lower.equals("http://" + host) || lower.equals("https://" + host);
  }

  /**
   * Whether people reach the server by TLS under this name, so that its cookie must never travel in
   * the clear.
   */
  public boolean isSecure(@Nullable String hostHeader) {
    return publicOrigin != null
        && hostHeader != null
        && publicOrigin.equals("https://" + hostHeader.toLowerCase(Locale.ROOT));
  }

  private static String originOf(URI url) {
    String origin = url.getScheme() + "://" + url.getHost().toLowerCase(Locale.ROOT);
    boolean usual =
        url.getPort() < 0
            || (url.getScheme().equals("https") && url.getPort() == 443)
            || (url.getScheme().equals("http") && url.getPort() == 80);
    return usual ? origin : origin + ":" + url.getPort();
  }

  private static String nameOf(String host) {
    if (host.startsWith("[")) {
      int end = host.indexOf(']');
      return end < 0 ? host : host.substring(0, end + 1);
    }
    int colon = host.indexOf(':');
    return colon < 0 ? host : host.substring(0, colon);
  }
}
