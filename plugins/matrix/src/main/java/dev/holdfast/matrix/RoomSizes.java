package dev.holdfast.matrix;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.RecentMap;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * How many have joined a room: two are a conversation with one person, whatever the room is called
 * and whatever list of direct rooms it stands on. Blocks the calling thread. Thread-safe.
 */
final class RoomSizes {
  private static final int DIRECT = 2;
  private static final int UNKNOWN = -1;

  /** One room that a homeserver cannot tell of must not hold up all others. */
  private static final int FAILURES_MAX = 5;

  /** One of which it cannot tell is not asked about again for so long. */
  private static final Duration UNTOLD_KEPT = Duration.ofMinutes(1);

  private final MatrixApi api;
  private final LongSupplier nanos;
  private final RecentMap<Integer> joined = new RecentMap<>();
  private final RecentMap<Integer> failures = new RecentMap<>();

  /** When the homeserver could not tell. */
  private final RecentMap<Long> untold = new RecentMap<>();

  /** {@code nanos}: a clock that only goes forward. */
  RoomSizes(MatrixApi api, LongSupplier nanos) {
    this.api = api;
    this.nanos = nanos;
  }

  /** {@code count}: as the homeserver states it. */
  void told(String room, long count) {
    joined.put(room, Math.clamp(count, 0, Integer.MAX_VALUE));
  }

  /** Somebody came or went. */
  void changed(String room) {
    joined.put(room, UNKNOWN);
  }

  /** Whether it is known, without asking, to be a conversation with one person. */
  boolean isKnownDirect(String room) {
    return joined.find(room).orElse(UNKNOWN) == DIRECT;
  }

  /**
   * Whether a room is a conversation with one person. Asks the homeserver when that is not known;
   * one of which it cannot tell several times in a row is taken for a group, and asked about again
   * a minute later.
   *
   * @throws CallFailedException when it is not known now and may be later
   */
  boolean isDirect(String room, Duration timeout) throws CallFailedException, InterruptedException {
    Optional<Integer> known = joined.find(room).filter(count -> count != UNKNOWN);
    if (known.isEmpty() && !isUntold(room)) {
      ask(room, timeout).ifPresent(count -> told(room, count));
    }
    return isKnownDirect(room);
  }

  private boolean isUntold(String room) {
    return untold
        .find(room)
        .filter(since -> nanos.getAsLong() - since < UNTOLD_KEPT.toNanos())
        .isPresent();
  }

  /** Empty when the homeserver cannot tell. */
  private Optional<Integer> ask(String room, Duration timeout)
      throws CallFailedException, InterruptedException {
    Failure failure;
    try {
      MatrixAnswer answer = api.get(MatrixApi.room(room, "/joined_members"), timeout);
      if (answer.isOk()) {
        failures.put(room, 0);
        // One that is too large to be read has more than two.
        return Optional.of(
            answer.body().isEmpty() ? 0 : JsonText.map(answer.body(), "joined").size());
      }
      failure = answer.failure();
      if (answer.status() < 500) {
        if (failure.isPassing() || answer.status() == 401) {
          throw new CallFailedException(failure);
        }
        return Optional.of(0); // the account is not in it any more
      }
    } catch (CallFailedException e) {
      failure = e.failure();
      if (failure.code() != FailureCode.BACKEND_FAILURE && failure.code() != FailureCode.TIMEOUT) {
        throw e;
      }
    }
    int failed = Math.min(failures.find(room).orElse(0) + 1, FAILURES_MAX);
    failures.put(room, failed);
    if (failed < FAILURES_MAX) {
      throw new CallFailedException(failure);
    }
    untold.put(room, nanos.getAsLong());
    return Optional.empty();
  }
}
