package dev.holdfast.tools;

import dev.holdfast.api.ToolSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one request to a model offers.
 *
 * @param specs with their definitions
 * @param named of those that a search finds, as many names as fit; empty when all are in {@code
 *     specs}
 * @param unnamed how many more there are
 */
public record ToolOffer(List<ToolSpec> specs, List<String> named, int unnamed) {
  /** More than so many are searched. */
  static final int TOOLS_MAX = 40;

  /** So are those that take more than one part in so many of the model's window. */
  private static final int WINDOW_PARTS = 20;

  private static final int UNITS_PER_TOKEN = 3;

  public ToolOffer {
    specs = List.copyOf(specs);
    named = List.copyOf(named);
  }

  /**
   * All tools; when they are many or large, the server's own, a search for the others, and of these
   * the newest that were found, as far as they are neither.
   *
   * @param found names in the order in which a turn found them
   */
  static ToolOffer of(
      List<ToolSpec> own,
      List<ToolSpec> others,
      ToolSpec search,
      int windowTokens,
      List<String> found) {
    long unitsMax = (long) windowTokens * UNITS_PER_TOKEN / WINDOW_PARTS;
    List<ToolSpec> all = new ArrayList<>(own);
    all.addAll(others);
    if (others.isEmpty() || fit(all, unitsMax)) {
      return new ToolOffer(all, List.of(), 0);
    }
    List<ToolSpec> offered = new ArrayList<>(own);
    offered.add(search);
    offered.addAll(newest(others, found, unitsMax));
    List<String> named = new ArrayList<>();
    long units = 0;
    for (ToolSpec other : others) {
      units += other.name().length() + 2L;
      if (units > unitsMax) {
        break;
      }
      named.add(other.name());
    }
    return new ToolOffer(offered, named, others.size() - named.size());
  }

  private static boolean fit(List<ToolSpec> specs, long unitsMax) {
    return specs.size() <= TOOLS_MAX
        && specs.stream().mapToLong(ToolOffer::units).sum() <= unitsMax;
  }

  private static long units(ToolSpec spec) {
    return (long) spec.name().length() + spec.description().length() + spec.schema().length();
  }

  /** The last one that was found is offered however large it is. */
  private static List<ToolSpec> newest(List<ToolSpec> others, List<String> found, long unitsMax) {
    Map<String, ToolSpec> byName = new LinkedHashMap<>();
    others.forEach(spec -> byName.put(spec.name(), spec));
    Set<String> kept = new HashSet<>();
    long units = 0;
    for (String name : found.reversed()) {
      ToolSpec spec = byName.get(name);
      if (spec == null || kept.contains(name)) {
        continue; // it is gone, or was found twice
      }
      units += units(spec);
      if (!kept.isEmpty() && (units > unitsMax || kept.size() == TOOLS_MAX)) {
        break;
      }
      kept.add(name);
    }
    return others.stream().filter(spec -> kept.contains(spec.name())).toList();
  }
}
