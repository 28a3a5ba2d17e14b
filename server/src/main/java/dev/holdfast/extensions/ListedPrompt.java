package dev.holdfast.extensions;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A prompt as its server lists it. */
record ListedPrompt(String name, String description, List<Argument> arguments) {
  private static final int DESCRIPTION_UNITS_MAX = 200;
  private static final int ARGUMENTS_MAX = 20;

  /** What can be typed behind the colon; a prompt of another name cannot be called for. */
  private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_.:/-]{1,128}");

  private static final Pattern ARGUMENT_NAME = Pattern.compile("[\\p{L}\\p{N}_.-]{1,64}");

  /** A value that people type. */
  record Argument(String name, boolean isRequired) {}

  ListedPrompt {
    arguments = List.copyOf(arguments);
  }

  /** Empty when it is none, or none that can be called for. */
  static Optional<ListedPrompt> read(Object listed) {
    if (!(listed instanceof JsonObject prompt)
        || !(prompt.getValue("name") instanceof String name)
        || !NAME.matcher(name).matches()) {
      return Optional.empty();
    }
    List<Argument> arguments = new ArrayList<>();
    if (prompt.getValue("arguments") instanceof JsonArray declared) {
      if (declared.size() > ARGUMENTS_MAX) {
        return Optional.empty();
      }
      for (Object each : declared) {
        if (!(each instanceof JsonObject argument)
            || !(argument.getValue("name") instanceof String called)
            || !ARGUMENT_NAME.matcher(called).matches()) {
          return Optional.empty();
        }
        arguments.add(new Argument(called, Boolean.TRUE.equals(argument.getValue("required"))));
      }
    }
    String description =
        prompt.getValue("description") instanceof String text
            ? text
            : prompt.getValue("title") instanceof String title ? title : "";
    String line = Texts.visible(description).strip().replaceAll("\\s+", " ");
    return Optional.of(new ListedPrompt(name, Texts.cut(line, DESCRIPTION_UNITS_MAX), arguments));
  }

  /** What is typed to call for it. */
  String usage(String id) {
    return "/"
        + id
        + ":"
        + name
        + arguments.stream()
            .map(one -> one.isRequired() ? " " + one.name() : " [" + one.name() + "]")
            .collect(Collectors.joining());
  }

  JsonObject toJson() {
    JsonArray kept = new JsonArray();
    arguments.forEach(
        one ->
            kept.add(new JsonObject().put("name", one.name()).put("required", one.isRequired())));
    return new JsonObject()
        .put("name", name)
        .put("description", description)
        .put("arguments", kept);
  }
}
