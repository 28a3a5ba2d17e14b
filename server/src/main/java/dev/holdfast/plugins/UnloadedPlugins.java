package dev.holdfast.plugins;

import dev.holdfast.health.ConditionReport;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Plugins that were unloaded, until their classes are out of memory. {@link #look} is for one
 * thread; the rest is thread-safe.
 */
final class UnloadedPlugins {
  /** Classes that are still there so long after their plugin was unloaded are held by something. */
  static final Duration VANISH_MAX = Duration.ofSeconds(60);

  private static final int LEFT_THREADS_SHOWN = 5;

  private final Time time;
  private final Runnable collect;
  private final List<HostedPlugin.Gone> gone = new CopyOnWriteArrayList<>();
  private volatile List<ConditionReport> conditions = List.of();
  private long collectedNanos;

  /**
   * @param collect frees the memory that nobody holds
   */
  UnloadedPlugins(Time time, Runnable collect) {
    this.time = time;
    this.collect = collect;
    this.collectedNanos = time.nanos();
  }

  void add(HostedPlugin.Gone plugin) {
    gone.add(plugin);
  }

  /** Of how many something is still in memory; none after a collection. */
  int vanishing() {
    gone.removeIf(each -> !each.isAlive());
    return gone.size();
  }

  /** Which of them are held by something, as of the last look. */
  List<ConditionReport> conditions() {
    return conditions;
  }

  /** To be called now and then: collects what has had its time, because an idle server does not. */
  void look() {
    gone.removeIf(each -> !each.isAlive());
    long now = time.nanos();
    // Before one is told of, once more: a call that was slow to end may have held it until now.
    if (isDue(VANISH_MAX.dividedBy(2), now) || isDue(VANISH_MAX, now)) {
      collect.run();
      collectedNanos = now;
    }
    conditions =
        gone.stream()
            .filter(each -> each.isAlive() && now - each.sinceNanos() > VANISH_MAX.toNanos())
            .map(HostedPlugin.Gone::id)
            .distinct()
            .sorted()
            .map(UnloadedPlugins::condition)
            .toList();
  }

  /** Whether one is older than that, and nothing was collected since it became so. */
  private boolean isDue(Duration age, long now) {
    return gone.stream()
        .map(each -> each.sinceNanos() + age.toNanos())
        .anyMatch(due -> now - due > 0 && collectedNanos - due <= 0);
  }

  private static ConditionReport condition(String id) {
    List<String> threads = threadsLeftBy(id);
    return ConditionReport.degraded(
            "still_loaded",
            "The plugin %s was unloaded, but something keeps its classes in memory%s. A restart frees them."
                .formatted(
                    id, threads.isEmpty() ? "" : ", these threads: " + String.join(", ", threads)),
            "Ends when its classes are gone.")
        .about(id);
  }

  /**
   * The names of some threads that a plugin which was unloaded has started itself and not ended.
   */
  static List<String> threadsLeftBy(String id) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(
            thread ->
                thread.getContextClassLoader() instanceof PluginLoader loader
                    && loader.isClosed()
                    && loader.id().equals(id))
        .map(Thread::getName)
        .sorted()
        .limit(LEFT_THREADS_SHOWN)
        .toList();
  }
}
