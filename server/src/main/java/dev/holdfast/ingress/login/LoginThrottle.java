package dev.holdfast.ingress.login;

import dev.holdfast.ingress.wire.Addresses;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.HashMap;
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
  private static final Backoff WAITS = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(5));
  private static final Duration FORGET_AFTER = Duration.ofMinutes(15);
  private static final int ADDRESSES_MAX = 10_000;

  /** Logins of one address that are read at once while it has to wait. */
  private static final int READING_MAX = 4;

  private final Time time;
  private final Map<String, Integer> reading = new HashMap<>();
  private final Map<String, Guesser> guessers = new LinkedHashMap<>(16, 0.75f, true);

  private record Guesser(int failures, long lastNanos, long freeNanos) {}

  LoginThrottle(Time time) {
    this.time = time;
  }

  /** How long this address has to wait; zero when it may try. */
  synchronized Duration wait(String address) {
    Guesser guesser = guessers.get(Addresses.group(address));
    if (guesser == null) {
      return Duration.ZERO;
    }
    long left = guesser.freeNanos - time.nanos();
    return left <= 0 ? Duration.ZERO : Duration.ofNanos(left);
  }

  /** A credential of this address was wrong. Returns whether it has to wait now. */
  synchronized boolean failed(String address) {
    long now = time.nanos();
    String group = Addresses.group(address);
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
    return WAITS.after(failures - FREE_FAILURES + 1);
  }

  /**
   * Begins to read a login, which is to be {@link #left}. False: its address has to wait and sends
   * so many already; one at a time could be held for ever by whoever guesses.
   */
  synchronized boolean enters(String address) {
    String group = Addresses.group(address);
    int before = reading.getOrDefault(group, 0);
    if (before >= READING_MAX && !wait(address).isZero()) {
      return false;
    }
    reading.put(group, before + 1);
    return true;
  }

  synchronized void left(String address) {
    reading.computeIfPresent(Addresses.group(address), (_, count) -> count == 1 ? null : count - 1);
  }
}
