package dev.holdfast.resilience;

import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** The guards by name, each made when it is first asked for. Thread-safe. */
public final class Guards {
  private final GuardsConfig config;
  private final GuardEnvironment environment;
  private final Map<String, Guard> guards = new ConcurrentHashMap<>();
  private volatile Consumer<String> reset = _ -> {};

  private Guards(GuardsConfig config, GuardEnvironment environment) {
    this.config = config;
    this.environment = environment;
  }

  /** {@code memory}: what earlier processes kept, and where later ones look. */
  public static Guards create(
      GuardsConfig config, GuardMemory memory, Time time, MeterRegistry registry, Vertx vertx) {
    return create(
        config, memory, time, registry, vertx, () -> ThreadLocalRandom.current().nextDouble());
  }

  /** With a source of chance for the jitter: from 0 (inclusive) to 1 (exclusive). */
  public static Guards create(
      GuardsConfig config,
      GuardMemory memory,
      Time time,
      MeterRegistry registry,
      Vertx vertx,
      DoubleSupplier random) {
    return new Guards(config, new GuardEnvironment(memory, time, random, registry, vertx));
  }

  /**
   * The guard of that name; made with {@link GuardConfig#DEFAULT} if nobody asked for it before.
   */
  public Guard guard(String name) {
    return guard(name, GuardConfig.DEFAULT);
  }

  /** The guard of that name; {@code settings} count only for whoever asks first. */
  public Guard guard(String name, GuardConfig settings) {
    return guard(name, name, settings);
  }

  /**
   * As {@link #guard(String, GuardConfig)}, of many of one kind.
   *
   * @param family whose breaker's settings count where the file has none of that name
   */
  public Guard guard(String name, String family, GuardConfig settings) {
    return guards.computeIfAbsent(
        name, _ -> new Guard(name, settings, config.breaker(name, family), environment));
  }

  /**
   * Forgets the guard of that name with its metrics and timers; a later caller gets a fresh one. A
   * call that runs in it ends as it would have, but no further try of it begins. False when there
   * is none.
   */
  public boolean remove(String name) {
    boolean[] found = {false};
    // In one step: a fresh guard must not take over the meters that are just being removed.
    guards.computeIfPresent(
        name,
        (_, guard) -> {
          guard.close();
          found[0] = true;
          return null;
        });
    return found[0];
  }

  /**
   * As {@link #remove}, with what was kept for a restart, but only when a call would be let through
   * now. False when it would not.
   */
  public boolean forget(String name) {
    boolean[] holdsBack = {false};
    guards.computeIfPresent(
        name,
        (_, guard) -> {
          holdsBack[0] = guard.opensIn().isPositive();
          if (holdsBack[0]) {
            return guard;
          }
          guard.close();
          environment.memory().forget(name);
          return null;
        });
    return !holdsBack[0];
  }

  /** Sorted by name. */
  public List<BreakerView> breakers() {
    return guards.values().stream()
        .map(guard -> guard.breaker().view())
        .sorted(Comparator.comparing(BreakerView::name))
        .toList();
  }

  /** Whether the breaker of that name has opened, and no call has succeeded since. */
  public boolean isFailing(String name) {
    @Nullable Guard guard = guards.get(name);
    return guard != null && guard.breaker().isFailing();
  }

  /** The long waits that dependencies have asked for, sorted by name. */
  public List<HoldView> longHolds() {
    return guards.values().stream()
        .flatMap(guard -> guard.longHold().stream())
        .sorted(Comparator.comparing(HoldView::name))
        .toList();
  }

  /** Opens until {@link #reset}, also after a restart; false when there is no such breaker. */
  public boolean trip(String name) {
    @Nullable Guard guard = guards.get(name);
    if (guard == null) {
      return false;
    }
    guard.breaker().block();
    return true;
  }

  /** Closes by hand; false when there is no such breaker. */
  public boolean reset(String name) {
    @Nullable Guard guard = guards.get(name);
    if (guard == null) {
      return false;
    }
    guard.reset();
    reset.accept(name);
    return true;
  }

  /** Hears the name of each that is closed by hand, on the caller's thread. */
  public void onReset(Consumer<String> listener) {
    reset = listener;
  }
}
