package dev.holdfast.tools.forms;

import dev.holdfast.tools.forms.FormField.Choice;
import dev.holdfast.tools.forms.FormField.Numeric;
import dev.holdfast.tools.forms.FormField.OneOf;
import dev.holdfast.tools.forms.FormField.SomeOf;
import dev.holdfast.tools.forms.FormField.Text;
import dev.holdfast.tools.forms.FormField.YesOrNo;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.net.URI;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Finds out what a person's words mean for a form. */
public final class FormAnswerReader {
  private static final int NUMBER_UNITS_MAX = 30;
  private static final Pattern EMAIL = Pattern.compile("[^@\\s]+@[^@\\s]+");
  private static final Set<String> YES = Set.of("yes", "y", "true", "1", "on");
  private static final Set<String> NO = Set.of("no", "n", "false", "0", "off");

  private FormAnswerReader() {}

  /**
   * Reads {@code name: value} lines, also with {@code =}, with the field's number in place of its
   * name, and with several on a line behind semicolons. Without a name the text is the one field
   * that there is, or the only one that is required.
   */
  public static FormAnswer read(PersonForm form, String text) {
    Map<FormField, String> said = said(form, text);
    if (said.isEmpty() && !text.isBlank()) {
      return new FormAnswer.Faulty("it names none of the fields.");
    }
    JsonObject content = new JsonObject();
    for (FormField field : form.fields()) {
      String value = said.getOrDefault(field, "");
      if (!value.isEmpty()) {
        Optional<Object> meant = meant(field.kind(), value);
        if (meant.isEmpty()) {
          return new FormAnswer.Faulty(
              field.name() + " takes " + FormText.kind(field.kind()) + bounds(field));
        }
        content.put(field.name(), meant.get());
      } else if (field.preset().isPresent()) {
        content.put(field.name(), field.preset().get());
      } else if (field.isRequired()) {
        return new FormAnswer.Faulty(field.name() + " is required.");
      }
    }
    return new FormAnswer.Complete(content);
  }

  private static String bounds(FormField field) {
    return field.kind() instanceof Text(int min, int max, _)
        ? ", from " + min + " to " + max + " characters."
        : ".";
  }

  private static Map<FormField, String> said(PersonForm form, String text) {
    Map<String, FormField> byKey = keys(form.fields());
    Map<FormField, String> said = new LinkedHashMap<>();
    if (byKey.isEmpty()) {
      return said;
    }
    String names =
        byKey.keySet().stream().map(Pattern::quote).collect(Collectors.joining("|", "(", ")"));
    Matcher starts =
        Pattern.compile(
                "(?:^|[\\n;])\\s*" + names + "\\s*[:=]",
                Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE)
            .matcher(text);
    List<MatchResult> found = starts.results().toList();
    for (int i = 0; i < found.size(); i++) {
      int end = i + 1 < found.size() ? found.get(i + 1).start() : text.length();
      FormField field = byKey.get(found.get(i).group(1).toLowerCase(Locale.ROOT));
      if (field != null) {
        said.put(field, text.substring(found.get(i).end(), end).strip());
      }
    }
    if (found.isEmpty() && !text.isBlank()) {
      only(form.fields()).ifPresent(field -> said.put(field, text.strip()));
    }
    return said;
  }

  private static Map<String, FormField> keys(List<FormField> fields) {
    Map<String, FormField> byKey = new LinkedHashMap<>();
    fields.forEach(field -> byKey.putIfAbsent(field.name().toLowerCase(Locale.ROOT), field));
    IntStream.range(0, fields.size())
        .forEach(i -> byKey.putIfAbsent(Integer.toString(i + 1), fields.get(i)));
    return byKey;
  }

  private static Optional<FormField> only(List<FormField> fields) {
    List<FormField> required = fields.stream().filter(FormField::isRequired).toList();
    List<FormField> meant = fields.size() == 1 ? fields : required;
    return meant.size() == 1 ? Optional.of(meant.getFirst()) : Optional.empty();
  }

  private static Optional<Object> meant(FormField.Kind kind, String said) {
    return switch (kind) {
      case Text text -> isText(text, said) ? Optional.of(said) : Optional.empty();
      case Numeric number -> number(number, said);
      case YesOrNo() -> yesOrNo(said.toLowerCase(Locale.ROOT));
      case OneOf(List<Choice> choices) -> choice(choices, said).map(Object.class::cast);
      case SomeOf some -> choices(some, said);
    };
  }

  private static boolean isText(Text text, String said) {
    return said.length() >= text.unitsMin()
        && said.length() <= text.unitsMax()
        && hasFormat(text.format(), said);
  }

  private static boolean hasFormat(String format, String said) {
    try {
      return switch (format) {
        case "email" -> EMAIL.matcher(said).matches();
        case "uri" -> URI.create(said).isAbsolute();
        case "date" -> LocalDate.parse(said).toString().equals(said);
        case "date-time" -> !OffsetDateTime.parse(said).toString().isEmpty();
        default -> true;
      };
    } catch (IllegalArgumentException | DateTimeException e) {
      return false;
    }
  }

  private static Optional<Object> number(Numeric kind, String said) {
    if (said.length() > NUMBER_UNITS_MAX) {
      return Optional.empty();
    }
    try {
      double value = new BigDecimal(said).doubleValue();
      boolean fits = value >= kind.min() && value <= kind.max();
      if (!fits || !Double.isFinite(value)) {
        return Optional.empty();
      }
      return kind.isWhole()
          ? Optional.of(new BigDecimal(said).longValueExact())
          : Optional.of(value);
    } catch (ArithmeticException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static Optional<Object> yesOrNo(String said) {
    return YES.contains(said)
        ? Optional.of(true)
        : NO.contains(said) ? Optional.of(false) : Optional.empty();
  }

  private static Optional<String> choice(List<Choice> choices, String said) {
    return Stream.concat(
            choices.stream().filter(choice -> choice.value().equals(said)),
            choices.stream()
                .filter(
                    choice ->
                        choice.value().equalsIgnoreCase(said)
                            || choice.title().equalsIgnoreCase(said)))
        .map(Choice::value)
        .findFirst();
  }

  private static Optional<Object> choices(SomeOf kind, String said) {
    Set<String> chosen = new LinkedHashSet<>();
    for (String one : said.split(",", -1)) {
      Optional<String> choice = choice(kind.choices(), one.strip());
      if (choice.isEmpty()) {
        return Optional.empty();
      }
      chosen.add(choice.get());
    }
    return chosen.size() >= kind.countMin() && chosen.size() <= kind.countMax()
        ? Optional.of(new JsonArray(List.copyOf(chosen)))
        : Optional.empty();
  }
}
