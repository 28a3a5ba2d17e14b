package dev.holdfast.models;

import dev.holdfast.config.RefusedValueException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which models serve which level.
 *
 * @param named level to models, {@code provider/name}, in the order in which they are tried
 * @param byDefault the level of a turn that asks for none
 */
public record Levels(Map<String, List<String>> named, String byDefault) {
  private static final Pattern MODEL = Pattern.compile("[a-z0-9-]+/\\S+");

  public Levels {
    if (named.isEmpty()) {
      throw new RefusedValueException("levels", "levels must name at least one level");
    }
    Map<String, List<String>> copy = new TreeMap<>();
    named.forEach(
        (level, models) -> {
          check("levels", level);
          if (models.isEmpty()) {
            throw new RefusedValueException(
                "levels", "levels must name at least one model for " + level);
          }
          models.forEach(Levels::checkModel);
          copy.put(level, List.copyOf(models));
        });
    named = Map.copyOf(copy);
    check("default_level", byDefault);
  }

  /** The names that levels may have, lowest first. */
  public static List<String> keys() {
    return Level.keys();
  }

  /** The next higher level; empty when there is none. */
  public static Optional<String> above(String level) {
    List<String> keys = Level.keys();
    int next = keys.indexOf(Level.of(level).key()) + 1;
    return next < keys.size() ? Optional.of(keys.get(next)) : Optional.empty();
  }

  /** The models of the level itself: its own, or those of the level that stands in for it. */
  public List<String> of(String level) {
    return ladder(level).getFirst();
  }

  /** The models of the level and then of the lower ones, each once. */
  public List<String> withFallbacks(String level) {
    return ladder(level).stream().flatMap(List::stream).distinct().toList();
  }

  /** Every model that is named. */
  public List<String> all() {
    return named.values().stream().flatMap(List::stream).distinct().sorted().toList();
  }

  /** Downwards from the level; when nothing is named there, the nearest above. */
  private List<List<String>> ladder(String level) {
    List<String> keys = Level.keys();
    int start = keys.indexOf(Level.of(level).key());
    List<List<String>> lower =
        keys.subList(0, start + 1).reversed().stream().flatMap(this::models).toList();
    return lower.isEmpty()
        ? keys.subList(start + 1, keys.size()).stream().flatMap(this::models).limit(1).toList()
        : lower;
  }

  private Stream<List<String>> models(String level) {
    return Stream.ofNullable(named.get(level));
  }

  private static void check(String key, String level) {
    if (!Level.keys().contains(level)) {
      throw new RefusedValueException(
          key, key + " must be among " + String.join(", ", Level.keys()) + ", got " + level);
    }
  }

  private static void checkModel(String model) {
    if (!MODEL.matcher(model).matches()) {
      throw new RefusedValueException(
          "levels", "levels must hold models as provider/name, got " + model);
    }
  }
}
