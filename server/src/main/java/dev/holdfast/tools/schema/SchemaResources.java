package dev.holdfast.tools.schema;

import java.net.URI;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of a document call themselves: the document as a whole and those of its schemas
 * that have an {@code $id} are resources, each with anchors. What stands in values ({@code enum}
 * and its like) is no schema, whatever it looks like.
 */
final class SchemaResources {
  /** Of a document that does not say where it is. */
  private static final String NOWHERE = "schema:/";

  /** So that to resolve each reference of a document costs little. */
  private static final int ID_UNITS_MAX = 1000;

  private static final Set<String> VALUES = Set.of("enum", "const", "default", "examples");

  /** Their members are schemas by names of any form. */
  private static final Set<String> NAMED =
      Set.of(
          "properties",
          "patternProperties",
          "$defs",
          "definitions",
          "dependentSchemas",
          "dependencies");

  private final boolean isOld;
  private final String idKey;
  private final IdentityHashMap<Map<?, ?>, String> addresses = new IdentityHashMap<>();
  private final Map<String, Map<?, ?>> byAddress = new HashMap<>();
  private final IdentityHashMap<Map<?, ?>, Map<String, Map<?, ?>>> anchors =
      new IdentityHashMap<>();

  private enum Kind {
    SCHEMA,
    NAMED_SCHEMAS,
    VALUE
  }

  private SchemaResources(Map<?, ?> root) {
    String dialect = root.get("$schema") instanceof String said ? said : "";
    isOld = dialect.matches("https?://json-schema\\.org/draft-0[3-7]/schema#?");
    idKey = dialect.matches("https?://json-schema\\.org/draft-0[34]/schema#?") ? "id" : "$id";
  }

  /**
   * Goes through a whole document.
   *
   * @throws SchemaRefusedException when it is nested too deep, or an address is too long
   */
  static SchemaResources of(Map<String, @Nullable Object> root) throws SchemaRefusedException {
    SchemaResources resources = new SchemaResources(root);
    resources.name(root, NOWHERE);
    resources.find(root, root, Kind.SCHEMA, 1);
    return resources;
  }

  /** Whether it is of draft 7 or one before, where nothing counts that stands beside a $ref. */
  boolean isOld() {
    return isOld;
  }

  private void find(@Nullable Object part, Map<?, ?> around, Kind kind, int nesting)
      throws SchemaRefusedException {
    if (nesting > JsonSchema.NESTING_MAX) {
      throw new SchemaRefusedException(
          "is nested deeper than " + JsonSchema.NESTING_MAX + " levels");
    }
    switch (part) {
      case Map<?, ?> map -> {
        Map<?, ?> inner = kind == Kind.SCHEMA ? named(map, around) : around;
        for (Map.Entry<?, ?> member : map.entrySet()) {
          find(member.getValue(), inner, kindOf(kind, member.getKey()), nesting + 1);
        }
      }
      case List<?> list -> {
        for (Object item : list) {
          find(item, around, kind == Kind.NAMED_SCHEMAS ? Kind.VALUE : kind, nesting + 1);
        }
      }
      case null, default -> {}
    }
  }

  private static Kind kindOf(Kind kind, @Nullable Object key) {
    return switch (kind) {
      case VALUE -> Kind.VALUE;
      case NAMED_SCHEMAS -> Kind.SCHEMA;
      case SCHEMA ->
          VALUES.contains(key) ? Kind.VALUE : NAMED.contains(key) ? Kind.NAMED_SCHEMAS : kind;
    };
  }

  /** Notes what a schema calls itself; returns the resource that its parts belong to. */
  private Map<?, ?> named(Map<?, ?> schema, Map<?, ?> around) throws SchemaRefusedException {
    Map<?, ?> inner = around;
    boolean isReference = isOld && schema.get("$ref") instanceof String;
    if (!isReference && schema.get(idKey) instanceof String id) {
      if (id.startsWith("#")) {
        anchor(around, id.substring(1), schema);
      } else {
        inner = schema;
        name(schema, resolved(addressOf(around), id));
      }
    }
    for (String key : List.of("$anchor", "$dynamicAnchor")) {
      if (schema.get(key) instanceof String name) {
        anchor(inner, name, schema);
      }
    }
    return inner;
  }

  private void anchor(Map<?, ?> resource, String name, Map<?, ?> schema) {
    anchors.computeIfAbsent(resource, _ -> new HashMap<>()).putIfAbsent(name, schema);
  }

  private void name(Map<?, ?> resource, String address) throws SchemaRefusedException {
    if (address.length() > ID_UNITS_MAX) {
      throw new SchemaRefusedException(
          "has an address of more than " + ID_UNITS_MAX + " characters ($id)");
    }
    addresses.put(resource, address);
    byAddress.putIfAbsent(address, resource);
  }

  private String addressOf(Map<?, ?> resource) {
    return addresses.getOrDefault(resource, NOWHERE);
  }

  /** Without the fragment. */
  private static String resolved(String base, String reference) {
    int end = reference.indexOf('#');
    String address = end < 0 ? reference : reference.substring(0, end);
    try {
      return URI.create(base).resolve(address).toString();
    } catch (IllegalArgumentException _) {
      return address; // no address, and the same for all who write it
    }
  }

  /** The resource that a part belongs to, which itself may be one. */
  Map<?, ?> resource(Map<?, ?> part, Map<?, ?> around) {
    return addresses.containsKey(part) ? part : around;
  }

  /**
   * The resource that a reference leads to; empty when it is in another document.
   *
   * @param around the resource that the reference stands in
   */
  Optional<Map<?, ?>> referred(String reference, Map<?, ?> around) {
    return reference.startsWith("#")
        ? Optional.of(around)
        : Optional.ofNullable(byAddress.get(resolved(addressOf(around), reference)));
  }

  @Nullable Object anchored(Map<?, ?> resource, String name) {
    return anchors.getOrDefault(resource, Map.of()).get(name);
  }
}
