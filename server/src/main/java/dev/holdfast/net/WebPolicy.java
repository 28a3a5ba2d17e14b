package dev.holdfast.net;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * What strangers may make this server connect to: public addresses, and what the operator lets
 * through.
 *
 * @param allowHosts names and addresses, with {@code :port} or for any port, as they stand in the
 *     address that is asked for
 * @param ownPorts on which this server itself listens: refused whatever is let through
 */
public record WebPolicy(Set<String> allowHosts, Supplier<Set<Integer>> ownPorts) {
  public WebPolicy {
    allowHosts =
        allowHosts.stream()
            .map(host -> host.toLowerCase(Locale.ROOT).replaceAll("^\\[([^]]*)]$", "$1"))
            .collect(Collectors.toUnmodifiableSet());
  }

  public static WebPolicy publicOnly() {
    return new WebPolicy(Set.of(), Set::of);
  }

  boolean isLetThrough(WebAddress address) {
    return allowHosts.contains(address.host()) || allowHosts.contains(address.hostAndPort());
  }

  /**
   * One bad address spoils the name: who answers with a public and a private one has something in
   * mind.
   */
  void judge(WebAddress address, List<InetAddress> resolved) throws WebAddress.RefusedException {
    judge(address, resolved, WebPolicy::isOurs);
  }

  /**
   * @param ours which addresses are this machine's: also of a public one, what listens there may be
   *     closed to others
   */
  void judge(WebAddress address, List<InetAddress> resolved, Predicate<InetAddress> ours)
      throws WebAddress.RefusedException {
    boolean letThrough = isLetThrough(address);
    for (InetAddress found : resolved) {
      InetAddress plain = AddressPolicy.plain(found);
      boolean isHere = ours.test(plain);
      if (!letThrough && (isHere || !AddressPolicy.isPublic(plain))) {
        throw new WebAddress.RefusedException(
            address.host() + " is not a public address; only those are fetched");
      }
      if (ownPorts.get().contains(address.port()) && isHere) {
        throw new WebAddress.RefusedException("this server does not fetch from itself");
      }
    }
  }

  void judgeName(WebAddress address) throws WebAddress.RefusedException {
    if (address.isLocalName() && !isLetThrough(address)) {
      throw new WebAddress.RefusedException(
          address.host() + " is a name of the local network; only public ones are fetched");
    }
  }

  private static boolean isOurs(InetAddress address) {
    try {
      return address.isLoopbackAddress()
          || address.isAnyLocalAddress()
          || NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException _) {
      return true; // what cannot be told is not risked
    }
  }
}
