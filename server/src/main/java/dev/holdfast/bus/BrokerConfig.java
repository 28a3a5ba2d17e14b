package dev.holdfast.bus;

import dev.holdfast.config.Check;
import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Section;
import dev.holdfast.natskit.NatsAddresses;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;

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
   * @param caFile path of the certificates, in PEM, that TLS trusts; empty for those of Java
   * @param stream name of the stream; made when there is none
   * @param replicas of a stream that is made
   * @param monitorUrl of the server's monitoring, which {@code doctor} asks; empty when unknown
   * @param control whether programs may ask the server to do something
   */
  public record Nats(
      List<String> servers,
      String creds,
      String caFile,
      String stream,
      int replicas,
      boolean trustedNetwork,
      String monitorUrl,
      boolean control) {
    static final String SECTION = "broker.nats.";

    public Nats {
      servers = List.copyOf(servers);
      Check.that(!servers.isEmpty(), "servers", "must name at least one server");
      for (String server : servers) {
        Optional<String> problem =
            NatsAddresses.problem(server, !creds.isEmpty(), trustedNetwork, SECTION);
        if (problem.isPresent()) {
          throw new RefusedValueException("servers", problem.get());
        }
      }
      Check.that(
          stream.matches("[A-Za-z0-9_-]{1,64}"),
          "stream",
          "must have 1 to 64 letters, digits, _ or -, got " + stream);
      Check.inRange("replicas", replicas, 1, 5);
      Check.that(
          caFile.isEmpty() || servers.stream().anyMatch(NatsAddresses::isTls),
          "ca_file",
          "is used for tls:// only, and servers has no such address");
      Check.that(
          monitorUrl.isEmpty() || isWebAddress(monitorUrl),
          "monitor_url",
          "must be an address like http://127.0.0.1:8222, got " + NatsAddresses.shown(monitorUrl));
    }

    private static boolean isWebAddress(String text) {
      try {
        URI address = new URI(text);
        return address.getHost() != null
            && ("http".equals(address.getScheme()) || "https".equals(address.getScheme()));
      } catch (URISyntaxException _) {
        return false;
      }
    }

    /** The addresses as people may read them. */
    public String shown() {
      return NatsAddresses.shown(servers);
    }

    static Nats from(Section nats) {
      return new Nats(
          nats.texts("servers", List.of("nats://127.0.0.1:4222")),
          nats.text("creds", ""),
          nats.text("ca_file", ""),
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
