package dev.holdfast.resilience;

import java.util.List;

/**
 * On whose behalf something waits in a {@link FairLine}.
 *
 * @param path from the general to the particular, for example an account and a sender of it
 */
public record FlowKey(List<String> path) {
  /** For work of the server itself. */
  public static final FlowKey NONE = new FlowKey(List.of());

  public FlowKey {
    path = List.copyOf(path);
  }
}
