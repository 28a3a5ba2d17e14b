package dev.holdfast.bus;

import dev.holdfast.resilience.BreakerPermit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The events that are under way. Each but the first may be stored only behind the one before it, so
 * that none overtakes one that is lost or refused: that one and all behind it are published again.
 * A next chain begins when nothing is under way any more. Used by the publisher's thread alone.
 */
final class Chain {
  /** Enough for a broker that is near; what is under way when a link breaks was in vain. */
  private static final int LENGTH_MAX = 512;

  private static final int LENGTH_MIN = 16;
  private static final long UNITS_MAX = 4L * 1024 * 1024;

  private final Map<Long, Link> links = new LinkedHashMap<>();
  private String last = "";
  private boolean broken;
  private int lengthMax = LENGTH_MAX;
  private long units;

  /**
   * One event.
   *
   * @param after the id of the event before it; empty for the first
   * @param permit of the breaker, when it asked for one
   */
  record Link(QueuedEvent event, String after, @Nullable BreakerPermit permit) {
    boolean isFirst() {
      return after.isEmpty();
    }
  }

  boolean isEmpty() {
    return links.isEmpty();
  }

  /** Whether another event may be published now. */
  boolean mayGrow() {
    return links.isEmpty() || (!broken && links.size() < lengthMax && units < UNITS_MAX);
  }

  /** Whether nothing is stored any more until the next one begins. */
  boolean isBroken() {
    return broken;
  }

  Link add(QueuedEvent event, @Nullable BreakerPermit permit) {
    Link link = new Link(event, links.isEmpty() ? "" : last, permit);
    broken = broken && !links.isEmpty();
    links.put(event.seq(), link);
    units += event.payload().length();
    last = event.id();
    return link;
  }

  /** It was answered; null when nobody waits for that. */
  @Nullable Link remove(long seq) {
    Link link = links.remove(seq);
    if (link != null) {
      units -= link.event().payload().length();
    }
    return link;
  }

  /** One was stored. */
  void stored() {
    if (lengthMax < LENGTH_MAX) {
      lengthMax++;
    }
  }

  /** One was not stored, so nothing behind it is. */
  void broke() {
    broken = true;
  }

  /** Others publish to the stream, too: the longer it is, the more often one comes between. */
  void disturbed() {
    lengthMax = Math.max(LENGTH_MIN, lengthMax / 2);
  }

  /** Ends it; returns what was under way. */
  List<Link> clear() {
    List<Link> rest = List.copyOf(links.values());
    links.clear();
    units = 0;
    lengthMax = LENGTH_MAX;
    return rest;
  }
}
