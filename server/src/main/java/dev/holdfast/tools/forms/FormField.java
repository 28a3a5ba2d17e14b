package dev.holdfast.tools.forms;

import java.util.List;
import java.util.Optional;

/**
 * One field of a form.
 *
 * @param name what the answer calls it
 * @param description what it is for, for people; empty when nobody says
 * @param preset what it holds when the person says nothing, as JSON has it; empty when there is no
 *     such value
 */
public record FormField(
    String name, String description, Kind kind, boolean isRequired, Optional<Object> preset) {

  /** What a field takes. */
  public sealed interface Kind {}

  /**
   * @param format {@code email}, {@code uri}, {@code date}, {@code date-time}, or empty
   */
  public record Text(int unitsMin, int unitsMax, String format) implements Kind {}

  /** Both ends belong to it. */
  public record Numeric(boolean isWhole, double min, double max) implements Kind {}

  /** Yes or no. */
  public record YesOrNo() implements Kind {}

  /** One of several. */
  public record OneOf(List<Choice> choices) implements Kind {
    public OneOf {
      choices = List.copyOf(choices);
    }
  }

  /** Some of several. */
  public record SomeOf(List<Choice> choices, int countMin, int countMax) implements Kind {
    public SomeOf {
      choices = List.copyOf(choices);
    }
  }

  /**
   * @param value what is answered
   * @param title what people read and may write
   */
  public record Choice(String value, String title) {}
}
