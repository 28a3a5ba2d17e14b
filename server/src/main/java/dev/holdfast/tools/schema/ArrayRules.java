package dev.holdfast.tools.schema;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The keywords for arrays. */
final class ArrayRules {
  private ArrayRules() {}

  /** A rule for arrays alone. */
  private interface ArrayRule {
    boolean holds(List<?> array, SchemaNode.Target target, Evaluation run);
  }

  private static void add(SchemaNode node, ArrayRule rule) {
    node.add(
        (target, run) ->
            !(target.value() instanceof List<?> array) || rule.holds(array, target, run));
  }

  static void add(Keywords keywords, SchemaReader.Parts parts, SchemaNode node)
      throws SchemaRefusedException {
    int least = keywords.count("minItems", 0);
    int most = keywords.count("maxItems", Integer.MAX_VALUE);
    add(
        node,
        (array, target, run) ->
            (array.size() >= least || run.fails(target, "has fewer than " + least + " items"))
                && (array.size() <= most || run.fails(target, "has more than " + most + " items")));
    addItems(keywords, parts, node);
    addContains(keywords, parts, node);
    if (Boolean.TRUE.equals(keywords.value("uniqueItems"))) {
      add(node, ArrayRules::areUnique);
    }
    if (keywords.has("unevaluatedItems")) {
      SchemaNode rest = parts.of("unevaluatedItems", keywords.value("unevaluatedItems"));
      add(
          node,
          (array, target, run) -> {
            boolean holds = true;
            for (int i = 0; i < array.size(); i++) {
              run.step();
              if (!target.seen().has(i)) {
                target.seen().add(i);
                holds &= run.fits(rest, target, i, array.get(i));
              }
            }
            return holds;
          });
    }
  }

  private static void addItems(Keywords keywords, SchemaReader.Parts parts, SchemaNode node)
      throws SchemaRefusedException {
    boolean isTuple = keywords.value("items") instanceof List; // as in the drafts before 2020-12
    String firstKey = isTuple ? "items" : "prefixItems";
    String restKey = isTuple ? "additionalItems" : "items";
    List<SchemaNode> first = parts.allOf(firstKey, keywords.list(firstKey));
    Optional<SchemaNode> rest =
        keywords.has(restKey)
            ? Optional.of(parts.of(restKey, keywords.value(restKey)))
            : Optional.empty();
    if (first.isEmpty() && rest.isEmpty()) {
      return;
    }
    add(
        node,
        (array, target, run) -> {
          boolean holds = true;
          for (int i = 0;
              i < (rest.isPresent() ? array.size() : Math.min(array.size(), first.size()));
              i++) {
            SchemaNode item = i < first.size() ? first.get(i) : rest.orElseThrow();
            target.seen().add(i);
            holds &= run.fits(item, target, i, array.get(i));
          }
          return holds;
        });
  }

  private static void addContains(Keywords keywords, SchemaReader.Parts parts, SchemaNode node)
      throws SchemaRefusedException {
    if (!keywords.has("contains")) {
      return;
    }
    SchemaNode wanted = parts.of("contains", keywords.value("contains"));
    int least = keywords.count("minContains", 1);
    int most = keywords.count("maxContains", Integer.MAX_VALUE);
    add(
        node,
        (array, target, run) -> {
          int found = 0;
          for (int i = 0; i < array.size(); i++) {
            if (run.fitsQuietly(wanted, target, i, array.get(i))) {
              target.seen().add(i);
              found++;
            }
          }
          return (found >= least && found <= most)
              || run.fails(target, "has " + found + " items that fit contains");
        });
  }

  private static boolean areUnique(List<?> array, SchemaNode.Target target, Evaluation run) {
    Set<String> before = new HashSet<>();
    for (Object item : array) {
      run.step();
      if (!before.add(JsonValues.canonical(item, run))) {
        return run.fails(target, "has an item twice");
      }
    }
    return true;
  }
}
