package dev.holdfast.agentkit;

import dev.holdfast.kit.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The arguments of an action. The server has checked them against the schema that was declared;
 * whatever does not fit all the same is refused.
 */
public record ActionPayload(Map<String, Object> values) {
  /** Whether something other than null stands there. */
  public boolean has(String name) {
    Object value = values.get(name);
    return value != null && value != JsonText.NULL;
  }

  /** A text; refused when it is missing or something else. */
  public String text(String name) throws ActionRefusedException {
    if (values.get(name) instanceof String text) {
      return text;
    }
    throw invalid(name, "must be a text");
  }

  public String text(String name, String fallback) throws ActionRefusedException {
    return has(name) ? text(name) : fallback;
  }

  public boolean flag(String name) throws ActionRefusedException {
    if (has(name) && !(values.get(name) instanceof Boolean)) {
      throw invalid(name, "must be true or false");
    }
    return JsonText.flag(values, name);
  }

  /** A whole number within bounds. */
  public int whole(String name, int fallback, int min, int max) throws ActionRefusedException {
    if (!has(name)) {
      return fallback;
    }
    if (values.get(name) instanceof Long number && number >= min && number <= max) {
      return number.intValue();
    }
    throw invalid(name, "must be a whole number from %d to %d".formatted(min, max));
  }

  /** A list of texts, at least one. */
  public List<String> texts(String name, int max) throws ActionRefusedException {
    List<String> texts = new ArrayList<>();
    if (values.get(name) instanceof List<?> list) {
      for (Object item : list) {
        if (!(item instanceof String text)) {
          throw invalid(name, "must be a list of texts");
        }
        texts.add(text);
      }
    }
    if (texts.isEmpty() || texts.size() > max) {
      throw invalid(name, "must have from 1 to %d items".formatted(max));
    }
    return texts;
  }

  /** An object; an empty one when it is missing. */
  public ActionPayload object(String name) throws ActionRefusedException {
    if (has(name) && !(values.get(name) instanceof Map)) {
      throw invalid(name, "must be an object");
    }
    return new ActionPayload(JsonText.map(values, name));
  }

  private static ActionRefusedException invalid(String name, String problem) {
    return new ActionRefusedException(ActionRefusedException.INVALID, name + " " + problem + ".");
  }
}
