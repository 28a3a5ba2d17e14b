package dev.holdfast.ingress.wire;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * The memory that request bodies may take together, over all event loops, and how much of it one
 * holder, an address, an account or a caller, may have. Bytes are booked as they arrive. When they
 * do not fit, the oldest body that is still on its way makes room: an honest one is short-lived.
 * Thread-safe.
 */
public final class BodyBudget {
  /** A body's buffers are up to twice as large as what has arrived of it. */
  private static final int BYTES_PER_BYTE = 2;

  private static final int HEAP_SHARE = 8;

  private final long shareBytesMax;
  private final Holder all;
  private final Map<String, Holder> holders = new HashMap<>();

  /** What came of asking for more. */
  enum Grant {
    GRANTED,
    /** One of its holders has its share already. */
    SHARE_IS_USED,
    /** All is in use by bodies that cannot make room. */
    ALL_IS_USED
  }

  /** Whoever has bodies in memory. */
  private static final class Holder {
    final long bytesMax;
    final SequencedSet<Booking> strangers = new LinkedHashSet<>();
    final SequencedSet<Booking> known = new LinkedHashSet<>();
    long bytes;
    int bookings;

    Holder(long bytesMax) {
      this.bytesMax = bytesMax;
    }

    /** The next one to make room: a known caller's body yields to known callers' alone. */
    @Nullable Booking oldest(boolean forKnown) {
      if (!strangers.isEmpty()) {
        return strangers.getFirst();
      }
      return forKnown && !known.isEmpty() ? known.getFirst() : null;
    }
  }

  /** {@code bytesMax}: of memory; a holder may have half of it. */
  public BodyBudget(long bytesMax) {
    this.all = new Holder(bytesMax);
    this.shareBytesMax = bytesMax / 2;
  }

  /**
   * An eighth of the heap, and at least what one holder needs for one body of {@code bodyBytesMax}.
   */
  public static BodyBudget ofHeap(long bodyBytesMax) {
    long heap = Runtime.getRuntime().maxMemory();
    return new BodyBudget(Math.max(heap / HEAP_SHARE, 2 * BYTES_PER_BYTE * bodyBytesMax));
  }

  /**
   * Begins to book a body.
   *
   * @param known whether its sender has proved who it is
   * @param makeRoom called once, on any thread and to return at once, when the body has to go; its
   *     bytes are given back already
   */
  synchronized Booking open(List<String> holderNames, boolean known, Runnable makeRoom) {
    List<Holder> mine = new ArrayList<>();
    mine.add(all);
    for (String name : holderNames) {
      mine.add(holders.computeIfAbsent(name, _ -> new Holder(shareBytesMax)));
    }
    Booking booking = new Booking(holderNames, mine, known, makeRoom);
    for (Holder holder : mine) {
      holder.bookings++;
      (known ? holder.known : holder.strangers).add(booking);
    }
    return booking;
  }

  /** Of all bodies, in bytes of memory. */
  synchronized long bytes() {
    return all.bytes;
  }

  synchronized int holders() {
    return holders.size();
  }

  /** One body. */
  final class Booking {
    private final List<String> names;
    private final List<Holder> mine;
    private final boolean known;
    private final Runnable makeRoom;
    private long bytes;
    private boolean closed;

    private Booking(List<String> names, List<Holder> mine, boolean known, Runnable makeRoom) {
      this.names = names;
      this.mine = mine;
      this.known = known;
      this.makeRoom = makeRoom;
    }

    /** So many more bytes of the body have come. */
    Grant add(long arrived) {
      synchronized (BodyBudget.this) {
        if (closed) {
          return Grant.ALL_IS_USED; // told to make room in this moment
        }
        long more = arrived * BYTES_PER_BYTE;
        for (Holder holder : mine.reversed()) {
          if (!makeRoom(holder, more)) {
            return holder == all ? Grant.ALL_IS_USED : Grant.SHARE_IS_USED;
          }
        }
        bytes += more;
        mine.forEach(holder -> holder.bytes += more);
        return Grant.GRANTED;
      }
    }

    private boolean makeRoom(Holder holder, long more) {
      while (holder.bytes + more > holder.bytesMax) {
        Booking oldest = holder.oldest(known);
        if (oldest == null || oldest == this) {
          return false;
        }
        oldest.close();
        oldest.makeRoom.run();
      }
      return true;
    }

    /** It has come whole: it is in use now, and makes no more room. */
    void complete() {
      synchronized (BodyBudget.this) {
        for (Holder holder : mine) {
          holder.strangers.remove(this);
          holder.known.remove(this);
        }
      }
    }

    /** Its memory is free again. */
    void close() {
      synchronized (BodyBudget.this) {
        if (closed) {
          return;
        }
        closed = true;
        complete();
        for (Holder holder : mine) {
          holder.bytes -= bytes;
          holder.bookings--;
        }
        for (String name : names) {
          holders.computeIfPresent(name, (_, holder) -> holder.bookings == 0 ? null : holder);
        }
      }
    }
  }
}
