package dev.holdfast.supervision;

import dev.holdfast.time.Time;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The last results of each of those that do work for others, in memory. What a caller asked wrongly
 * is no result. Thread-safe.
 */
public final class RecentResults {
  /** How many of each are kept. */
  public static final int KEPT = 20;

  /** Fewer say nothing. */
  static final int NEEDED = 10;

  private static final int MESSAGE_MAX = 300;

  private final Time time;
  private final Map<String, Deque<Result>> byName = new TreeMap<>();

  /**
   * @param code why it failed; empty when it did not
   */
  private record Result(String code, String message, Instant at) {
    boolean hasFailed() {
      return !code.isEmpty();
    }
  }

  /**
   * How often one has failed of late.
   *
   * @param results how many are known, the last {@link #KEPT} at most
   * @param failures how many of them failed
   */
  public record Rate(int results, int failures) {
    /** More than half of at least ten. */
    public boolean isTooHigh() {
      return results >= NEEDED && failures * 2 > results;
    }

    /** Ten or more, of which no more than half failed. */
    public boolean isGood() {
      return results >= NEEDED && !isTooHigh();
    }
  }

  public RecentResults(Time time) {
    this.time = time;
  }

  public void succeeded(String name) {
    add(name, new Result("", "", time.now()));
  }

  /**
   * @param message for an operator, without secrets
   */
  public void failed(String name, String code, String message) {
    String shown =
        message.length() <= MESSAGE_MAX ? message : message.substring(0, MESSAGE_MAX) + "…";
    add(name, new Result(code, shown, time.now()));
  }

  private synchronized void add(String name, Result result) {
    Deque<Result> results = byName.computeIfAbsent(name, _ -> new ArrayDeque<>());
    if (results.size() == KEPT) {
      results.removeFirst();
    }
    results.addLast(result);
  }

  public synchronized Rate rate(String name) {
    Deque<Result> results = byName.getOrDefault(name, new ArrayDeque<>());
    return new Rate(results.size(), (int) results.stream().filter(Result::hasFailed).count());
  }

  /** Those whose rate is too high, in the order of their names. */
  public synchronized List<String> failing() {
    return byName.keySet().stream().filter(name -> rate(name).isTooHigh()).toList();
  }

  /** Its failures, oldest first: when, why, and what was said. */
  public synchronized List<String> errors(String name) {
    return byName.getOrDefault(name, new ArrayDeque<>()).stream()
        .filter(Result::hasFailed)
        .map(result -> "%s %s: %s".formatted(result.at(), result.code(), result.message()))
        .toList();
  }

  /** From now on what it has done before does not count. */
  public synchronized void forget(String name) {
    byName.remove(name);
  }

  /** Forgets all but these. */
  public synchronized void keepOnly(Collection<String> names) {
    byName.keySet().retainAll(names);
  }
}
