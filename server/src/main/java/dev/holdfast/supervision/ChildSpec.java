package dev.holdfast.supervision;

import java.util.Set;

/**
 * Who a supervised thread is.
 *
 * @param kind one of a few names, because it labels a metric: {@code orchestrator}, {@code replies}
 * @param id which one of its kind; empty when there is only one
 * @param platformThread for what must not share a carrier, such as code that calls into native
 *     libraries
 * @param criticality what happens when it crashes too often
 * @param needs kinds of children that are started before it, and stopped after it
 */
public record ChildSpec(
    String kind, String id, boolean platformThread, Criticality criticality, Set<String> needs) {
  public ChildSpec {
    needs = Set.copyOf(needs);
  }

  public static ChildSpec virtual(String kind) {
    return virtual(kind, "");
  }

  public static ChildSpec virtual(String kind, String id) {
    return new ChildSpec(kind, id, false, Criticality.CRITICAL, Set.of());
  }

  public static ChildSpec platform(String kind) {
    return new ChildSpec(kind, "", true, Criticality.CRITICAL, Set.of());
  }

  /** One that the process can live without, or not; by itself it cannot. */
  public ChildSpec as(Criticality other) {
    return new ChildSpec(kind, id, platformThread, other, needs);
  }

  /** One that builds on children of these kinds. */
  public ChildSpec needing(String... kinds) {
    return new ChildSpec(kind, id, platformThread, criticality, Set.of(kinds));
  }

  /** As logs and people see it. */
  public String name() {
    return id.isEmpty() ? kind : kind + " " + id;
  }
}
