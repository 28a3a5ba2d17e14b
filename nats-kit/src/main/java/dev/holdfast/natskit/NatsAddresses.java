package dev.holdfast.natskit;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Addresses of NATS servers with the schemes {@code nats} or {@code tls}, which may hold a user and
 * a password, or a token; and what may be said of them.
 */
public final class NatsAddresses {
  private static final Set<String> SCHEMES = Set.of("nats", "tls");
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]", "::1");
  private static final int PORT_MAX = 65_535;
  private static final Pattern REFUSED =
      Pattern.compile("(?i)^(?!.*permissions violation).*(authori[sz]ation|authentication)");

  private NatsAddresses() {}

  /**
   * Why an address cannot be used; empty when it can. Nobody else may read or write what goes over
   * the network.
   *
   * @param section what stands before the keys that are named: empty, or ends with a dot
   */
  public static Optional<String> problem(
      String server, boolean hasCreds, boolean isTrustedNetwork, String section) {
    URI address;
    try {
      address = new URI(server.strip());
    } catch (URISyntaxException _) { // its words hold the password
      return Optional.of(wrong(server));
    }
    if (address.getScheme() == null
        || address.getHost() == null
        || !SCHEMES.contains(address.getScheme().toLowerCase(Locale.ROOT))
        || !address.getRawPath().isEmpty()
        || address.getPort() == 0
        || address.getPort() > PORT_MAX
        || server.indexOf('@') != server.lastIndexOf('@')) {
      return Optional.of(wrong(server));
    }
    boolean isKnown = hasCreds || address.getUserInfo() != null;
    if (isTrustedNetwork
        || LOOPBACK.contains(address.getHost().toLowerCase(Locale.ROOT))
        || (isTls(server) && isKnown)) {
      return Optional.empty();
    }
    return Optional.of(
        "servers: "
            + shown(server)
            + (isTls(server)
                ? " is reached without credentials; set creds or put user:password@ into it"
                : " is reached without TLS; write tls://")
            + ", or set %strusted_network: true if nobody else is on that network"
                .formatted(section));
  }

  private static String wrong(String server) {
    return "servers must be addresses like nats://127.0.0.1:4222 or tls://nats.example.org:4222,"
        + " got "
        + shown(server)
        + (server.contains("@")
            ? "; in a user or password, write % and two hexadecimal digits for anything but"
                + " letters, digits, - . _ ~ (%2F for /)"
            : "");
  }

  public static boolean isTls(String server) {
    return server.strip().toLowerCase(Locale.ROOT).startsWith("tls:");
  }

  /** A text with addresses, without user, password or token, whatever characters are in them. */
  public static String shown(String text) {
    int at = text.lastIndexOf('@');
    int scheme = text.indexOf("//");
    int from = scheme < 0 || scheme > at ? 0 : scheme + 2;
    return at < 0 ? text : text.substring(0, from) + "***" + text.substring(at);
  }

  /** All of them, as people may read them. */
  public static String shown(List<String> servers) {
    return String.join(", ", servers.stream().map(NatsAddresses::shown).toList());
  }

  /** What the library says, without the passwords of the addresses that it names. */
  public static String said(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank()
        ? failure.getClass().getSimpleName()
        : shown(message);
  }

  /** Whether a user is not let in, as the server or the library says it. */
  public static boolean isRefusal(String why) {
    return REFUSED.matcher(why).find();
  }
}
