package dev.holdfast.store.messages;

import java.util.List;

/**
 * How a turn ends, in one transaction.
 *
 * @param seqs the events that end: one, or several that were collected into one turn
 * @param outcome one of the final states
 * @param reason why, for dead letters, cancelled and held ones; else empty
 */
public record Finish(
    List<Long> seqs,
    EventState outcome,
    String reason,
    List<NewReply> replies,
    List<StoryLine> story) {
  public Finish {
    seqs = List.copyOf(seqs);
    replies = List.copyOf(replies);
    story = List.copyOf(story);
  }
}
