package dev.holdfast.extensions;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a person types behind the name of a prompt, as its arguments. */
final class PromptArguments {
  private static final String VALUE = "(\"[^\"]*\"|'[^']*'|\\S+)";
  private static final Pattern NAMED = Pattern.compile("\\G\\s*([\\p{L}\\p{N}_.-]+)=" + VALUE);
  private static final Pattern WORD = Pattern.compile("\\G\\s*" + VALUE);

  private PromptArguments() {}

  /**
   * Either {@code name=value} for each, or the values in the order of the arguments, the last of
   * which takes all that is left. Quotes hold a value of several words together.
   *
   * @return empty when one is missing that is required, or there is more than the prompt takes
   */
  static Optional<JsonObject> read(List<ListedPrompt.Argument> declared, String text) {
    Map<String, ListedPrompt.Argument> byName =
        declared.stream()
            .collect(
                Collectors.toMap(
                    ListedPrompt.Argument::name, Function.identity(), (first, _) -> first));
    Map<String, String> given =
        named(byName, text.strip()).orElseGet(() -> inOrder(declared, text.strip()));
    boolean isWhole =
        declared.stream().allMatch(one -> !one.isRequired() || given.containsKey(one.name()));
    boolean isTooMuch = declared.isEmpty() && !text.isBlank();
    if (!isWhole || isTooMuch) {
      return Optional.empty();
    }
    JsonObject arguments = new JsonObject();
    given.forEach(arguments::put);
    return Optional.of(arguments);
  }

  /** Empty when it does not consist of such pairs alone. */
  private static Optional<Map<String, String>> named(
      Map<String, ListedPrompt.Argument> declared, String text) {
    Map<String, String> given = new TreeMap<>();
    Matcher pairs = NAMED.matcher(text);
    int end = 0;
    while (pairs.find() && declared.containsKey(pairs.group(1))) {
      given.put(pairs.group(1), unquoted(pairs.group(2)));
      end = pairs.end();
    }
    return end > 0 && end == text.length() ? Optional.of(given) : Optional.empty();
  }

  private static Map<String, String> inOrder(List<ListedPrompt.Argument> declared, String text) {
    Map<String, String> given = new TreeMap<>();
    List<ListedPrompt.Argument> left = new ArrayList<>(declared);
    Matcher words = WORD.matcher(text);
    int end = 0;
    while (left.size() > 1 && words.find()) {
      given.put(left.removeFirst().name(), unquoted(words.group(1)));
      end = words.end();
    }
    String rest = text.substring(end).strip();
    if (!left.isEmpty() && !rest.isEmpty()) {
      given.put(left.getFirst().name(), unquoted(rest));
    }
    return given;
  }

  private static String unquoted(String value) {
    boolean isQuoted =
        value.length() > 1
            && "\"'".indexOf(value.charAt(0)) >= 0
            && value.charAt(0) == value.charAt(value.length() - 1);
    return isQuoted ? value.substring(1, value.length() - 1) : value;
  }
}
