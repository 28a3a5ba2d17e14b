package dev.holdfast.plugins;

import dev.holdfast.api.Failure;
import dev.holdfast.extensions.Texts;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Makes of what a plugin throws and says what people and models may see: short, and free of
 * secrets.
 *
 * @param redact frees a text of secrets
 */
record PluginTexts(UnaryOperator<String> redact) {
  private static final int UNITS_MAX = 2000;
  private static final int FACTS_MAX = 20;

  /** More is not looked at, so that a huge text is not copied to be cut. */
  private static final int READ_MAX = 20_000;

  /** A text of any length. */
  String of(String text) {
    String safe = redact.apply(Texts.cut(text, READ_MAX));
    return ThrownText.cut(safe, UNITS_MAX);
  }

  Failure of(Failure failure) {
    return new Failure(
        failure.kind(),
        failure.code(),
        of(failure.message()),
        failure.retryAfter(),
        of(failure.context()));
  }

  Map<String, String> of(Map<String, String> facts) {
    Map<String, String> shown = new LinkedHashMap<>();
    facts.entrySet().stream()
        .limit(FACTS_MAX)
        .forEach(fact -> shown.put(of(fact.getKey()), of(fact.getValue())));
    return shown;
  }
}
