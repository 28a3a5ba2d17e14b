package dev.holdfast.memory;

import dev.holdfast.config.Check;
import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Section;
import dev.holdfast.tools.memory.RecallHits;
import java.time.Duration;
import java.time.Instant;

/** What counts for how much when a line is judged by its recalls; they need not add up to 1. */
public record RecallWeights(
    double frequency, double relevance, double recency, double diversity, double consolidation) {
  /** So many recalls are as good as more. */
  private static final int FREQUENT = 10;

  private static final int DIVERSE = 5;
  private static final int CONSOLIDATED = 5;
  private static final Duration HALF_LIFE = Duration.ofDays(14);

  public RecallWeights {
    Check.inRange("frequency", frequency, 0, 1);
    Check.inRange("relevance", relevance, 0, 1);
    Check.inRange("recency", recency, 0, 1);
    Check.inRange("diversity", diversity, 0, 1);
    Check.inRange("consolidation", consolidation, 0, 1);
    if (frequency + relevance + recency + diversity + consolidation <= 0) {
      throw new RefusedValueException("frequency", "at least one of the weights must be above 0");
    }
  }

  static RecallWeights from(Section weights) {
    return new RecallWeights(
        weights.number("frequency", 0.24),
        weights.number("relevance", 0.30),
        weights.number("recency", 0.15),
        weights.number("diversity", 0.15),
        weights.number("consolidation", 0.10));
  }

  /**
   * From 0 to 1: the weighted mean of five parts, each from 0 to 1. Frequency grows with the
   * logarithm of the recalls, recency halves every 14 days, diversity counts different questions,
   * consolidation different days; relevance is the share of the line's words that were asked for.
   */
  double score(RecallHits.Found found, Instant now) {
    if (found.hits() == 0) {
      return 0;
    }
    double ageDays =
        Math.max(0, Duration.between(found.lastAt(), now).toMillis()) / (double) dayMillis();
    double sum =
        frequency * Math.min(1, Math.log1p(found.hits()) / Math.log1p(FREQUENT))
            + relevance * Math.min(1, found.share())
            + recency * Math.pow(2, -ageDays / HALF_LIFE.toDays())
            + diversity * Math.min(1, (double) found.questions() / DIVERSE)
            + consolidation * Math.min(1, (double) found.days() / CONSOLIDATED);
    return sum / (frequency + relevance + recency + diversity + consolidation);
  }

  private static long dayMillis() {
    return Duration.ofDays(1).toMillis();
  }
}
