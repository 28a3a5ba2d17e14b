package dev.holdfast.kit;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * How often drafts may be shown, so that they never use up what the platform allows to posts: each
 * conversation and the whole account have a least time between two. A draft for which there is no
 * time is left out. Thread-safe.
 */
public final class DraftPace {
  private static final int CONVERSATIONS_MAX = 10_000;

  private final LongSupplier nanos;
  private final long accountNanos;
  private long accountNext = Long.MIN_VALUE;

  /** When a conversation may be shown its next draft; those that waited longest first. */
  private final LinkedHashMap<String, Long> next = new LinkedHashMap<>(16, 0.75f, true);

  /** Until when the platform wants nothing in a conversation. */
  private final RecentMap<Long> heldUntil = new RecentMap<>();

  /** And nothing at all. */
  private OptionalLong allHeldUntil = OptionalLong.empty();

  /**
   * @param perAccount the least time between two drafts of the account
   * @param nanos as {@link dev.holdfast.api.PluginContext#nanos}
   */
  public DraftPace(Duration perAccount, LongSupplier nanos) {
    this.accountNanos = perAccount.toNanos();
    this.nanos = nanos;
  }

  /** Whether a draft may be shown now; then the next one has to wait. */
  public synchronized boolean tryTake(String conversation, Duration every) {
    long now = nanos.getAsLong();
    Long own = next.get(conversation);
    boolean isTooSoon = isBefore(now, accountNext) || (own != null && now - own < 0);
    if (isTooSoon || left(conversation, now) > 0) {
      return false;
    }
    accountNext = now + accountNanos;
    put(conversation, now + every.toNanos());
    return true;
  }

  /** A conversation sees no draft until then, as when the platform asked to wait. */
  public synchronized void hold(String conversation, Duration wait) {
    put(conversation, nanos.getAsLong() + wait.toNanos());
  }

  /** The platform asked to wait with what replies do too: {@link #waitAsked} says so. */
  public synchronized void holdReplies(String conversation, Duration wait) {
    heldUntil.put(conversation, nanos.getAsLong() + wait.toNanos());
  }

  /** The same, with all conversations of the account. */
  public synchronized void holdReplies(Duration wait) {
    allHeldUntil = OptionalLong.of(nanos.getAsLong() + wait.toNanos());
  }

  /**
   * What the platform would say to a reply now, by what it has said to a draft: to try at once uses
   * up more of the same limit. Empty when it has not asked to wait, or the time is over.
   */
  public synchronized Optional<Failure> waitAsked(String conversation) {
    long left = left(conversation, nanos.getAsLong());
    return left <= 0
        ? Optional.empty()
        : Optional.of(
            Failure.of(FailureCode.RATE_LIMITED, "the platform has asked to wait")
                .withRetryAfter(Duration.ofNanos(left))
                .unsent());
  }

  private long left(String conversation, long now) {
    long own = heldUntil.find(conversation).map(until -> until - now).orElse(0L);
    long all = allHeldUntil.isPresent() ? allHeldUntil.getAsLong() - now : 0;
    return Math.max(own, all);
  }

  private void put(String conversation, long until) {
    next.put(conversation, until);
    if (next.size() > CONVERSATIONS_MAX) {
      next.pollFirstEntry();
    }
  }

  private static boolean isBefore(long now, long then) {
    return then != Long.MIN_VALUE && now - then < 0;
  }
}
