package dev.holdfast.agents.thread;

import dev.holdfast.models.Suspect;

/**
 * How a turn has fared with the models, against how the others fared meanwhile. A failure that it
 * has alone, because models have answered others since its last one, counts against it.
 *
 * @param failures of its runs that have asked a model
 * @param alone how many of them it had alone
 * @param blamed how many of those may be due to what it asks
 * @param seen what models had done for all at its last failure, or when it began
 */
public record ModelTrials(int failures, int alone, int blamed, ModelTally seen) {
  /** A turn that is to blame so often is given up. */
  static final int BLAMED_MAX = 5;

  public static final ModelTrials NONE = begin(ModelTally.NONE);

  public static ModelTrials begin(ModelTally now) {
    return new ModelTrials(0, 0, 0, now);
  }

  /**
   * A run has ended without an answer. {@code now}: before that is counted. While as many others
   * fail as are answered, it is not alone.
   */
  public ModelTrials failed(Suspect suspect, ModelTally now) {
    if (suspect == Suspect.NONE) {
      return this;
    }
    long answers = now.answers() - seen.answers();
    long failuresOfOthers = now.failures() - seen.failures();
    boolean isAlone = answers > 0 && answers >= failuresOfOthers;
    boolean isBlamed = isAlone && suspect == Suspect.REQUEST;
    return new ModelTrials(
        failures + 1,
        alone + (isAlone ? 1 : 0),
        blamed + (isBlamed ? 1 : 0),
        new ModelTally(now.answers(), now.failures() + 1));
  }

  /** Whether the last failure was one that the turn had alone. */
  public boolean isAloneSince(ModelTrials before) {
    return alone > before.alone;
  }

  boolean isToBeGivenUp() {
    return blamed >= BLAMED_MAX;
  }
}
