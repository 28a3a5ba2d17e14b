package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Holds back calls that Discord would refuse: each of its answers says how many more of their kind
 * it takes, and for how long it takes none. Too many refused ones block the address of this server.
 * Thread-safe.
 */
final class RoutePace {
  /** A longer wait is the server's, which keeps the reply meanwhile. */
  private static final Duration SLEEP_MAX = Duration.ofSeconds(2);

  private static final int ROUTES_MAX = 10_000;
  private static final String ALL = "*";

  private final PluginContext context;

  /** When a route may be called again, for those that have to wait. */
  private final LinkedHashMap<String, Long> until = new LinkedHashMap<>();

  RoutePace(PluginContext context) {
    this.context = context;
  }

  /**
   * Waits until the route may be called, for 2 s at most.
   *
   * @throws CallFailedException RATE_LIMITED with the wait that is left; nothing was sent
   */
  void await(String route) throws CallFailedException, InterruptedException {
    Duration left = left(route);
    if (left.isZero()) {
      return;
    }
    if (left.compareTo(SLEEP_MAX) > 0) {
      throw new CallFailedException(
          Failure.of(FailureCode.RATE_LIMITED, "Discord takes no such call yet")
              .withRetryAfter(left)
              .unsent());
    }
    context.sleep(left);
  }

  synchronized Duration left(String route) {
    long now = context.nanos();
    long all = until.getOrDefault(ALL, now) - now;
    long own = until.getOrDefault(route, now) - now;
    return Duration.ofNanos(Math.max(0, Math.max(all, own)));
  }

  synchronized void note(String route, DiscordAnswer answer) {
    Duration wait = answer.waitAsked();
    if (wait.isZero()) {
      return;
    }
    long now = context.nanos();
    until.values().removeIf(then -> then - now <= 0);
    until.merge(
        answer.isGlobalLimit() ? ALL : route,
        now + wait.toNanos(),
        (before, then) -> before - then > 0 ? before : then);
    if (until.size() > ROUTES_MAX) {
      Map.Entry<String, Long> _ = until.pollFirstEntry();
    }
  }
}
