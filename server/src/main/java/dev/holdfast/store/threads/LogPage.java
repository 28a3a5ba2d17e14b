package dev.holdfast.store.threads;

import java.util.List;

/**
 * Which lines of a log are wanted.
 *
 * @param lines at most so many
 * @param units no more once they have so many units of UTF-16; the oldest one may go beyond
 * @param before only lines older than the one with this id; empty for the newest
 */
public record LogPage(int lines, long units, String before) {
  /** However many lines are asked for, no more than this is held. */
  static final long UNITS_MAX = 8L * 1024 * 1024;

  static LogPage newest(int lines) {
    return new LogPage(lines, UNITS_MAX, "");
  }

  /** Whether these are all that fit: there may be older ones. */
  public boolean isFull(List<String> found) {
    return isFull(found.size(), found.stream().mapToLong(String::length).sum());
  }

  boolean isFull(int count, long length) {
    return count >= lines || length >= units;
  }
}
