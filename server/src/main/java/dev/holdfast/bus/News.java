package dev.holdfast.bus;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Spreads news to watchers and remembers the newest ones for those who come back. News are never
 * the only copy of anything. Thread-safe.
 */
public final class News {
  /** What all remembered items may hold together, in units of UTF-16. */
  private static final long UNITS_MAX = 8_000_000;

  /**
   * What each item may cost, and so how many fit: a watcher that missed more starts from the log
   * again.
   */
  private final int remembered;

  private final ArrayDeque<NewsItem> recent = new ArrayDeque<>();
  private final List<Consumer<NewsItem>> watchers = new CopyOnWriteArrayList<>();
  private long lastId;
  private long units;

  /** {@code remembered}: how many items a watcher that comes back can be given again. */
  public News(int remembered) {
    this.remembered = remembered;
  }

  /** Ends a watch. */
  public interface Watch extends AutoCloseable {
    @Override
    void close();
  }

  /** Never blocks for long: watchers must hand over and return. */
  public void publish(String kind, String threadId, String eventId, String json) {
    synchronized (recent) {
      NewsItem item = new NewsItem(++lastId, kind, threadId, eventId, json);
      recent.addLast(item);
      units += json.length();
      while (recent.size() > remembered || units > UNITS_MAX) {
        units -= recent.removeFirst().json().length();
      }
      watchers.forEach(watcher -> watcher.accept(item));
    }
  }

  /**
   * Hears every item from now on, in order, without a gap after what it returns.
   *
   * @param watcher called under a lock on the publisher's thread: it must hand over and return, and
   *     never throw
   */
  public Watch watch(Consumer<NewsItem> watcher) {
    watchers.add(watcher);
    return () -> watchers.remove(watcher);
  }

  /**
   * Replays what came after {@code afterId}, then goes on as {@link #watch}; false in the result
   * when some are forgotten.
   */
  public Resumed resume(long afterId, Consumer<NewsItem> watcher) {
    synchronized (recent) {
      boolean complete =
          afterId <= lastId
              && (recent.isEmpty() ? afterId == lastId : recent.getFirst().id() <= afterId + 1);
      List<NewsItem> missed = new ArrayList<>();
      if (complete) {
        recent.stream().filter(item -> item.id() > afterId).forEach(missed::add);
      }
      missed.forEach(watcher);
      return new Resumed(complete, watch(watcher));
    }
  }

  /** {@code complete}: nothing is missing between the item that was named and the next one. */
  public record Resumed(boolean complete, Watch watch) {}

  public long lastId() {
    synchronized (recent) {
      return lastId;
    }
  }
}
