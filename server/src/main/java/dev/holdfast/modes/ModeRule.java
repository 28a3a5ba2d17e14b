package dev.holdfast.modes;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** When which mode is entered and left. The first rule that holds counts: the worst comes first. */
public enum ModeRule {
  STOPPED_BY_HAND(
      Mode.SAFE,
      _ -> List.of(), // nothing that is seen leads to it
      "An operator has stopped the server.",
      "Ends when an operator resumes it: holdfast mode auto.",
      "I have your message. An operator has paused me; I will answer when they resume me."),
  RESTORED_COPY(
      Mode.SAFE,
      facts -> facts.isCopy() ? List.of("copy") : List.of(),
      "This server runs on a restored copy, and its original may still run.",
      "Ends when an operator lets it take the original's place: holdfast promote.",
      ""), // the original answers
  CRITICAL_PARTS_DOWN(
      Mode.SAFE,
      facts -> atLeast(2, facts.downFor(Duration.ofSeconds(60))),
      "Two or more critical parts have been down for 60 s.",
      "Ends when an operator resumes the server: holdfast mode auto.",
      "I have your message. Too many of my parts have failed, so I am waiting for an operator; I"
          + " will answer when they resume me."),
  MODELS_UNAVAILABLE(
      Mode.MINIMAL,
      facts -> facts.downNamed(DownPart.MODELS),
      "No model can be reached.",
      "Ends when a model answers.",
      ""),
  PART_DOWN(
      Mode.MINIMAL,
      facts -> facts.downFor(Duration.ofSeconds(10)),
      "A critical part has been down for 10 s.",
      "Ends when it works again.",
      ""),
  TASKS_DOWN(
      Mode.MINIMAL,
      facts -> facts.downNamed(DownPart.TASKS),
      "The part that hands out tasks has crashed too often.",
      "Ends when it has run for a minute; it is retried every minute.",
      ""),
  BUDGET_SPENT(
      Mode.LIMITED_API,
      facts -> facts.budgetSpent() ? List.of("models.budget") : List.of(),
      "The budget for models is used up.",
      "Ends with the next day or month, or with a larger budget after a restart.",
      ""),
  PROVIDERS_OPEN(
      Mode.LIMITED_API,
      facts ->
          facts.openProviders().containsAll(facts.remoteProviders())
              ? facts.remoteProviders()
              : List.of(),
      "The breaker of every remote provider is open.",
      "Ends when one of them answers a call.",
      ""),
  INTERRUPTED_WORK(
      Mode.RECOVERY,
      ModeFacts::interrupted,
      "The last run did not stop cleanly, and what it was doing is being resumed.",
      "Ends when all interrupted work has been resumed or has ended.",
      ""),
  WORKERS_GIVEN_UP(
      Mode.REDUCED_AGENTS,
      ModeFacts::givenUp,
      "Some workers have failed too often and are missing.",
      "Ends when they work again; they are retried every minute.",
      ""),
  ALL_WELL(Mode.FULL, _ -> List.of("all"), "Nothing is missing.", "Ends when a part fails.", "");

  private final Mode mode;

  @SuppressWarnings("ImmutableEnumChecker") // each is a pure function of its argument
  private final Function<ModeFacts, List<String>> evidence;

  private final String entry;
  private final String exit;
  private final String sentence;

  ModeRule(
      Mode mode,
      Function<ModeFacts, List<String>> evidence,
      String entry,
      String exit,
      String sentence) {
    this.mode = mode;
    this.evidence = evidence;
    this.entry = entry;
    this.exit = exit;
    this.sentence = sentence;
  }

  private static List<String> atLeast(int least, List<String> names) {
    return names.size() >= least ? names : List.of();
  }

  public Mode mode() {
    return mode;
  }

  /** For machines. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  boolean holds(ModeFacts facts) {
    return !evidence.apply(facts).isEmpty();
  }

  /** Why it holds, in words. */
  String reason(ModeFacts facts) {
    List<String> names = evidence.apply(facts);
    return this == ALL_WELL || this == RESTORED_COPY || names.isEmpty()
        ? entry
        : entry + " (" + String.join(", ", names) + ")";
  }

  /** Why, when nothing was looked at. */
  String entry() {
    return entry;
  }

  /** How its mode ends, in words. */
  public String exit() {
    return exit;
  }

  /**
   * What people are told, once, whose messages wait because of it. Empty where those who make them
   * wait have words of their own.
   */
  public String sentence() {
    return sentence;
  }

  /** Whether nothing but an operator's {@code auto} ends it. */
  boolean isEndedByHand() {
    return this == STOPPED_BY_HAND || this == CRITICAL_PARTS_DOWN;
  }
}
