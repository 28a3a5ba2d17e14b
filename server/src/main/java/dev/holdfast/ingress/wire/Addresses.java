package dev.holdfast.ingress.wire;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Who is at the other end of a connection; a forwarded-for header is anybody's word. */
public final class Addresses {
  private Addresses() {}

  static String group(@Nullable SocketAddress remote) {
    return remote instanceof InetSocketAddress socket && socket.getAddress() != null
        ? group(socket.getAddress().getHostAddress())
        : "unknown";
  }

  /** One household of IPv6 has 2^64 addresses: it counts as one. */
  public static String group(String address) {
    int colons = 0;
    for (int i = 0; i < address.length(); i++) {
      if (address.charAt(i) == ':' && ++colons == 4) {
        return address.substring(0, i);
      }
    }
    return address;
  }
}
