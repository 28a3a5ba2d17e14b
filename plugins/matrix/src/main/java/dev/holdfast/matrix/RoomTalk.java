package dev.holdfast.matrix;

import dev.holdfast.kit.RecentMap;
import java.util.Optional;

/**
 * What is good to know of conversations and not worth a disk: what was said last in each, in which
 * one the account's posts stand, and how people are called. Thread-safe.
 */
final class RoomTalk {
  private final RecentMap<String> last = new RecentMap<>();
  private final RecentMap<String> threads = new RecentMap<>();
  private final RecentMap<String> names = new RecentMap<>();
  private final RecentMap<Boolean> typing = new RecentMap<>();

  void said(String thread, String event) {
    last.put(thread, event);
  }

  /** The event that was said last to the account; empty when it was before this start. */
  Optional<String> lastSaid(String thread) {
    return last.find(thread);
  }

  void posted(MatrixPlace place, String event) {
    threads.put(MatrixPlace.key(place.room(), event), place.thread());
  }

  /** The conversation that a post of the account belongs to; empty as above. */
  Optional<String> threadOf(String room, String event) {
    return threads.find(MatrixPlace.key(room, event));
  }

  void called(String user, String name) {
    names.put(user, name);
  }

  /** How a person was called last, in whatever room; empty when that is not known. */
  String name(String user) {
    return names.find(user).orElse("");
  }

  void isTyping(String room, boolean is) {
    typing.put(room, is);
  }

  /** Whether the account is shown as one that types there, as far as this run knows. */
  boolean isTyping(String room) {
    return typing.find(room).orElse(false);
  }
}
