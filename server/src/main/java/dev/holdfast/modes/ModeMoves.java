package dev.holdfast.modes;

import dev.holdfast.modes.ModeEvent.Booted;
import dev.holdfast.modes.ModeEvent.GoOnAsked;
import dev.holdfast.modes.ModeEvent.Looked;
import dev.holdfast.modes.ModeEvent.StopAsked;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Predicate;

/** Which mode follows, as one pure function, so that a test can try every event in every state. */
final class ModeMoves {
  /** The least between two changes that nobody asked for. */
  static final Duration PAUSE = Duration.ofSeconds(30);

  private ModeMoves() {}

  static Standing next(Standing before, ModeEvent event, long nanos) {
    return switch (event) {
      case StopAsked() -> move(before, ModeRule.STOPPED_BY_HAND, nanos);
      case GoOnAsked(ModeFacts facts) ->
          before.rule().isEndedByHand()
              ? move(before, first(facts, rule -> !rule.isEndedByHand()), nanos)
              : looked(before, facts, nanos);
      case Booted(ModeFacts facts) ->
          before.rule().isEndedByHand() ? before : move(before, first(facts, _ -> true), nanos);
      case Looked(ModeFacts facts) ->
          before.rule().isEndedByHand() ? before : looked(before, facts, nanos);
    };
  }

  /** Another rule of the same mode may come at any time. */
  private static Standing looked(Standing before, ModeFacts facts, long nanos) {
    ModeRule rule = first(facts, _ -> true);
    boolean isTooSoon = nanos - before.sinceNanos() < PAUSE.toNanos();
    return isTooSoon && rule.mode() != before.mode() ? before : move(before, rule, nanos);
  }

  private static Standing move(Standing before, ModeRule rule, long nanos) {
    return new Standing(rule, rule.mode() == before.mode() ? before.sinceNanos() : nanos);
  }

  private static ModeRule first(ModeFacts facts, Predicate<ModeRule> among) {
    return Arrays.stream(ModeRule.values())
        .filter(among)
        .filter(rule -> rule.holds(facts))
        .findFirst()
        .orElse(ModeRule.ALL_WELL);
  }
}
