package dev.holdfast.memory;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/**
 * The {@code memory} section of holdfast.yaml.
 *
 * @param enabled whether sweeps are made without being asked for
 * @param every how long after the last one
 * @param messagesMin of people since a thread was swept last; fewer are not worth a model's call
 * @param scoreMin from 0 to 1: a line that is recalled less is not for all threads
 * @param recallsMin how often a line must have been recalled
 * @param queriesMin by how many different questions
 * @param promotionsMax lines that one sweep moves to all threads, or newly puts before an operator
 */
public record SweepConfig(
    boolean enabled,
    Duration every,
    int messagesMin,
    double scoreMin,
    int recallsMin,
    int queriesMin,
    int promotionsMax,
    RecallWeights weights,
    GlobalPromote globalPromote) {
  private static final int HOURS_MAX = 8760;
  private static final int MESSAGES_MAX = 10_000;
  private static final int COUNT_MAX = 1000;

  public SweepConfig {
    Check.inRange("every_hours", every.toHours(), 1, HOURS_MAX);
    Check.inRange("min_messages", messagesMin, 1, MESSAGES_MAX);
    Check.inRange("min_score", scoreMin, 0, 1);
    Check.inRange("min_recalls", recallsMin, 1, COUNT_MAX);
    Check.inRange("min_queries", queriesMin, 1, COUNT_MAX);
    Check.inRange("max_promotions", promotionsMax, 0, COUNT_MAX);
  }

  /** Who lets a line become one of all threads. */
  public enum GlobalPromote {
    /** An operator, line by line. */
    ASK,
    /** The rules alone; what they doubt waits for an operator. */
    AUTO
  }

  public static SweepConfig from(Section memory) {
    GlobalPromote promote = memory.choice("global_promote", GlobalPromote.class, GlobalPromote.ASK);
    return memory.section("sweep").read(sweep -> from(sweep, promote));
  }

  private static SweepConfig from(Section sweep, GlobalPromote promote) {
    return new SweepConfig(
        sweep.flag("enabled", false),
        sweep.hours("every_hours", 24, 1, HOURS_MAX),
        sweep.whole("min_messages", 5, 1, MESSAGES_MAX),
        sweep.number("min_score", 0.35),
        sweep.whole("min_recalls", 3, 1, COUNT_MAX),
        sweep.whole("min_queries", 2, 1, COUNT_MAX),
        sweep.whole("max_promotions", 20, 0, COUNT_MAX),
        sweep.section("weights").read(RecallWeights::from),
        promote);
  }
}
