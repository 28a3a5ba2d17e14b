package dev.holdfast.ingress.api;

import dev.holdfast.config.Check;
import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Secret;
import dev.holdfast.config.Section;
import dev.holdfast.ingress.login.TokenConfig;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.models.Levels;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The {@code api} section of holdfast.yaml.
 *
 * @param tokens those of the file; the server's own token is not among them
 * @param answerWait how long {@code POST /api/v1/chat} waits for its answer
 * @param levels whose models programs may ask without the agent
 */
public record ApiConfig(List<TokenConfig> tokens, Duration answerWait, Set<String> levels) {
  /** The name of the server's own token. */
  public static final String OPERATOR = "operator";

  private static final List<String> LEVELS = Levels.keys();

  public ApiConfig {
    tokens = List.copyOf(tokens);
    levels = Set.copyOf(levels);
    for (String level : levels) {
      if (!LEVELS.contains(level)) {
        throw new RefusedValueException(
            "levels", "levels must be among " + String.join(", ", LEVELS) + ", got " + level);
      }
    }
    Check.atLeast("wait_secs", answerWait, Duration.ofMillis(1));
    Set<String> names = new HashSet<>();
    Map<String, String> holders = new HashMap<>();
    for (TokenConfig token : tokens) {
      if (token.name().equals(OPERATOR)) {
        throw new RefusedValueException(
            "tokens", "tokens must not use the name of the server's own token: " + OPERATOR);
      }
      if (!names.add(token.name())) {
        throw new RefusedValueException(
            "tokens", "tokens must have different names, got twice " + token.name());
      }
      String other = holders.putIfAbsent(token.token().reveal(), token.name());
      if (other != null) {
        throw new RefusedValueException(
            "tokens",
            "tokens must have different values, but those of "
                + other
                + " and "
                + token.name()
                + " are the same");
      }
    }
  }

  public static ApiConfig defaults() {
    return new ApiConfig(List.of(), Duration.ofSeconds(60), Set.copyOf(LEVELS));
  }

  public static ApiConfig from(Section api) {
    return new ApiConfig(
        api.list("tokens", ApiConfig::token),
        api.seconds("wait_secs", 60),
        new HashSet<>(api.texts("levels", LEVELS)));
  }

  /**
   * The same.
   *
   * @param operator the server's own token as far as it is known; empty when it is not
   * @throws RefusedValueException when a token of the file has its value
   */
  public ApiConfig without(String operator) {
    for (TokenConfig token : tokens) {
      if (token.token().reveal().equals(operator)) {
        throw new RefusedValueException(
            "tokens",
            "tokens must have different values, but that of "
                + token.name()
                + " is the server's own (HOLDFAST_TOKEN)");
      }
    }
    return this;
  }

  private static TokenConfig token(Section token) {
    String name = token.text("name", "");
    Secret value = token.secret("token");
    List<String> scopes = token.texts("scopes", List.of("read"));
    if (!name.matches("[A-Za-z0-9._-]{1,64}")) {
      throw new RefusedValueException(
          "name",
          "name must be 1 to 64 letters, digits, dots, hyphens or underscores, got '" + name + "'");
    }
    Scope widest = Scope.READ;
    for (String scope : scopes) {
      Scope named = scope(scope);
      widest = named.covers(widest) ? named : widest;
    }
    return new TokenConfig(name, value, widest);
  }

  private static Scope scope(String name) {
    for (Scope scope : Scope.values()) {
      if (scope.name().toLowerCase(Locale.ROOT).equals(name)) {
        return scope;
      }
    }
    throw new RefusedValueException(
        "scopes", "scopes must be among read, chat, admin, got " + name);
  }
}
