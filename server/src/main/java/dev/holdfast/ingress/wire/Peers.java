package dev.holdfast.ingress.wire;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.TreeMap;

/**
 * Where the connections of one event loop come from, so that one of them can make room for another:
 * that of an address with many, which waits for nothing. Used on that event loop only.
 */
final class Peers {
  private static final int LOOKED_AT_MAX = 64;

  private final Map<String, Peer> byAddress = new HashMap<>();
  private final NavigableMap<Integer, SequencedSet<Peer>> bySize = new TreeMap<>();

  /** What a connection waits for. */
  enum Doing {
    /** For the first byte of a request. */
    IDLE,
    /** For the rest of one. */
    UNFINISHED,
    /** For the server. */
    BUSY
  }

  /** One address, or what counts as one. */
  static final class Peer {
    private final String address;
    private final SequencedSet<RequestLimits> idle = new LinkedHashSet<>();
    private final SequencedSet<RequestLimits> unfinished = new LinkedHashSet<>();
    private int size;

    private Peer(String address) {
      this.address = address;
    }

    /** It does the one thing no longer, but the other. */
    void moved(RequestLimits connection, Doing from, Doing to) {
      remove(connection, from);
      switch (to) {
        case IDLE -> idle.addLast(connection);
        case UNFINISHED -> unfinished.addLast(connection);
        case BUSY -> {
          // It makes no room.
        }
      }
    }

    private void remove(RequestLimits connection, Doing from) {
      switch (from) {
        case IDLE -> idle.remove(connection);
        case UNFINISHED -> unfinished.remove(connection);
        case BUSY -> {
          // It is in neither.
        }
      }
    }

    private Optional<RequestLimits> oldest() {
      return idle.stream().findFirst().or(() -> unfinished.stream().findFirst());
    }
  }

  /** A new connection of that address, which is idle. */
  Peer enter(String address, RequestLimits connection) {
    Peer peer = byAddress.computeIfAbsent(address, Peer::new);
    resize(peer, peer.size + 1);
    peer.idle.addLast(connection);
    return peer;
  }

  void leave(Peer peer, RequestLimits connection, Doing last) {
    peer.remove(connection, last);
    resize(peer, peer.size - 1);
    if (peer.size == 0) {
      byAddress.remove(peer.address);
    }
  }

  private void resize(Peer peer, int size) {
    SequencedSet<Peer> before = bySize.get(peer.size);
    if (before != null) {
      before.remove(peer);
      if (before.isEmpty()) {
        bySize.remove(peer.size);
      }
    }
    peer.size = size;
    if (size > 0) {
      bySize.computeIfAbsent(size, _ -> new LinkedHashSet<>()).addLast(peer);
    }
  }

  /**
   * Which connection can make room for one of that address: the one that has been idle for longest,
   * else the oldest unfinished one, of the address with most, which has no fewer than that of the
   * newcomer.
   */
  Optional<RequestLimits> toMakeRoomFor(String address) {
    Peer own = byAddress.get(address);
    return bySize.tailMap(own == null ? 0 : own.size, true).descendingMap().values().stream()
        .flatMap(SequencedSet::stream)
        .limit(LOOKED_AT_MAX)
        .flatMap(peer -> peer.oldest().stream())
        .findFirst();
  }

  /** The address with most connections; empty when there is none. */
  String largest() {
    return bySize.isEmpty() ? "" : bySize.lastEntry().getValue().getFirst().address;
  }
}
