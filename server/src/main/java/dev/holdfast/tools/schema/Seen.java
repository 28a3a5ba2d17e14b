package dev.holdfast.tools.schema;

import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;

/** Which members of one value were dealt with, for the {@code unevaluated} keywords. */
final class Seen {
  private final boolean isKept;
  private final Set<String> names = new HashSet<>();
  private final BitSet items = new BitSet();

  /** {@code isKept}: whether anybody asks. */
  Seen(boolean isKept) {
    this.isKept = isKept;
  }

  void add(String name) {
    if (isKept) {
      names.add(name);
    }
  }

  void add(int item) {
    if (isKept) {
      items.set(item);
    }
  }

  void addAll(Seen other, Evaluation run) {
    if (isKept) {
      run.steps(other.names.size() + other.items.length() / Long.SIZE);
      names.addAll(other.names);
      items.or(other.items);
    }
  }

  boolean has(String name) {
    return names.contains(name);
  }

  boolean has(int item) {
    return items.get(item);
  }
}
