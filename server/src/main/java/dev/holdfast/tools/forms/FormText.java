package dev.holdfast.tools.forms;

import dev.holdfast.tools.forms.FormField.Choice;
import dev.holdfast.tools.forms.FormField.Numeric;
import dev.holdfast.tools.forms.FormField.OneOf;
import dev.holdfast.tools.forms.FormField.SomeOf;
import dev.holdfast.tools.forms.FormField.Text;
import dev.holdfast.tools.forms.FormField.YesOrNo;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** How a form reads in a chat. */
public final class FormText {
  private FormText() {}

  /**
   * @param code what the answer has to name
   * @param limit how long an answer counts
   */
  public static String of(PersonForm form, String code, Duration limit) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "The %s asks you something. The words are its own and not checked; do not send passwords or keys."
            .formatted(form.source()));
    form.message().lines().map(line -> "> " + line).forEach(lines::add);
    for (int i = 0; i < form.fields().size(); i++) {
      lines.add((i + 1) + ". " + field(form.fields().get(i)));
    }
    lines.add(howToAnswer(form, code, limit));
    return String.join("\n", lines);
  }

  private static String field(FormField field) {
    return field.name()
        + " ("
        + kind(field.kind())
        + (field.isRequired() ? ", required" : "")
        + field.preset().map(preset -> ", else " + shown(preset, field.kind())).orElse("")
        + ")"
        + (field.description().isEmpty() ? "" : ": " + field.description());
  }

  private static String howToAnswer(PersonForm form, String code, Duration limit) {
    String yes = form.takesPlainYes() ? "/approve " + code : "";
    String answer =
        switch (form.fields().size()) {
          case 0 -> "";
          case 1 -> "/answer " + code + " and your answer";
          default ->
              "/answer "
                  + code
                  + " and a line \"name: value\" for each field that you fill in, such as \""
                  + form.fields().getFirst().name()
                  + ": …\"";
        };
    String ways =
        answer.isEmpty() || yes.isEmpty()
            ? answer + yes
            : answer + ", or " + yes + " to leave it as it is";
    return "Reply %s, or /deny %s, within %d minutes."
        .formatted(ways, code, Math.max(1, limit.toMinutes()));
  }

  /** What a field takes, in a few words. */
  static String kind(FormField.Kind kind) {
    return switch (kind) {
      case Text(_, _, String format) -> format.isEmpty() ? "text" : format;
      case Numeric(boolean isWhole, double min, double max) ->
          (isWhole ? "whole number" : "number") + range(min, max);
      case YesOrNo() -> "yes or no";
      case OneOf(List<Choice> choices) -> "one of " + titles(choices);
      case SomeOf(List<Choice> choices, int min, int max) ->
          (min == max ? "" + min : min + " to " + max) + " of " + titles(choices);
    };
  }

  private static String range(double min, double max) {
    if (Double.isInfinite(min) && Double.isInfinite(max)) {
      return "";
    }
    return Double.isInfinite(max)
        ? " from " + plain(min)
        : Double.isInfinite(min)
            ? " up to " + plain(max)
            : " from " + plain(min) + " to " + plain(max);
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
  }

  private static String titles(List<Choice> choices) {
    return choices.stream().map(Choice::title).collect(Collectors.joining(", "));
  }

  private static String shown(Object preset, FormField.Kind kind) {
    return switch (preset) {
      case Boolean yes -> yes ? "yes" : "no";
      case Iterable<?> many -> {
        List<String> all = new ArrayList<>();
        many.forEach(one -> all.add(shown(one, kind)));
        yield String.join(", ", all);
      }
      default -> title(String.valueOf(preset), kind);
    };
  }

  private static String title(String value, FormField.Kind kind) {
    List<Choice> choices =
        switch (kind) {
          case OneOf(List<Choice> one) -> one;
          case SomeOf(List<Choice> some, _, _) -> some;
          case Text _, Numeric _, YesOrNo _ -> List.of();
        };
    return choices.stream()
        .filter(choice -> choice.value().equals(value))
        .map(Choice::title)
        .findFirst()
        .orElse(value);
  }
}
