package dev.holdfast.net;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/**
 * Tells public addresses from all others. What is not known to be public is refused. Pure.
 *
 * <p>Source: IANA IPv4 and IPv6 Special-Purpose Address Registries, RFC 6890, RFC 6052, RFC 3056.
 */
final class AddressPolicy {
  private static final List<Block> REFUSED_4 =
      List.of(
          new Block("00000000", 8), // this network
          new Block("0a000000", 8), // private
          new Block("64400000", 10), // shared by a carrier's customers
          new Block("7f000000", 8), // loopback
          new Block("a83f8110", 32), // the services of a cloud (Azure) for its own machines
          new Block("a9fe0000", 16), // link-local, metadata services
          new Block("ac100000", 12), // private
          new Block("c0000000", 24), // protocol assignments
          new Block("c0000200", 24), // documentation
          new Block("c0586300", 24), // relays of 6to4
          new Block("c0a80000", 16), // private
          new Block("c6120000", 15), // benchmarks
          new Block("c6336400", 24), // documentation
          new Block("cb007100", 24), // documentation
          new Block("e0000000", 4), // multicast
          new Block("f0000000", 4)); // reserved, broadcast

  private static final Block NAT64 = block6("0064ff9b", 96);
  private static final Block SIX_TO_FOUR = block6("2002", 16);
  private static final Block GLOBAL_6 = block6("20", 3);

  /** Within {@link #GLOBAL_6}. */
  private static final List<Block> REFUSED_6 =
      List.of(
          block6("2001", 23), // protocol assignments, Teredo and benchmarks among them
          block6("20010db8", 32), // documentation
          block6("3fff", 20)); // documentation

  private AddressPolicy() {}

  /** The addresses whose first {@code bits} are those of {@code start}, which is in hexadecimal. */
  private record Block(String start, int bits) {
    boolean holds(byte[] address) {
      byte[] begin = HexFormat.of().parseHex(start);
      int whole = bits / 8;
      if (!Arrays.equals(begin, 0, whole, address, 0, whole)) {
        return false;
      }
      int rest = bits % 8;
      int mask = 0xff00 >> rest & 0xff;
      return rest == 0 || (begin[whole] & mask) == (address[whole] & mask);
    }
  }

  private static Block block6(String start, int bits) {
    return new Block((start + "0".repeat(32)).substring(0, 32), bits);
  }

  /** Whether anybody on the Internet could connect to it, and no one but its owner answers. */
  static boolean isPublic(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (address instanceof Inet4Address) {
      return isPublic4(bytes);
    }
    // A machine that translates would connect to the address within.
    if (NAT64.holds(bytes)) {
      return isPublic4(Arrays.copyOfRange(bytes, 12, 16));
    }
    if (SIX_TO_FOUR.holds(bytes)) {
      return isPublic4(Arrays.copyOfRange(bytes, 2, 6));
    }
    return GLOBAL_6.holds(bytes) && REFUSED_6.stream().noneMatch(block -> block.holds(bytes));
  }

  private static boolean isPublic4(byte[] bytes) {
    return REFUSED_4.stream().noneMatch(block -> block.holds(bytes));
  }

  /** {@code ::ffff:a.b.c.d} as {@code a.b.c.d}; any other address as it is. */
  static InetAddress plain(InetAddress address) {
    try {
      return InetAddress.getByAddress(Objects.requireNonNull(address.getAddress()));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 bytes", e);
    }
  }
}
