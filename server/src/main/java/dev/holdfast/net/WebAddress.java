package dev.holdfast.net;

import java.net.IDN;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An address of the web, read in one way only: what other readers could take for something else is
 * refused.
 *
 * @param url as it is sent: plain ASCII, without a fragment
 * @param host in lower case; an IPv6 address without its brackets
 * @param port never absent
 */
record WebAddress(String url, String host, int port) {
  private static final int UNITS_MAX = 8192;

  /** Of names that stand for something on this machine or in this building. */
  private static final List<String> LOCAL_ENDINGS =
      List.of("localhost", "local", "internal", "localdomain", "home.arpa", "intranet", "lan");

  private static final Pattern IPV4 = Pattern.compile("(0|[1-9]\\d{0,2})(\\.(0|[1-9]\\d{0,2})){3}");

  /** A last label that makes some readers take the whole for a number: 0x7f.1, 2130706433. */
  private static final Pattern NUMERIC_END = Pattern.compile("(.*\\.)?(\\d+|0[xX][0-9a-fA-F]*)");

  private static final Pattern NAME =
      Pattern.compile("[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*");

  /** Why an address is not read; for whoever gave it. */
  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    RefusedException(String why) {
      super(why);
    }

    String why() {
      return String.valueOf(getMessage());
    }
  }

  /** Never blocks: no name is resolved. */
  static WebAddress of(String text) throws RefusedException {
    if (text.length() > UNITS_MAX) {
      throw new RefusedException("the address is too long");
    }
    URI uri = parse(text);
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (!scheme.equals("http") && !scheme.equals("https")) {
      throw new RefusedException("only http:// and https:// addresses are fetched");
    }
    String authority = uri.getRawAuthority();
    if (authority == null || authority.isEmpty()) {
      throw new RefusedException("the address names no host");
    }
    if (authority.indexOf('@') >= 0) {
      throw new RefusedException("an address with a user in it is not fetched");
    }
    return of(scheme, authority, uri);
  }

  /** Where a redirect leads. */
  WebAddress resolve(String location) throws RefusedException {
    try {
      return of(new URI(url).resolve(parse(location)).toString());
    } catch (URISyntaxException | IllegalArgumentException e) {
      throw new RefusedException("the page leads to what is not an address");
    }
  }

  /** The host as an address, when it is one. */
  Optional<InetAddress> literal() {
    if (host.indexOf(':') >= 0 || IPV4.matcher(host).matches()) {
      return Optional.of(AddressPolicy.plain(InetAddress.ofLiteral(host)));
    }
    return Optional.empty();
  }

  /** Whether the name can only stand for something nearby, whatever it resolves to. */
  boolean isLocalName() {
    return literal().isEmpty()
        && (host.indexOf('.') < 0
            || LOCAL_ENDINGS.stream()
                .anyMatch(ending -> host.equals(ending) || host.endsWith("." + ending)));
  }

  String hostAndPort() {
    return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
  }

  private static URI parse(String text) throws RefusedException {
    try {
      return new URI(text.strip());
    } catch (URISyntaxException e) {
      throw new RefusedException("the address is not valid");
    }
  }

  private static WebAddress of(String scheme, String authority, URI uri) throws RefusedException {
    boolean bracketed = authority.startsWith("[");
    int colon = bracketed ? authority.indexOf("]:") + 1 : authority.lastIndexOf(':');
    String hostPart = colon > 0 ? authority.substring(0, colon) : authority;
    int port = port(colon > 0 ? authority.substring(colon + 1) : "", scheme);
    String host = bracketed ? ipv6(hostPart) : name(hostPart);
    String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    String shown = bracketed ? "[" + host + "]" : host;
    boolean usual = port == (scheme.equals("https") ? 443 : 80);
    String url = scheme + "://" + shown + (usual ? "" : ":" + port) + path + query;
    try {
      return new WebAddress(new URI(url).toASCIIString(), host, port);
    } catch (URISyntaxException e) {
      throw new RefusedException("the address is not valid");
    }
  }

  private static int port(String text, String scheme) throws RefusedException {
    if (text.isEmpty()) {
      return scheme.equals("https") ? 443 : 80;
    }
    if (!text.matches("\\d{1,5}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > 65535) {
      throw new RefusedException("the port is not valid");
    }
    return Integer.parseInt(text);
  }

  private static String ipv6(String bracketed) throws RefusedException {
    String inner = bracketed.replaceAll("^\\[|]$", "").toLowerCase(Locale.ROOT);
    // A zone would name an interface of this machine.
    if (!bracketed.endsWith("]") || inner.indexOf('%') >= 0 || inner.indexOf(':') < 0) {
      throw new RefusedException("the host is not valid");
    }
    try {
      String _ = InetAddress.ofLiteral(inner).getHostAddress();
      return inner;
    } catch (IllegalArgumentException e) {
      throw new RefusedException("the host is not valid");
    }
  }

  /** Letters that look like others become those others first; then it is judged. */
  private static String name(String part) throws RefusedException {
    String host;
    try {
      host = IDN.toASCII(part, IDN.ALLOW_UNASSIGNED).toLowerCase(Locale.ROOT);
    } catch (IllegalArgumentException e) {
      throw new RefusedException("the host is not valid");
    }
    if (host.endsWith(".")) {
      throw new RefusedException("a host that ends with a dot is not fetched");
    }
    if (host.length() > 253 || !NAME.matcher(host).matches()) {
      throw new RefusedException("the host is not valid");
    }
    if (NUMERIC_END.matcher(host).matches() && !isIpv4(host)) {
      throw new RefusedException("an address in numbers must be like 192.0.2.1");
    }
    return host;
  }

  private static boolean isIpv4(String host) {
    if (!IPV4.matcher(host).matches()) {
      return false;
    }
    for (String part : host.split("\\.", -1)) {
      if (Integer.parseInt(part) > 255) {
        return false;
      }
    }
    return true;
  }
}
