package dev.holdfast.supervision;

/**
 * Who a supervised thread is.
 *
 * @param kind one of a few names, because it labels a metric: {@code orchestrator}, {@code replies}
 * @param id which one of its kind; empty when there is only one
 * @param platformThread for what must not share a carrier, such as code that calls into native
 *     libraries
 */
public record ChildSpec(String kind, String id, boolean platformThread) {
  public static ChildSpec virtual(String kind) {
    return new ChildSpec(kind, "", false);
  }

  public static ChildSpec virtual(String kind, String id) {
    return new ChildSpec(kind, id, false);
  }

  public static ChildSpec platform(String kind) {
    return new ChildSpec(kind, "", true);
  }

  /** As logs and people see it. */
  public String name() {
    return id.isEmpty() ? kind : kind + " " + id;
  }
}
