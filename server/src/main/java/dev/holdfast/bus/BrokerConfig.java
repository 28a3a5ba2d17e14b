package dev.holdfast.bus;

import dev.holdfast.config.Check;
import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Section;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The {@code broker} section of holdfast.yaml.
 *
 * @param nats counts only when {@code kind} is NATS
 */
public record BrokerConfig(Kind kind, Nats nats, Queue queue) {
  /** Where events go. */
  public enum Kind {
    /** To nobody outside this process. */
    EMBEDDED,
    /** To a stream of NATS JetStream. */
    NATS
  }

  /** What happens to an event that finds the queue full. */
  public enum Overflow {
    /** No new message is accepted; what cannot be refused any more becomes a dead letter. */
    REJECT,
    /** The oldest event becomes a dead letter. */
    SHED_OLDEST
  }

  /**
   * How NATS is reached.
   *
   * @param servers addresses with the schemes {@code nats} or {@code tls}, which may hold a user
   *     and a password, or a token
   * @param creds path of a credentials file; empty for none
   * @param stream name of the stream; made when there is none
   * @param replicas of a stream that is made
   * @param monitorUrl of the server's monitoring, which {@code doctor} asks; empty when unknown
   * @param control whether programs may ask the server to do something
   */
  public record Nats(
      List<String> servers,
      String creds,
      String stream,
      int replicas,
      boolean trustedNetwork,
      String monitorUrl,
      boolean control) {
    private static final Set<String> SCHEMES = Set.of("nats", "tls");
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]", "::1");

    public Nats {
      servers = List.copyOf(servers);
      Check.that(!servers.isEmpty(), "servers", "must name at least one server");
      for (String server : servers) {
        check(server, !creds.isEmpty(), trustedNetwork);
      }
      Check.that(
          stream.matches("[A-Za-z0-9_-]{1,64}"),
          "stream",
          "must have 1 to 64 letters, digits, _ or -, got " + stream);
      Check.inRange("replicas", replicas, 1, 5);
    }

    /** Nobody else may read or write what goes over the network. */
    private static void check(String server, boolean hasCreds, boolean trustedNetwork) {
      URI address = parse(server);
      boolean isTls = address.getScheme().equalsIgnoreCase("tls");
      boolean isKnown = hasCreds || address.getUserInfo() != null;
      String host = address.getHost().toLowerCase(Locale.ROOT);
      if (LOOPBACK.contains(host) || trustedNetwork || (isTls && isKnown)) {
        return;
      }
      throw new RefusedValueException(
          "servers",
          "servers: "
              + shown(server)
              + (isTls
                  ? " is reached without credentials; set creds or put user:password@ into it"
                  : " is reached without TLS; write tls://")
              + ", or set broker.nats.trusted_network: true if nobody else is on that network");
    }

    private static URI parse(String server) {
      URI address;
      try {
        address = new URI(server);
      } catch (URISyntaxException _) { // its words hold the password
        throw refused(server);
      }
      if (address.getScheme() == null
          || address.getHost() == null
          || !SCHEMES.contains(address.getScheme().toLowerCase(Locale.ROOT))
          || !address.getRawPath().isEmpty()
          || server.indexOf('@') != server.lastIndexOf('@')) {
        throw refused(server);
      }
      return address;
    }

    private static RefusedValueException refused(String server) {
      return new RefusedValueException(
          "servers",
          "servers must be addresses like nats://127.0.0.1:4222 or tls://nats.example.org:4222, got"
              + " "
              + shown(server)
              + (server.contains("@")
                  ? "; in a user or password, write % and two hexadecimal digits for anything but"
                      + " letters, digits, - . _ ~ (%2F for /)"
                  : ""));
    }

    /** Without user, password or token, whatever characters are in them. */
    static String shown(String text) {
      int at = text.lastIndexOf('@');
      int scheme = text.indexOf("//");
      int from = scheme < 0 || scheme > at ? 0 : scheme + 2;
      return at < 0 ? text : text.substring(0, from) + "***" + text.substring(at);
    }

    /** The addresses as people may read them. */
    public String shown() {
      return String.join(", ", servers.stream().map(Nats::shown).toList());
    }

    static Nats from(Section nats) {
      return new Nats(
          nats.texts("servers", List.of("nats://127.0.0.1:4222")),
          nats.text("creds", ""),
          nats.text("stream", "HOLDFAST"),
          nats.whole("replicas", 1),
          nats.flag("trusted_network", false),
          nats.text("monitor_url", ""),
          nats.flag("control", false));
    }
  }

  /**
   * What waits until NATS has taken it.
   *
   * @param attemptsMax how often NATS may refuse one event before it becomes a dead letter
   */
  public record Queue(int eventsMax, int attemptsMax, Overflow overflow) {
    public Queue {
      Check.inRange("max_events", eventsMax, 100, 10_000_000);
      Check.inRange("max_attempts", attemptsMax, 1, 100);
    }

    static Queue from(Section queue) {
      return new Queue(
          queue.whole("max_events", 10_000),
          queue.whole("max_attempts", 3),
          queue.choice("overflow", Overflow.class, Overflow.REJECT));
    }
  }

  public static BrokerConfig from(Section broker) {
    return new BrokerConfig(
        broker.choice("kind", Kind.class, Kind.EMBEDDED),
        broker.section("nats").read(Nats::from),
        broker.section("disk_queue").read(Queue::from));
  }

  /** How NATS is reached; empty when events go to nobody outside. */
  public Optional<Nats> remote() {
    return kind == Kind.NATS ? Optional.of(nats) : Optional.empty();
  }
}
