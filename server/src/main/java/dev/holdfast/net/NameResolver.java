package dev.holdfast.net;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Finds the addresses of a name. Blocks; thread-safe. */
@FunctionalInterface
public interface NameResolver {
  /** At least one, the best first. */
  List<InetAddress> resolve(String name) throws UnknownHostException;

  /** The machine's own. It cannot be interrupted: whoever calls it must not wait for it. */
  NameResolver SYSTEM = name -> List.of(InetAddress.getAllByName(name));
}
