package dev.holdfast.models;

import dev.holdfast.api.ModelProvider;
import dev.holdfast.registry.FactReader;
import dev.holdfast.registry.RegistrationRefusedException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A provider with what it says about itself, read once when it was registered.
 *
 * @param windows the size of the context window of each configured model, in tokens, by its name
 *     without the provider
 */
record Provider(String name, boolean isLocal, Map<String, Integer> windows, ModelProvider models) {
  static final String KIND = "provider";
  static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");

  Provider {
    windows = Map.copyOf(windows);
  }

  /**
   * @param configured the models that the configuration names, {@code provider/name}
   * @param reserved names that it may not have
   */
  static Provider of(ModelProvider models, List<String> configured, Set<String> reserved)
      throws RegistrationRefusedException {
    FactReader facts = new FactReader(KIND);
    String name = facts.read("name", models::name);
    facts.name(name, NAME, reserved);
    boolean isLocal = facts.read("isLocal", models::isLocal);
    Map<String, Integer> windows = new HashMap<>();
    for (String full : configured) {
      if (nameOf(full).equals(name)) {
        String model = full.substring(name.length() + 1);
        int window = facts.read("windowTokens", () -> models.windowTokens(model));
        facts.require(window > 0, "the window of its model has no tokens");
        windows.put(model, window);
      }
    }
    return new Provider(name, isLocal, windows, models);
  }

  /** The provider of {@code provider/name}. */
  static String nameOf(String fullName) {
    return fullName.substring(0, fullName.indexOf('/'));
  }
}
