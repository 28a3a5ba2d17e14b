package dev.holdfast.drills;

import dev.holdfast.store.messages.EventFates;
import dev.holdfast.store.messages.EventState;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What is promised for a fault, and whether it held: a pure function of what was counted. */
public enum DrillPromise {
  ACCEPTED_IS_ANSWERED(
      "Every message that is accepted during the drill is answered, or its end is on record."),
  NOTHING_TWICE("No message is answered twice, and no reply is posted twice."),
  TOLD_ONCE("A chat thread is told at most once that its answer comes later."),
  NOTHING_GIVEN_UP("No message becomes a dead letter because of the fault."),
  STAYS_READY("The server stays ready: it goes on accepting messages."),
  REFUSES_OPENLY("The server says that it is not ready while the fault lasts."),
  PART_WORKS_AGAIN("The part that was hit works again without help."),
  NORMAL_AGAIN("After the drill every condition that it caused ends within the settling time.");

  private final String text;

  DrillPromise(String text) {
    this.text = text;
  }

  /** For machines. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** A sentence for people. */
  public String text() {
    return text;
  }

  /** Whether a promise held. */
  public enum Held {
    YES,
    NO,

    /** Nothing happened that it is about. */
    UNTESTED;

    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    private static Held of(boolean held) {
      return held ? YES : NO;
    }
  }

  /**
   * A promise held against what happened.
   *
   * @param why one sentence with the figures
   */
  public record Verdict(DrillPromise promise, Held held, String why) {}

  /** Said when the drill and its settling are over. */
  Verdict judge(DrillFacts facts) {
    EventFates fates = facts.fates();
    return switch (this) {
      case ACCEPTED_IS_ANSWERED ->
          verdict(
              fates.accepted() == 0,
              fates.open() == 0
                  && fates.openReplies() == 0
                  && fates.accepted() == facts.acceptedCounted(),
              "%d accepted: %s; %d replies not finished"
                  .formatted(facts.acceptedCounted(), states(fates), fates.openReplies()));
      case NOTHING_TWICE ->
          verdict(
              fates.accepted() == 0,
              fates.answeredTwice() == 0 && fates.resent() == 0,
              "%d answered twice, %d replies posted again after one that may have arrived"
                  .formatted(fates.answeredTwice(), fates.resent()));
      case TOLD_ONCE ->
          verdict(
              fates.told().isEmpty(),
              fates.told().stream().allMatch(told -> told.times() == told.threads()),
              "%d sentences in %d chat threads"
                  .formatted(
                      fates.told().stream().mapToLong(EventFates.Told::times).sum(),
                      fates.told().stream().mapToLong(EventFates.Told::threads).sum()));
      case NOTHING_GIVEN_UP ->
          verdict(
              fates.accepted() == 0,
              fates.in(EventState.DEAD_LETTERED) == 0,
              fates.in(EventState.DEAD_LETTERED) + " dead letters");
      case STAYS_READY ->
          verdict(
              false,
              facts.looksNotReady() == 0,
              "not ready at %d of %d looks".formatted(facts.looksNotReady(), facts.looks()));
      case REFUSES_OPENLY ->
          verdict(
              facts.strikes() == 0,
              facts.looksNotReady() > 0,
              "%d writes were refused; not ready at %d of %d looks"
                  .formatted(facts.strikes(), facts.looksNotReady(), facts.looks()));
      case PART_WORKS_AGAIN ->
          verdict(
              facts.strikes() == 0,
              facts.repaired(),
              facts.repaired() ? "it works" : "it does not work yet");
      case NORMAL_AGAIN ->
          verdict(
              false,
              facts.remaining().isEmpty(),
              facts.remaining().isEmpty()
                  ? "%.1f s after the end".formatted(facts.settled().toMillis() / 1000.0)
                  : "still there: " + String.join(", ", facts.remaining()));
    };
  }

  private Verdict verdict(boolean untested, boolean held, String why) {
    return new Verdict(this, untested && held ? Held.UNTESTED : Held.of(held), why);
  }

  private static String states(EventFates fates) {
    return fates.states().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(entry -> entry.getValue() + " " + entry.getKey().label())
        .collect(Collectors.joining(", "));
  }
}
