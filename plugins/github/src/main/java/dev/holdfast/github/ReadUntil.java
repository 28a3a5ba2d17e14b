package dev.holdfast.github;

import java.time.Instant;
import java.util.List;

/**
 * How far a list was read, by GitHub's clock.
 *
 * @param createdFrom what was written before is known, however often it is edited
 * @param changedUntil the newest change that was seen
 * @param ids of those that were written since {@code createdFrom} and are known, too
 */
record ReadUntil(Instant createdFrom, Instant changedUntil, List<String> ids) {
  ReadUntil {
    ids = List.copyOf(ids);
  }

  /** A list of which nothing matters that is older. */
  static ReadUntil from(Instant now) {
    return new ReadUntil(now, now, List.of());
  }
}
