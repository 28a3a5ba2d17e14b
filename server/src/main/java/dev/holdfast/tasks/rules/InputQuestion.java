package dev.holdfast.tasks.rules;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an agent wants to know of a person before it goes on.
 *
 * @param choices the answers that there are, an approval's first one is yes; empty for any text
 * @param patience how long it waits
 * @param fallback what is taken for the answer then; null when the task is given up then
 * @param state what the agent is given back with the answer: a JSON object
 */
public record InputQuestion(
    InputKind kind,
    String text,
    List<String> choices,
    Duration patience,
    @Nullable String fallback,
    String state) {
  public static final Duration PATIENCE = Duration.ofDays(7);
  public static final Duration PATIENCE_MAX = Duration.ofDays(30);
  public static final int TEXT_MAX = 4000;
  public static final int CHOICES_MAX = 10;
  public static final int CHOICE_MAX = 100;
  public static final int STATE_MAX = 65_536;
  public static final int ANSWER_MAX = 8000;

  /** The state of a question that the server asks itself, before an agent is called. */
  private static final String BEFORE_CALL = "{\"asked\":\"before the call\"}";

  private static final List<String> YES_OR_NO = List.of("Allow", "Reject");

  /** Asks whether an agent may be called. */
  public static InputQuestion mayRun(String text) {
    return new InputQuestion(InputKind.APPROVAL, text, YES_OR_NO, PATIENCE, null, BEFORE_CALL);
  }

  /** Whether the server asks it itself, before an agent is called. */
  public boolean isBeforeCall() {
    return kind == InputKind.APPROVAL && state.equals(BEFORE_CALL);
  }

  /** Whether an answer allows what is asked for. */
  public boolean allows(String answer) {
    return kind == InputKind.APPROVAL && answer.equals(choices.getFirst());
  }

  public InputQuestion {
    choices = List.copyOf(choices);
  }

  /** All that is wrong with it, in sentences. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (text.isBlank() || text.length() > TEXT_MAX) {
      problems.add("a question has from 1 to %d characters".formatted(TEXT_MAX));
    }
    if (choices.size() > CHOICES_MAX
        || choices.stream().anyMatch(one -> one.isBlank() || one.length() > CHOICE_MAX)
        || choices.stream().distinct().count() < choices.size()) {
      problems.add(
          "it has at most %d choices, all different, each of 1 to %d characters"
              .formatted(CHOICES_MAX, CHOICE_MAX));
    }
    if (kind == InputKind.APPROVAL && choices.size() != 2) {
      problems.add("an approval has two choices, the first one is yes");
    }
    if (patience.compareTo(Duration.ofSeconds(1)) < 0 || patience.compareTo(PATIENCE_MAX) > 0) {
      problems.add("it waits from 1 second to %d days".formatted(PATIENCE_MAX.toDays()));
    }
    if (fallback != null && kind != InputKind.ANSWER) {
      problems.add("only a question of kind answer has an answer for its deadline");
    }
    if (fallback != null && problem(fallback) != null) {
      problems.add("the answer for its deadline is none: " + problem(fallback));
    }
    if (state.length() > STATE_MAX) {
      problems.add("its state has at most %d characters".formatted(STATE_MAX));
    }
    return problems;
  }

  /** Why {@code answer} is none; null when it is one. */
  public @Nullable String problem(String answer) {
    if (answer.isBlank() || answer.length() > ANSWER_MAX) {
      return "an answer has from 1 to %d characters".formatted(ANSWER_MAX);
    }
    return choices.isEmpty() || choices.contains(answer)
        ? null
        : "the answer is one of: " + String.join(", ", choices);
  }
}
