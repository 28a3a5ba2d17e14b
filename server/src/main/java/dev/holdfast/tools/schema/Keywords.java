package dev.holdfast.tools.schema;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The keywords of one schema, each of the kind that it must be. */
record Keywords(Map<?, ?> all) {
  boolean has(String key) {
    return all.containsKey(key);
  }

  @Nullable Object value(String key) {
    return all.get(key);
  }

  <T> Optional<T> find(String key, Class<T> kind) throws SchemaRefusedException {
    if (!has(key)) {
      return Optional.empty();
    }
    Object value = value(key);
    if (!kind.isInstance(value)) {
      throw malformed(key);
    }
    return Optional.of(kind.cast(value));
  }

  /** A number of things; {@code none} when the keyword is not there. */
  int count(String key, int none) throws SchemaRefusedException {
    Optional<Number> number = find(key, Number.class);
    if (number.isEmpty()) {
      return none;
    }
    double count = number.get().doubleValue();
    if (count < 0 || count != Math.rint(count)) {
      throw malformed(key);
    }
    return (int) Math.min(count, Integer.MAX_VALUE);
  }

  List<?> list(String key) throws SchemaRefusedException {
    return find(key, List.class).map(list -> (List<?>) list).orElse(List.of());
  }

  /** By name. */
  Map<String, @Nullable Object> map(String key) throws SchemaRefusedException {
    Map<String, @Nullable Object> members = new TreeMap<>();
    find(key, Map.class)
        .ifPresent(
            map -> ((Map<?, ?>) map).forEach((name, one) -> members.put((String) name, one)));
    return members;
  }

  List<String> names(String key) throws SchemaRefusedException {
    return names(key, list(key));
  }

  static List<String> names(String key, List<?> list) throws SchemaRefusedException {
    for (Object each : list) {
      if (!(each instanceof String)) {
        throw malformed(key);
      }
    }
    return list.stream().map(String.class::cast).toList();
  }

  static SchemaRefusedException malformed(String key) {
    return new SchemaRefusedException("has a malformed keyword " + JsonValues.shortened(key));
  }
}
