package dev.holdfast.tools.schema;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a document of a stranger. Only what the root reaches is read, each schema once and one
 * after the other, so that no chain of references is a chain of calls.
 */
final class SchemaReader {
  private static final List<String> REFERENCES = List.of("$ref", "$dynamicRef", "$recursiveRef");

  private final Map<String, @Nullable Object> root;
  private final IdentityHashMap<Object, SchemaNode> nodes = new IdentityHashMap<>();
  private final Deque<Unread> unread = new ArrayDeque<>();
  private final SchemaResources resources;
  private boolean tracksEvaluated;

  /** {@code resource}: the part of the document to which its references are relative. */
  private record Unread(SchemaNode node, Object part, Map<?, ?> resource) {}

  SchemaReader(Map<String, @Nullable Object> root) throws SchemaRefusedException {
    this.root = root;
    this.resources = SchemaResources.of(root);
  }

  JsonSchema read() throws SchemaRefusedException {
    SchemaNode first = node("the root", root, root);
    for (Unread next = unread.poll(); next != null; next = unread.poll()) {
      fill(next);
    }
    InPlaceWork.check(nodes.values());
    return new JsonSchema(first, tracksEvaluated);
  }

  /** The schema that a part of the document is; {@code key}: whose it is. */
  private SchemaNode node(String key, @Nullable Object part, Map<?, ?> around)
      throws SchemaRefusedException {
    if (!(part instanceof Map) && !(part instanceof Boolean)) {
      throw Keywords.malformed(key);
    }
    SchemaNode known = nodes.get(part);
    if (known != null) {
      return known;
    }
    SchemaNode node = new SchemaNode();
    nodes.put(part, node);
    unread.add(
        new Unread(
            node, part, part instanceof Map<?, ?> map ? resources.resource(map, around) : around));
    return node;
  }

  private void fill(Unread next) throws SchemaRefusedException {
    SchemaNode node = next.node();
    if (!(next.part() instanceof Map<?, ?> map)) {
      if (next.part().equals(false)) {
        node.add((target, run) -> run.fails(target, "must not be there"));
      }
      return;
    }
    Keywords keywords = new Keywords(map);
    Parts parts = new Parts(next.resource(), node);
    for (String key : REFERENCES) {
      var reference = keywords.find(key, String.class);
      if (reference.isPresent()) {
        SchemaNode referred = referred(reference.get(), next.resource());
        node.appliesInPlace(referred);
        node.add((target, run) -> run.fits(referred, target));
      }
    }
    if (resources.isOld() && keywords.has("$ref")) {
      return;
    }
    ValueRules.add(keywords, node);
    CombiningRules.add(keywords, parts, node);
    ObjectRules.add(keywords, parts, node);
    ArrayRules.add(keywords, parts, node);
    tracksEvaluated |= keywords.has("unevaluatedProperties") || keywords.has("unevaluatedItems");
  }

  private SchemaNode referred(String reference, Map<?, ?> from) throws SchemaRefusedException {
    Map<?, ?> resource =
        resources
            .referred(reference, from)
            .orElseThrow(
                () ->
                    new SchemaRefusedException(
                        "refers to another document: " + JsonValues.shortened(reference)));
    int begin = reference.indexOf('#');
    String fragment = begin < 0 ? "" : decoded(reference.substring(begin + 1));
    if (!fragment.isEmpty() && !fragment.startsWith("/")) {
      return node(reference, resources.anchored(resource, fragment), resource);
    }
    @Nullable Object part = resource;
    Map<?, ?> around = resource;
    for (String step : fragment.isEmpty() ? List.<String>of() : steps(fragment)) {
      part = member(part, step);
      around = part instanceof Map<?, ?> map ? resources.resource(map, around) : around;
    }
    if (part == null) {
      throw new SchemaRefusedException(
          "refers to what is not in it: " + JsonValues.shortened(reference));
    }
    return node(reference, part, around);
  }

  private static String decoded(String fragment) throws SchemaRefusedException {
    try {
      return URLDecoder.decode(fragment.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException _) {
      throw Keywords.malformed("#" + fragment);
    }
  }

  private static List<String> steps(String pointer) {
    return List.of(pointer.substring(1).split("/", -1)).stream()
        .map(step -> step.replace("~1", "/").replace("~0", "~"))
        .toList();
  }

  private static @Nullable Object member(@Nullable Object part, String step) {
    return switch (part) {
      case Map<?, ?> map -> map.get(step);
      case List<?> list when step.matches("\\d{1,6}") && Integer.parseInt(step) < list.size() ->
          list.get(Integer.parseInt(step));
      case null, default -> null;
    };
  }

  /** The schemas that are parts of another. */
  final class Parts {
    private final Map<?, ?> resource;
    private final SchemaNode owner;

    private Parts(Map<?, ?> resource, SchemaNode owner) {
      this.resource = resource;
      this.owner = owner;
    }

    /** For members of the value. */
    SchemaNode of(String key, @Nullable Object part) throws SchemaRefusedException {
      return node(key, part, resource);
    }

    /** For the value itself. */
    SchemaNode inPlace(String key, @Nullable Object part) throws SchemaRefusedException {
      SchemaNode node = of(key, part);
      owner.appliesInPlace(node);
      return node;
    }

    List<SchemaNode> allOf(String key, Collection<?> parts) throws SchemaRefusedException {
      List<SchemaNode> all = new ArrayList<>();
      for (Object part : parts) {
        all.add(of(key, part));
      }
      return all;
    }

    List<SchemaNode> allInPlace(String key, Collection<?> parts) throws SchemaRefusedException {
      List<SchemaNode> all = allOf(key, parts);
      all.forEach(owner::appliesInPlace);
      return all;
    }

    Map<String, SchemaNode> byName(String key, Map<String, @Nullable Object> parts)
        throws SchemaRefusedException {
      Map<String, SchemaNode> all = new HashMap<>();
      for (Map.Entry<String, @Nullable Object> each : parts.entrySet()) {
        all.put(each.getKey(), of(key, each.getValue()));
      }
      return all;
    }
  }
}
