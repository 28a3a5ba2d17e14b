package dev.holdfast.models;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The providers that are built in, and the model that each answers with when the configuration
 * names none: its middle one, good enough for tools and not its dearest. In the order in which they
 * stand in for each other.
 */
enum KnownProvider {
  ANTHROPIC("claude-sonnet-5", "ANTHROPIC_API_KEY", ""),
  OPENAI("gpt-5.4", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
  GEMINI("gemini-3.6-flash", "GEMINI_API_KEY", ""),
  MINIMAX("MiniMax-M3", "MINIMAX_API_KEY", ""),
  OLLAMA("llama3.2", "", "");

  private final String model;
  private final String keyVariable;
  private final String urlVariable;

  KnownProvider(String model, String keyVariable, String urlVariable) {
    this.model = model;
    this.keyVariable = keyVariable;
    this.urlVariable = urlVariable;
  }

  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** {@code provider/name}. */
  String defaultModel() {
    return key() + "/" + model;
  }

  /** The environment variable that holds the key; empty when there is none. */
  String keyVariable() {
    return keyVariable;
  }

  String urlVariable() {
    return urlVariable;
  }

  boolean isLocal() {
    return this == OLLAMA;
  }

  /** Of all that come with the server, {@code embedded} too. */
  static Set<String> names() {
    Set<String> names = new HashSet<>(Set.of(EchoModel.PROVIDER));
    Arrays.stream(values()).map(KnownProvider::key).forEach(names::add);
    return Set.copyOf(names);
  }

  static Optional<KnownProvider> of(String name) {
    return Arrays.stream(values()).filter(known -> known.key().equals(name)).findFirst();
  }
}
