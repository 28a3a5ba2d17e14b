package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.thread.ThreadAgent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The agents that have nothing to do, the longest idle one first. Thread-safe. */
final class IdleAgents {
  private final Set<ThreadAgent> idle = new LinkedHashSet<>();

  /** Does nothing when it is not idle any more. */
  synchronized void add(ThreadAgent agent) {
    idle.remove(agent);
    if (agent.idleSince().isPresent()) {
      idle.add(agent);
    }
  }

  /** The longest idle one that agreed to leave; empty when all have work again. */
  synchronized Optional<ThreadAgent> retireOldest() {
    for (Iterator<ThreadAgent> each = idle.iterator(); each.hasNext(); ) {
      ThreadAgent agent = each.next();
      each.remove();
      if (agent.retire()) {
        return Optional.of(agent);
      }
    }
    return Optional.empty();
  }

  /** Those that have been idle since before {@code limit} and agreed to leave. */
  synchronized List<ThreadAgent> retireSince(Instant limit) {
    List<ThreadAgent> retired = new ArrayList<>();
    for (Iterator<ThreadAgent> each = idle.iterator(); each.hasNext(); ) {
      ThreadAgent agent = each.next();
      Optional<Instant> since = agent.idleSince();
      if (since.isPresent() && since.get().isAfter(limit)) {
        break;
      }
      each.remove();
      if (since.isPresent() && agent.retire()) {
        retired.add(agent);
      }
    }
    return retired;
  }
}
