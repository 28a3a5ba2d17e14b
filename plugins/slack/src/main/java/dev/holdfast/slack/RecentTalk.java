package dev.holdfast.slack;

import dev.holdfast.kit.RecentMap;
import java.util.Optional;

/**
 * What is good to know of conversations and not worth a disk: who wrote last in each, and in which
 * one the app's posts stand. Thread-safe.
 */
final class RecentTalk {
  private final ReadMarks marks;
  private final RecentMap<Writer> writers = new RecentMap<>();
  private final RecentMap<String> threads = new RecentMap<>();

  /** A person, and the workspace of the person. */
  record Writer(String user, String team) {}

  RecentTalk(ReadMarks marks) {
    this.marks = marks;
  }

  void said(String thread, Writer writer) {
    writers.put(thread, writer);
  }

  /** Who wrote last; empty when it was too long ago, or before this start. */
  Optional<Writer> lastWriter(String thread) {
    return writers.find(thread);
  }

  void posted(SlackPlace place, String ts) {
    threads.put(place.channel() + ":" + ts, place.thread());
    if (SlackEventReader.isTs(ts)) {
      marks.posted(place, ts);
    }
  }

  /** The conversation that a post of the app belongs to; empty as above. */
  Optional<String> threadOf(String channel, String ts) {
    return threads.find(channel + ":" + ts);
  }
}
