package dev.holdfast.extensions;

import dev.holdfast.tools.forms.FormField;
import dev.holdfast.tools.forms.FormField.Choice;
import dev.holdfast.tools.forms.PersonForm;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Makes of an elicitation a form that fits into a chat. */
final class ElicitedFormReader {
  private static final int FIELDS_MAX = 16;
  private static final int CHOICES_MAX = 30;
  private static final int NAME_UNITS_MAX = 64;
  private static final int TITLE_UNITS_MAX = 100;
  private static final int DESCRIPTION_UNITS_MAX = 200;
  private static final int PRESET_UNITS_MAX = 200;
  private static final int MESSAGE_UNITS_MAX = 1000;
  private static final int MESSAGE_LINES_MAX = 20;

  /** Of an answer to a field that names no limit. */
  private static final int ANSWER_UNITS_MAX = 1500;

  private static final Pattern NAME = Pattern.compile("[^\\s:=;]+( [^\\s:=;]+)*");

  private static final Pattern SENTENCES = Pattern.compile("[.?!;()\\n]");

  /** Words for what nobody should type into a chat, in the form of {@link #plain}. */
  private static final Pattern SECRET =
      Pattern.compile(
          "\\b(pass ?(word|wd|phrase|code|wort)s?|pwd|secrets?|tokens?|credentials?"
              + "|(api|private|access|secret|signing|encryption|ssh|licen[cs]e) ?keys?"
              + "|pins?|cvv|cvc|t?otp|2 ?fa|mfa|mnemonic|(seed|recovery) ?(phrase|word|code)s?"
              + "|(credit|debit) ?cards?|card ?(number|no|nr)s?|iban|ssn|social security)\\b");

  /** A sentence that warns of giving one away. */
  private static final Pattern WARNING =
      Pattern.compile(
          "\\b(do not|don t|never) (ever )?(give|send|enter|share|type|use|tell|paste)\\b");

  private final String source;

  ElicitedFormReader(String source) {
    this.source = source;
  }

  private static final class RefusedFormException extends Exception {
    private static final long serialVersionUID = 1L;

    RefusedFormException(String reason) {
      super(reason);
    }

    String reason() {
      return String.valueOf(getMessage());
    }
  }

  ElicitedForm read(JsonObject parameters) {
    try {
      return new ElicitedForm.Askable(form(parameters));
    } catch (RefusedFormException e) {
      return new ElicitedForm.Refused(e.reason());
    }
  }

  private PersonForm form(JsonObject parameters) throws RefusedFormException {
    String message = text(parameters.getValue("message"), MESSAGE_UNITS_MAX);
    require(message.lines().count() <= MESSAGE_LINES_MAX, "its message is too long for a chat");
    require(!asksForSecret(message), "secrets are not asked for in a chat");
    List<FormField> fields = new ArrayList<>();
    if (parameters.getValue("requestedSchema") instanceof JsonObject schema) {
      JsonObject properties =
          schema.getValue("properties") instanceof JsonObject listed ? listed : new JsonObject();
      require(properties.size() <= FIELDS_MAX, "it has more than " + FIELDS_MAX + " fields");
      List<String> required = texts(schema.getValue("required"));
      for (Map.Entry<String, Object> each : properties) {
        fields.add(field(each.getKey(), each.getValue(), required.contains(each.getKey())));
      }
    }
    return new PersonForm(source, message, fields);
  }

  private static FormField field(String name, Object declared, boolean isRequired)
      throws RefusedFormException {
    require(
        name.length() <= NAME_UNITS_MAX
            && NAME.matcher(name).matches()
            && Texts.visible(name).equals(name),
        "a field has a name that nobody could type");
    if (!(declared instanceof JsonObject schema)) {
      throw new RefusedFormException("a field is not described");
    }
    String title = line(schema.getValue("title"), TITLE_UNITS_MAX);
    String description = line(schema.getValue("description"), DESCRIPTION_UNITS_MAX);
    require(
        !asksForSecret(name)
            && !asksForSecret(title)
            && !asksForSecret(description)
            && !"password".equals(schema.getValue("format")),
        "secrets are not asked for in a chat");
    FormField.Kind kind = kind(schema);
    String shown =
        title.isEmpty() || title.equals(name)
            ? description
            : description.isEmpty() ? title : title + ": " + description;
    return new FormField(name, shown, kind, isRequired, preset(kind, schema.getValue("default")));
  }

  private static boolean asksForSecret(String text) {
    return SENTENCES
        .splitAsStream(text)
        .map(ElicitedFormReader::plain)
        .anyMatch(sentence -> SECRET.matcher(sentence).find() && !WARNING.matcher(sentence).find());
  }

  /** In small letters, one form of each, with single spaces for all else. */
  private static String plain(String text) {
    return Normalizer.normalize(text, Normalizer.Form.NFKC)
        .replaceAll("(\\p{Ll})(\\p{Lu})", "$1 $2") // userPassword has words too
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N}]+", " ");
  }

  private static FormField.Kind kind(JsonObject schema) throws RefusedFormException {
    return switch (String.valueOf(schema.getValue("type"))) {
      case "string" -> {
        List<Choice> choices = choices(schema, "oneOf");
        yield choices.isEmpty() ? textKind(schema) : new FormField.OneOf(choices);
      }
      case "integer" -> numeric(schema, true);
      case "number" -> numeric(schema, false);
      case "boolean" -> new FormField.YesOrNo();
      case "array" -> {
        List<Choice> choices =
            schema.getValue("items") instanceof JsonObject items
                ? choices(items, "anyOf")
                : List.of();
        require(!choices.isEmpty(), "a field is of a kind that a chat has no form for");
        yield new FormField.SomeOf(
            choices,
            whole(schema.getValue("minItems"), 0),
            Math.min(choices.size(), whole(schema.getValue("maxItems"), choices.size())));
      }
      default -> throw new RefusedFormException("a field is of a kind that a chat has no form for");
    };
  }

  private static FormField.Text textKind(JsonObject schema) {
    return new FormField.Text(
        whole(schema.getValue("minLength"), 0),
        Math.min(ANSWER_UNITS_MAX, whole(schema.getValue("maxLength"), ANSWER_UNITS_MAX)),
        schema.getValue("format") instanceof String format
                && List.of("email", "uri", "date", "date-time").contains(format)
            ? format
            : "");
  }

  private static FormField.Numeric numeric(JsonObject schema, boolean isWhole) {
    return new FormField.Numeric(
        isWhole,
        schema.getValue("minimum") instanceof Number min
            ? min.doubleValue()
            : Double.NEGATIVE_INFINITY,
        schema.getValue("maximum") instanceof Number max
            ? max.doubleValue()
            : Double.POSITIVE_INFINITY);
  }

  private static int whole(Object number, int otherwise) {
    return number instanceof Number given ? Math.max(0, given.intValue()) : otherwise;
  }

  /**
   * @param titled the key under which choices stand that have titles
   */
  private static List<Choice> choices(JsonObject schema, String titled)
      throws RefusedFormException {
    List<Choice> choices = new ArrayList<>();
    if (schema.getValue(titled) instanceof JsonArray all) {
      for (Object one : all) {
        if (one instanceof JsonObject choice && choice.getValue("const") instanceof String value) {
          choices.add(choice(value, choice.getValue("title")));
        }
      }
    } else if (schema.getValue("enum") instanceof JsonArray) {
      List<String> values = texts(schema.getValue("enum"));
      List<String> titles = texts(schema.getValue("enumNames"));
      for (int i = 0; i < values.size(); i++) {
        choices.add(choice(values.get(i), i < titles.size() ? titles.get(i) : values.get(i)));
      }
    }
    require(choices.size() <= CHOICES_MAX, "a field has more than " + CHOICES_MAX + " choices");
    return choices;
  }

  private static Choice choice(String value, Object title) {
    String shown = line(title, TITLE_UNITS_MAX);
    return new Choice(value, shown.isEmpty() ? line(value, TITLE_UNITS_MAX) : shown);
  }

  /** What does not fit its own field is not proposed to anybody. */
  private static Optional<Object> preset(FormField.Kind kind, Object preset) {
    return switch (kind) {
      case FormField.Text _ ->
          preset instanceof String text && text.length() <= PRESET_UNITS_MAX
              ? Optional.of(Texts.visible(text))
              : Optional.empty();
      case FormField.Numeric _ -> preset instanceof Number ? Optional.of(preset) : Optional.empty();
      case FormField.YesOrNo() ->
          preset instanceof Boolean ? Optional.of(preset) : Optional.empty();
      case FormField.OneOf(List<Choice> choices) ->
          choices.stream().anyMatch(choice -> choice.value().equals(preset))
              ? Optional.of(preset)
              : Optional.empty();
      case FormField.SomeOf(List<Choice> choices, _, _) ->
          preset instanceof JsonArray some
                  && choices.stream().map(Choice::value).toList().containsAll(some.getList())
              ? Optional.of(some)
              : Optional.empty();
    };
  }

  private static List<String> texts(Object listed) {
    return listed instanceof JsonArray all
        ? all.stream().filter(String.class::isInstance).map(String.class::cast).toList()
        : List.of();
  }

  private static String text(Object given, int unitsMax) {
    String text = given instanceof String said ? Texts.visible(said.strip()) : "";
    return text.length() <= unitsMax ? text : Texts.cut(text, unitsMax) + "…";
  }

  private static String line(Object given, int unitsMax) {
    return text(given, unitsMax).replaceAll("\\s+", " ");
  }

  private static void require(boolean holds, String reason) throws RefusedFormException {
    if (!holds) {
      throw new RefusedFormException(reason);
    }
  }
}
