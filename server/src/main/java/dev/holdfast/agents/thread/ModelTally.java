package dev.holdfast.agents.thread;

/**
 * What models have done for all turns of this process so far.
 *
 * @param answers how many calls they have answered
 * @param failures how many runs of turns ended without an answer although a model was asked
 */
public record ModelTally(long answers, long failures) {
  public static final ModelTally NONE = new ModelTally(0, 0);
}
