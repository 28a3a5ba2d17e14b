package dev.holdfast.tools.schema;

import java.util.Collection;
import java.util.IdentityHashMap;

/** How many schemas one value may be held against, wherever in the value it stands. */
final class InPlaceWork {
  private static final int SCHEMAS_MAX = 10_000;
  private static final int DEPTH_MAX = 200;
  private static final long UNDER_WAY = -1;

  private final IdentityHashMap<SchemaNode, Long> known = new IdentityHashMap<>();

  private InPlaceWork() {}

  static void check(Collection<SchemaNode> nodes) throws SchemaRefusedException {
    InPlaceWork work = new InPlaceWork();
    for (SchemaNode node : nodes) {
      long _ = work.of(node, 1);
    }
  }

  private long of(SchemaNode node, int depth) throws SchemaRefusedException {
    Long before = known.get(node);
    if (before != null && before == UNDER_WAY) {
      throw new SchemaRefusedException("refers to itself without an end");
    }
    if (before != null) {
      return before;
    }
    if (depth > DEPTH_MAX) {
      throw new SchemaRefusedException("refers through more than " + DEPTH_MAX + " schemas");
    }
    known.put(node, UNDER_WAY);
    long schemas = 1;
    for (SchemaNode each : node.inPlace()) {
      schemas += of(each, depth + 1);
      if (schemas > SCHEMAS_MAX) {
        throw new SchemaRefusedException(
            "holds one value against more than " + SCHEMAS_MAX + " schemas");
      }
    }
    known.put(node, schemas);
    return schemas;
  }
}
