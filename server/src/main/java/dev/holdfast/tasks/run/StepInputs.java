package dev.holdfast.tasks.run;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Puts what earlier steps have answered into the payload of a later one: <code>${fetch}</code> is
 * all that the step {@code fetch} answered, <code>${fetch.items.0.title}</code> a part of it. A
 * text that is nothing but a reference becomes the value itself; inside a longer text it becomes
 * its text. What names no step stays as it is.
 */
public final class StepInputs {
  private static final Pattern REFERENCE =
      Pattern.compile("\\$\\{([a-z0-9][a-z0-9_-]{0,63})((?:\\.[A-Za-z0-9_-]{1,64}){0,8})}");

  /** The characters of answers that one payload may take in: a short one can refer to much. */
  static final int TAKEN_MAX = 1_048_576;

  private final Map<String, String> outputs;
  private final Map<String, Object> values = new LinkedHashMap<>();
  private long taken;

  private StepInputs(Map<String, String> outputs) {
    this.outputs = outputs;
    outputs.forEach((name, output) -> values.put(name, parsed(output)));
  }

  /** A reference to something that a step has not answered, or to too much. */
  public static final class MissingInputException extends Exception {
    private static final long serialVersionUID = 1L;

    MissingInputException(String message) {
      super(message);
    }
  }

  /** The steps of {@code names} that the payload refers to. */
  public static Set<String> references(String payload, Set<String> names) {
    Set<String> found = new LinkedHashSet<>();
    Matcher matcher = REFERENCE.matcher(payload);
    while (matcher.find()) {
      if (names.contains(matcher.group(1))) {
        found.add(matcher.group(1));
      }
    }
    return found;
  }

  /**
   * @param payload a JSON object
   * @param outputs what the steps answered, by their names
   */
  public static String resolve(String payload, Map<String, String> outputs)
      throws MissingInputException {
    if (references(payload, outputs.keySet()).isEmpty()) {
      return payload;
    }
    return ((JsonObject) new StepInputs(outputs).in(new JsonObject(payload))).encode();
  }

  private static Object parsed(String output) {
    try {
      Object value = Json.decodeValue(output);
      return value == null ? "" : value;
    } catch (DecodeException _) {
      return output;
    }
  }

  private Object in(Object value) throws MissingInputException {
    return switch (value) {
      case JsonObject object -> {
        JsonObject copy = new JsonObject();
        for (Map.Entry<String, Object> entry : object) {
          copy.put(entry.getKey(), entry.getValue() == null ? null : in(entry.getValue()));
        }
        yield copy;
      }
      case JsonArray array -> {
        List<@Nullable Object> copy = new ArrayList<>();
        for (Object each : array) {
          copy.add(each == null ? null : in(each));
        }
        yield new JsonArray(copy);
      }
      case String text -> in(text);
      default -> value;
    };
  }

  private Object in(String text) throws MissingInputException {
    Matcher matcher = REFERENCE.matcher(text);
    StringBuilder result = new StringBuilder();
    while (matcher.find()) {
      @Nullable Object output = values.get(matcher.group(1));
      if (output == null) {
        matcher.appendReplacement(result, Matcher.quoteReplacement(matcher.group()));
        continue;
      }
      Object part = part(output, matcher);
      String shown = shown(part, matcher);
      taken += shown.length();
      if (taken > TAKEN_MAX) {
        throw new MissingInputException(
            "the payload takes in more than %d characters of answers".formatted(TAKEN_MAX));
      }
      if (matcher.group().length() == text.length()) {
        return part;
      }
      matcher.appendReplacement(result, Matcher.quoteReplacement(shown));
    }
    return matcher.appendTail(result).toString();
  }

  /** A number that is the whole answer keeps its digits: it may be a version. */
  private String shown(Object part, Matcher reference) {
    if (part instanceof String plain) {
      return plain;
    }
    String output = outputs.getOrDefault(reference.group(1), "");
    return part instanceof Number && reference.group(2).isEmpty()
        ? output.strip()
        : Json.encode(part);
  }

  private static Object part(Object output, Matcher reference) throws MissingInputException {
    @Nullable Object part = output;
    for (String key : reference.group(2).split("\\.", -1)) {
      if (!key.isEmpty()) {
        part =
            switch (part) {
              case JsonObject object -> object.getValue(key);
              case JsonArray array when key.matches("\\d{1,6}") && index(key) < array.size() ->
                  array.getValue(index(key));
              case null, default -> null;
            };
      }
    }
    if (part == null) {
      throw new MissingInputException(
          "the payload refers to " + reference.group() + ", which that step did not answer");
    }
    return part;
  }

  private static int index(String digits) {
    return Integer.parseInt(digits);
  }
}
