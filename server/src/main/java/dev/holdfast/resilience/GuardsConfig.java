package dev.holdfast.resilience;

import dev.holdfast.config.Section;
import java.util.Map;
import java.util.TreeMap;

/**
 * The {@code breakers} section of holdfast.yaml: settings for all breakers and for some by name.
 */
public record GuardsConfig(BreakerSettings byDefault, Map<String, BreakerSettings> byName) {
  private static final String DEFAULT_NAME = "default";

  public GuardsConfig {
    byName = Map.copyOf(byName);
  }

  public static GuardsConfig defaults() {
    return new GuardsConfig(BreakerSettings.DEFAULT, Map.of());
  }

  /**
   * {@code root}: the whole file, because the names of breakers stand directly under {@code
   * breakers}.
   */
  public static GuardsConfig from(Section root) {
    Map<String, Section> sections = new TreeMap<>(root.named("breakers"));
    Section all = sections.remove(DEFAULT_NAME);
    BreakerSettings byDefault =
        all == null
            ? BreakerSettings.DEFAULT
            : all.read(s -> BreakerSettings.from(s, BreakerSettings.DEFAULT));
    Map<String, BreakerSettings> byName = new TreeMap<>();
    sections.forEach(
        (name, section) -> byName.put(name, section.read(s -> BreakerSettings.from(s, byDefault))));
    return new GuardsConfig(byDefault, byName);
  }

  /**
   * {@code family}: whose settings count when there are none by that name; may be the name itself.
   */
  BreakerSettings breaker(String name, String family) {
    return byName.getOrDefault(name, byName.getOrDefault(family, byDefault));
  }
}
