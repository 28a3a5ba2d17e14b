package dev.holdfast.config;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What of a variable's value is secret, as far as its name and its form say. It is a guess on the
 * careful side: a common word that were hidden would be gone from every text.
 */
public final class SecretVariables {
  /** What the last word of a name may end with. */
  private static final List<String> ENDINGS =
      List.of(
          "TOKEN",
          "SECRET",
          "SECRETS",
          "PASSWORD",
          "PASSWORDS",
          "PASSWD",
          "PASSPHRASE",
          "CREDENTIAL",
          "CREDENTIALS",
          "APIKEY",
          "USERPWD");

  /** What the last word of a name may be. */
  private static final Set<String> WORDS =
      Set.of(
          "KEY",
          "KEYS",
          "PASS",
          "PASSCODE",
          "PWD",
          "PAT",
          "AUTH",
          "AUTHORIZATION",
          "BEARER",
          "COOKIE",
          "COOKIES",
          "JWT",
          "PEM",
          "SALT",
          "DSN",
          "WEBHOOK");

  /** What a whole name may end with. */
  private static final List<String> PHRASES =
      List.of("ACCESS_KEY_ID", "CONNECTION_STRING", "WEBHOOK_URL");

  /** What may stand anywhere in a name, but for one that ends with one of {@link #HARMLESS}. */
  private static final Set<String> WORDS_ANYWHERE =
      Set.of(
          "TOKEN",
          "SECRET",
          "PASSWORD",
          "PASSWD",
          "PASSPHRASE",
          "CREDENTIALS",
          "APIKEY",
          "PAT",
          "AUTH",
          "BEARER",
          "COOKIE");

  private static final Set<String> HARMLESS =
      Set.of(
          "URL",
          "URI",
          "ENDPOINT",
          "HOST",
          "PORT",
          "REGION",
          "FILE",
          "PATH",
          "DIR",
          "FOLDER",
          "SOCK",
          "SOCKET",
          "NAME",
          "USER",
          "USERNAME",
          "EMAIL",
          "ID",
          "TYPE",
          "MODE",
          "METHOD",
          "SCHEME",
          "PROVIDER",
          "ISSUER",
          "AUDIENCE",
          "REALM",
          "DOMAIN",
          "SCOPE",
          "SCOPES",
          "ALGORITHM",
          "ALG",
          "VERSION",
          "ENABLED",
          "DISABLED",
          "REQUIRED",
          "TTL",
          "TIMEOUT",
          "EXPIRY",
          "LIMIT",
          "MAX",
          "MIN",
          "COUNT",
          "SIZE",
          "LENGTH",
          "BUDGET",
          "PREFIX",
          "PLUGIN");

  private static final Set<String> PATHS_OF_SHELLS = Set.of("PWD", "OLDPWD");

  /** What a setting says whose name sounds like a secret. */
  private static final Set<String> COMMON_VALUES =
      Set.of(
          "true",
          "false",
          "none",
          "null",
          "auto",
          "basic",
          "bearer",
          "digest",
          "oauth",
          "oauth2",
          "token",
          "password",
          "default",
          "enabled",
          "disabled",
          "required",
          "optional");

  private static final int ANYWHERE_LENGTH_MIN = 8;

  /** What stands before the host: greedy, since a password may hold an at sign. */
  private static final Pattern USER_INFO =
      Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://([^/?#\\s]+)@[^/?#\\s]*.*", Pattern.DOTALL);

  /** Of a query, or of a connection string. */
  private static final Pattern PAIR = Pattern.compile("(?:^|[?&;#])\\s*([^=?&;#]+)=([^&;#]+)");

  private SecretVariables() {}

  /** The secrets in it; empty when it holds none. What is too short for a secret may be among. */
  public static Set<String> in(String name, String value) {
    String upper = name.toUpperCase(Locale.ROOT);
    Set<String> secrets = new LinkedHashSet<>();
    if (!PATHS_OF_SHELLS.contains(upper) && isWhole(upper, value)) {
      secrets.add(value);
    }
    addUserInfo(value, secrets);
    Matcher pair = PAIR.matcher(value);
    while (pair.find()) {
      String key = pair.group(1).strip().replaceAll("[^A-Za-z0-9]+", "_").toUpperCase(Locale.ROOT);
      String part = pair.group(2).strip();
      if (isWhole(key, part) || (key.startsWith("SIG") && part.length() >= ANYWHERE_LENGTH_MIN)) {
        addDecoded(part, secrets);
      }
    }
    return secrets;
  }

  /** Whether all of a value is secret. */
  private static boolean isWhole(String name, String value) {
    if (COMMON_VALUES.contains(value.strip().toLowerCase(Locale.ROOT))) {
      return false;
    }
    List<String> words = List.of(name.replaceFirst("[_0-9]+$", "").split("_+"));
    String last = words.getLast();
    return WORDS.contains(last)
        || ENDINGS.stream().anyMatch(last::endsWith)
        || PHRASES.stream().anyMatch(endOf(name))
        || (value.strip().length() >= ANYWHERE_LENGTH_MIN
            && !HARMLESS.contains(last)
            && words.stream().anyMatch(WORDS_ANYWHERE::contains));
  }

  private static Predicate<String> endOf(String name) {
    return phrase -> name.equals(phrase) || name.endsWith("_" + phrase);
  }

  /** The password of a URL, or what stands in the place of the user when there is none. */
  private static void addUserInfo(String value, Set<String> secrets) {
    Matcher url = USER_INFO.matcher(value.strip());
    if (url.matches()) {
      String info = url.group(1);
      int colon = info.indexOf(':');
      String user = colon < 0 ? info : info.substring(0, colon);
      String password = colon < 0 ? "" : info.substring(colon + 1);
      if (!password.isEmpty()) {
        addDecoded(password, secrets);
      } else if (user.length() >= ANYWHERE_LENGTH_MIN) {
        addDecoded(user, secrets);
      }
    }
  }

  private static void addDecoded(String part, Set<String> secrets) {
    secrets.add(part);
    try {
      secrets.add(URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException _) {
      // It holds a percent sign of its own.
    }
  }
}
