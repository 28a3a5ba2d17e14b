package dev.holdfast.tools.schema;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The keywords that hold a value against other schemas. */
final class CombiningRules {
  private CombiningRules() {}

  static void add(Keywords keywords, SchemaReader.Parts parts, SchemaNode node)
      throws SchemaRefusedException {
    for (SchemaNode each : parts.allInPlace("allOf", keywords.list("allOf"))) {
      node.add((target, run) -> run.fits(each, target));
    }
    if (keywords.has("anyOf")) {
      List<SchemaNode> any = parts.allInPlace("anyOf", keywords.list("anyOf"));
      node.add(
          (target, run) -> run.fitting(any, target) > 0 || run.fails(target, "fits none of anyOf"));
    }
    if (keywords.has("oneOf")) {
      List<SchemaNode> one = parts.allInPlace("oneOf", keywords.list("oneOf"));
      node.add(
          (target, run) -> {
            int fitting = run.fitting(one, target);
            return fitting == 1 || run.fails(target, "must fit one of oneOf, but fits " + fitting);
          });
    }
    if (keywords.has("not")) {
      SchemaNode not = parts.inPlace("not", keywords.value("not"));
      node.add(
          (target, run) ->
              !run.fitsQuietly(not, target) || run.fails(target, "must not fit the schema in not"));
    }
    addCondition(keywords, parts, node);
    addDependent(keywords, "dependentSchemas", parts, node);
    addDependent(keywords, "dependencies", parts, node);
  }

  private static void addCondition(Keywords keywords, SchemaReader.Parts parts, SchemaNode node)
      throws SchemaRefusedException {
    if (!keywords.has("if")) {
      return;
    }
    SchemaNode condition = parts.inPlace("if", keywords.value("if"));
    SchemaNode then = branch(keywords, "then", parts);
    SchemaNode otherwise = branch(keywords, "else", parts);
    node.add(
        (target, run) -> run.fits(run.fitsQuietly(condition, target) ? then : otherwise, target));
  }

  private static SchemaNode branch(Keywords keywords, String key, SchemaReader.Parts parts)
      throws SchemaRefusedException {
    return parts.inPlace(key, keywords.has(key) ? keywords.value(key) : true);
  }

  private static void addDependent(
      Keywords keywords, String key, SchemaReader.Parts parts, SchemaNode node)
      throws SchemaRefusedException {
    for (Map.Entry<String, @Nullable Object> each : keywords.map(key).entrySet()) {
      if (each.getValue() instanceof List) {
        continue; // names that are required then
      }
      SchemaNode dependent = parts.inPlace(key, each.getValue());
      node.add(
          (target, run) ->
              !(target.value() instanceof Map<?, ?> object && object.containsKey(each.getKey()))
                  || run.fits(dependent, target));
    }
  }
}
