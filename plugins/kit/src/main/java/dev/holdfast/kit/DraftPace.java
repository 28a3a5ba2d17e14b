package dev.holdfast.kit;

import java.time.Duration;
import java.util.LinkedHashMap;
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
    if (isBefore(now, accountNext) || (own != null && now - own < 0)) {
      return false;
    }
    accountNext = now + accountNanos;
    put(conversation, now + every.toNanos());
    return true;
  }

  /** The platform asked to wait: a conversation sees no draft until then. */
  public synchronized void hold(String conversation, Duration wait) {
    put(conversation, nanos.getAsLong() + wait.toNanos());
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
