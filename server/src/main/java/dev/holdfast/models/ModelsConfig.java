package dev.holdfast.models;

import dev.holdfast.config.Check;
import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Secret;
import dev.holdfast.config.Section;
import dev.holdfast.resilience.GuardConfig;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The {@code models} section of holdfast.yaml.
 *
 * @param parkAfter without a first token for so long, the person is told that the message is kept
 * @param choice the levels that people may choose for a message
 * @param retry what the guard of each provider is made of; {@link #guard} adds its number of calls
 *     at once
 * @param providers every built-in one by its name, also those that are off
 * @param pluginProviders names of providers that are added while the server runs; the levels may
 *     name their models, which are passed over while the provider is absent
 */
public record ModelsConfig(
    Levels levels,
    Set<String> choice,
    Duration parkAfter,
    GuardConfig retry,
    ModelTimeouts timeouts,
    BudgetConfig budget,
    Map<String, ProviderConfig> providers,
    Set<String> pluginProviders) {

  public ModelsConfig {
    choice = Set.copyOf(choice);
    for (String level : choice) {
      if (!levels.named().containsKey(level)) {
        throw new RefusedValueException(
            "choice", "choice must hold levels that models are named for, got " + level);
      }
    }
    pluginProviders = Set.copyOf(pluginProviders);
    pluginProviders.forEach(ModelsConfig::checkPluginProvider);
    Check.atLeast("park_after_secs", parkAfter, Duration.ofSeconds(1));
    providers = Map.copyOf(providers);
    for (String model : levels.all()) {
      if (!pluginProviders.contains(Provider.nameOf(model))) {
        checkOn(model, providers);
      }
    }
  }

  /** {@code environment}: where keys are looked for that the file does not give. */
  public static ModelsConfig from(Section models, Map<String, String> environment) {
    Map<String, ProviderConfig> providers = new LinkedHashMap<>();
    Section section = models.section("providers");
    for (KnownProvider known : KnownProvider.values()) {
      String key = environment.getOrDefault(known.keyVariable(), "");
      String url = environment.getOrDefault(known.urlVariable(), "");
      providers.put(
          known.key(),
          section.section(known.key()).read(one -> ProviderConfig.from(one, known, key, url)));
    }
    return new ModelsConfig(
        new Levels(
            models.namedTexts("levels", defaultLevels(providers)),
            models.text("default_level", Level.OPERATIONAL.key())),
        Set.copyOf(models.texts("choice", List.of())),
        models.seconds("park_after_secs", 15),
        models.section("retry").read(GuardConfig::from),
        models.section("timeouts").read(ModelTimeouts::from),
        models.section("budget").read(BudgetConfig::from),
        providers,
        new LinkedHashSet<>(models.texts("plugin_providers", List.of())));
  }

  /** What the guard of a provider is made of. */
  GuardConfig guard(String provider) {
    ProviderConfig config = providers.get(provider);
    return config == null ? retry : retry.withMaxConcurrent(config.concurrentMax());
  }

  /** The keys, also those from the environment: no text that leaves the server may hold one. */
  public List<Secret> secrets() {
    return providers.values().stream()
        .map(ProviderConfig::apiKey)
        .filter(key -> !key.isEmpty())
        .toList();
  }

  /**
   * The default model of each provider that is on, in their order; the built-in echo when none is.
   */
  private static Map<String, List<String>> defaultLevels(Map<String, ProviderConfig> providers) {
    List<String> models =
        Arrays.stream(KnownProvider.values())
            .filter(known -> isOn(known.key(), providers))
            .map(KnownProvider::defaultModel)
            .toList();
    return Map.of(
        Level.OPERATIONAL.key(), models.isEmpty() ? List.of(EchoModel.FULL_NAME) : models);
  }

  private static void checkPluginProvider(String name) {
    if (!Provider.NAME.matcher(name).matches() || KnownProvider.names().contains(name)) {
      throw new IllegalArgumentException(
          "plugin_providers must hold names of lower-case letters, digits and hyphens that no"
              + " built-in provider has, got "
              + name);
    }
  }

  private static void checkOn(String model, Map<String, ProviderConfig> providers) {
    String provider = model.substring(0, model.indexOf('/'));
    if (provider.equals(EchoModel.PROVIDER)) {
      return;
    }
    if (KnownProvider.of(provider).isEmpty()) {
      throw new RefusedValueException(
          "levels",
          "levels must name models of embedded, anthropic, openai, gemini, minimax, ollama or one of"
              + " plugin_providers, got "
              + model);
    }
    if (!isOn(provider, providers)) {
      throw new RefusedValueException(
          "levels",
          "levels must name models of enabled providers: "
              + model
              + " needs providers."
              + provider
              + (provider.equals(KnownProvider.OLLAMA.key()) ? ".base_url" : ".api_key"));
    }
  }

  private static boolean isOn(String provider, Map<String, ProviderConfig> providers) {
    ProviderConfig config = providers.get(provider);
    return config != null && config.isOn();
  }
}
