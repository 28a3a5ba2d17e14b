package dev.holdfast.ingress.login;

import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Holds off whoever guesses: after ten failed logins of one address every further one doubles the
 * time in which its wrong logins are not answered with 401. A right one never waits, and changes
 * nothing: who has a token of little scope must not be able to reset the count. Loopback is an
 * address like any other. Thread-safe.
 */
final class LoginThrottle {
  private static final int FREE_FAILURES = 10;
  private static final Duration WAIT_FIRST = Duration.ofSeconds(1);
  private static final Duration WAIT_MAX = Duration.ofMinutes(5);
  private static final Duration FORGET_AFTER = Duration.ofMinutes(15);
  private static final int ADDRESSES_MAX = 10_000;

  private final Time time;
  private final Map<String, Guesser> guessers = new LinkedHashMap<>(16, 0.75f, true);

  private record Guesser(int failures, long lastNanos, long freeNanos) {}

  LoginThrottle(Time time) {
    this.time = time;
  }

  /** How long this address has to wait; zero when it may try. */
  synchronized Duration wait(String address) {
    Guesser guesser = guessers.get(group(address));
    if (guesser == null) {
      return Duration.ZERO;
    }
    long left = guesser.freeNanos - time.nanos();
    return left <= 0 ? Duration.ZERO : Duration.ofNanos(left);
  }

  /** A credential of this address was wrong. Returns whether it has to wait now. */
  synchronized boolean failed(String address) {
    long now = time.nanos();
    String group = group(address);
    Guesser before = guessers.get(group);
    int failures =
        before == null || now - before.lastNanos > FORGET_AFTER.toNanos() ? 1 : before.failures + 1;
    guessers.put(group, new Guesser(failures, now, now + waitAfter(failures).toNanos()));
    if (guessers.size() > ADDRESSES_MAX) {
      guessers.remove(guessers.keySet().iterator().next());
    }
    return failures >= FREE_FAILURES;
  }

  private static Duration waitAfter(int failures) {
    if (failures < FREE_FAILURES) {
      return Duration.ZERO;
    }
    int doublings = Math.min(failures - FREE_FAILURES, 20);
    Duration wait = WAIT_FIRST.multipliedBy(1L << doublings);
    return wait.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : wait;
  }

  /** One household of IPv6 has 2^64 addresses: it counts as one. */
  private static String group(String address) {
    int colons = 0;
    for (int i = 0; i < address.length(); i++) {
      if (address.charAt(i) == ':' && ++colons == 4) {
        return address.substring(0, i);
      }
    }
    return address;
  }
}
