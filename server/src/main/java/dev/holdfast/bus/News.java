package dev.holdfast.bus;

import dev.holdfast.supervision.Fatal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spreads news to watchers and remembers the newest ones for those who come back. News are never
 * the only copy of anything. Thread-safe.
 *
 * <p>A watcher reads what is remembered at its own pace, on a virtual thread that lives while there
 * is something to hear: it may block, throw, publish or end its watch and delays nobody but itself.
 * It hears each item once, in order, in one call at a time. Whoever falls behind what is remembered
 * is told so and goes on with the newest item.
 */
public final class News {
  private static final Logger LOG = LoggerFactory.getLogger(News.class);

  /** What all remembered items may hold together, in units of UTF-16. */
  private static final long UNITS_MAX = 8_000_000;

  private final Executor executor;

  /** The item of each id stands at the id's remainder; null, or another one, when forgotten. */
  private final AtomicReferenceArray<@Nullable NewsItem> remembered;

  private final List<Watcher> watchers = new CopyOnWriteArrayList<>();
  private final SignalledTask wakeWatchers;
  private final Object publishing = new Object();
  private volatile long lastId;
  private long firstId = 1;
  private long units;

  /** {@code remembered}: how many items a watcher may be behind, or can be given again. */
  public News(int remembered) {
    this(remembered, task -> Thread.ofVirtual().name("news").start(task));
  }

  /** {@code executor}: calls the watchers; one that runs its tasks in place suits a test. */
  public News(int remembered, Executor executor) {
    this.remembered = new AtomicReferenceArray<>(remembered);
    this.executor = executor;
    this.wakeWatchers =
        new SignalledTask(executor, () -> watchers.forEach(watcher -> watcher.delivery.signal()));
  }

  /** Ends a watch. */
  public interface Watch extends AutoCloseable {
    /** No call begins after it; one that is running is interrupted, unless it closes its own. */
    @Override
    void close();
  }

  /** Calls no watcher, and costs the same however many there are. */
  public void publish(String kind, String threadId, String eventId, String json) {
    synchronized (publishing) {
      long id = lastId + 1;
      units += json.length();
      while (id - firstId >= remembered.length() || (units > UNITS_MAX && firstId < id)) {
        NewsItem oldest = remembered.getAndSet(slot(firstId++), null);
        units -= oldest == null ? 0 : oldest.json().length();
      }
      remembered.set(slot(id), new NewsItem(id, kind, threadId, eventId, json));
      lastId = id; // last: whoever reads it finds the item
    }
    if (!watchers.isEmpty()) {
      wakeWatchers.signal();
    }
  }

  /** Forgets what was said in a chat thread: whoever is behind hears that it was deleted. */
  public void erase(String threadId) {
    synchronized (publishing) {
      for (long id = firstId; id <= lastId; id++) {
        NewsItem item = remembered.get(slot(id));
        if (item != null && item.threadId().equals(threadId)) {
          remembered.set(slot(id), new NewsItem(id, "thread.deleted", threadId, "", "{}"));
          units -= item.json().length() - 2L;
        }
      }
    }
  }

  /** Hears every item from now on. */
  public Watch watch(Consumer<NewsItem> hear, Runnable missed) {
    return resume(lastId, hear, missed);
  }

  /**
   * Replays what came after {@code afterId}, then goes on with what comes.
   *
   * @param missed called in its place among the items when some are forgotten that were not heard:
   *     the watcher has to read again what the news are about
   */
  public Watch resume(long afterId, Consumer<NewsItem> hear, Runnable missed) {
    Watcher watcher = new Watcher(afterId, hear, missed);
    watchers.add(watcher);
    watcher.delivery.signal();
    return watcher;
  }

  /** Whoever resumes after it hears all that is remembered. */
  public long forgottenId() {
    synchronized (publishing) {
      return firstId - 1;
    }
  }

  public long lastId() {
    return lastId;
  }

  private int slot(long id) {
    return (int) (id % remembered.length());
  }

  /** Reads the remembered items, one after the other. */
  private final class Watcher implements Watch {
    private final Consumer<NewsItem> hear;
    private final Runnable missed;
    private final SignalledTask delivery = new SignalledTask(executor, this::deliver);
    private long heardId;
    private volatile boolean closed;
    private @Nullable Thread calling;

    Watcher(long afterId, Consumer<NewsItem> hear, Runnable missed) {
      this.heardId = afterId;
      this.hear = hear;
      this.missed = missed;
    }

    private void deliver() {
      setCalling(Thread.currentThread());
      for (long last = lastId; !closed && heardId != last; last = lastId) {
        long next = heardId + 1;
        NewsItem item = heardId < last ? remembered.get(slot(next)) : null;
        if (item != null && item.id() == next) {
          heardId = next;
          call(() -> hear.accept(item));
        } else {
          heardId = heardId > last ? last : last - 1; // of another run, or too slow
          call(missed);
        }
      }
      setCalling(null);
    }

    private void call(Runnable watcher) {
      try {
        watcher.run();
      } catch (RuntimeException | Error bug) {
        Fatal.check(bug);
        LOG.error("news: a watcher failed, it goes on with the next item", bug);
      }
    }

    private synchronized void setCalling(@Nullable Thread thread) {
      calling = thread;
    }

    @Override
    public void close() {
      closed = true;
      watchers.remove(this);
      synchronized (this) {
        if (calling != null && calling != Thread.currentThread()) {
          calling.interrupt();
        }
      }
    }
  }
}
