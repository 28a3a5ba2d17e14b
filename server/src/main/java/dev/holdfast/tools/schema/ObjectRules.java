package dev.holdfast.tools.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The keywords for objects. */
final class ObjectRules {
  private ObjectRules() {}

  /** A rule for objects alone. */
  private interface ObjectRule {
    boolean holds(Map<?, ?> object, SchemaNode.Target target, Evaluation run);
  }

  private static void add(SchemaNode node, ObjectRule rule) {
    node.add(
        (target, run) ->
            !(target.value() instanceof Map<?, ?> object) || rule.holds(object, target, run));
  }

  static void add(Keywords keywords, SchemaReader.Parts parts, SchemaNode node)
      throws SchemaRefusedException {
    addCounts(keywords, node);
    addRequired(keywords, node);
    addMembers(keywords, parts, node);
    if (keywords.has("propertyNames")) {
      SchemaNode names = parts.of("propertyNames", keywords.value("propertyNames"));
      add(
          node,
          (object, target, run) -> {
            boolean holds = true;
            for (Object name : object.keySet()) {
              holds &= run.fits(names, target, name, name);
            }
            return holds;
          });
    }
    if (keywords.has("unevaluatedProperties")) {
      SchemaNode rest = parts.of("unevaluatedProperties", keywords.value("unevaluatedProperties"));
      add(
          node,
          (object, target, run) -> {
            boolean holds = true;
            for (Map.Entry<?, ?> member : object.entrySet()) {
              String name = (String) member.getKey();
              run.step();
              if (!target.seen().has(name)) {
                target.seen().add(name);
                holds &= run.fits(rest, target, name, member.getValue());
              }
            }
            return holds;
          });
    }
  }

  private static void addCounts(Keywords keywords, SchemaNode node) throws SchemaRefusedException {
    int least = keywords.count("minProperties", 0);
    int most = keywords.count("maxProperties", Integer.MAX_VALUE);
    if (least > 0 || most < Integer.MAX_VALUE) {
      add(
          node,
          (object, target, run) ->
              (object.size() >= least || run.fails(target, "has fewer than " + least + " members"))
                  && (object.size() <= most
                      || run.fails(target, "has more than " + most + " members")));
    }
  }

  private static void addRequired(Keywords keywords, SchemaNode node)
      throws SchemaRefusedException {
    if (!(keywords.value("required") instanceof Boolean)) { // as in the drafts before 4
      List<String> required = keywords.names("required");
      add(node, (object, target, run) -> hasAll(required, object, target, run));
    }
    for (String key : List.of("dependentRequired", "dependencies")) {
      for (Map.Entry<String, @Nullable Object> each : keywords.map(key).entrySet()) {
        if (each.getValue() instanceof List<?> list) {
          List<String> required = Keywords.names(key, list);
          add(
              node,
              (object, target, run) ->
                  !object.containsKey(each.getKey()) || hasAll(required, object, target, run));
        } else if (key.equals("dependentRequired")) {
          throw Keywords.malformed(key);
        }
      }
    }
  }

  private static boolean hasAll(
      List<String> required, Map<?, ?> object, SchemaNode.Target target, Evaluation run) {
    run.steps(required.size());
    boolean holds = true;
    for (String name : required) {
      holds &=
          object.containsKey(name)
              || run.fails(target, "must have a member " + JsonValues.shortened(name));
    }
    return holds;
  }

  private static void addMembers(Keywords keywords, SchemaReader.Parts parts, SchemaNode node)
      throws SchemaRefusedException {
    Members members =
        new Members(
            parts.byName("properties", keywords.map("properties")),
            matching(keywords, parts),
            keywords.has("additionalProperties")
                ? Optional.of(
                    parts.of("additionalProperties", keywords.value("additionalProperties")))
                : Optional.empty(),
            Boolean.FALSE.equals(keywords.value("additionalProperties")));
    if (!members.isEmpty()) {
      add(node, members::hold);
    }
  }

  private static List<Matching> matching(Keywords keywords, SchemaReader.Parts parts)
      throws SchemaRefusedException {
    List<Matching> all = new ArrayList<>();
    Set<Map.Entry<String, @Nullable Object>> patterns =
        keywords.map("patternProperties").entrySet();
    for (Map.Entry<String, @Nullable Object> each : patterns) {
      Optional<SchemaPattern> pattern = SchemaPattern.of(each.getKey());
      all.add(new Matching(pattern, parts.of("patternProperties", each.getValue())));
    }
    return all;
  }

  /** {@code pattern}: empty when nobody here knows what it matches. */
  private record Matching(Optional<SchemaPattern> pattern, SchemaNode schema) {}

  /**
   * Which schema each member has to fit.
   *
   * @param isClosed whether there may be no others
   */
  private record Members(
      Map<String, SchemaNode> named,
      List<Matching> matching,
      Optional<SchemaNode> others,
      boolean isClosed) {
    boolean isEmpty() {
      return named.isEmpty() && matching.isEmpty() && others.isEmpty();
    }

    boolean hold(Map<?, ?> object, SchemaNode.Target target, Evaluation run) {
      boolean holds = true;
      for (Map.Entry<?, ?> member : object.entrySet()) {
        run.step();
        holds &= holds((String) member.getKey(), member.getValue(), target, run);
      }
      return holds;
    }

    private boolean holds(
        String name, @Nullable Object value, SchemaNode.Target target, Evaluation run) {
      boolean holds = true;
      boolean isKnown = false;
      SchemaNode own = named.get(name);
      if (own != null) {
        isKnown = true;
        holds = run.fits(own, target, name, value);
      }
      for (Matching each : matching) {
        run.step();
        boolean matches = each.pattern().isPresent() && each.pattern().get().isIn(name, run);
        isKnown |= matches || each.pattern().isEmpty();
        holds &= !matches || run.fits(each.schema(), target, name, value);
      }
      if (!isKnown && others.isPresent()) {
        isKnown = true;
        holds &=
            isClosed
                ? refused(name, value, target, run)
                : run.fits(others.get(), target, name, value);
      }
      if (isKnown) {
        target.seen().add(name);
      }
      return holds;
    }

    /** Names those that there may be: most often a name was misspelt. */
    private boolean refused(
        String name, @Nullable Object value, SchemaNode.Target target, Evaluation run) {
      if (run.isQuiet()) {
        return false;
      }
      SchemaNode.Path path = new SchemaNode.Path(target.path(), name);
      String known =
          named.isEmpty()
              ? ""
              : "; known here: "
                  + JsonValues.shortened(String.join(", ", new TreeSet<>(named.keySet())));
      return run.fails(
          new SchemaNode.Target(value, path, target.seen()), "is an unknown key" + known);
    }
  }
}
