package dev.holdfast.ingress.openai;

import dev.holdfast.bus.News;
import dev.holdfast.bus.NewsItem;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** The news of one event, for one thread that takes them. */
final class EventNews implements AutoCloseable {
  /** In place of what was missed. */
  static final String MISSED = "missed";

  private static final int ITEMS_MAX = 256;

  private final BlockingQueue<NewsItem> items = new ArrayBlockingQueue<>(ITEMS_MAX);
  private final String eventId;
  private final News.Watch watch;

  /** {@code afterId}: of the news after which it listens. */
  EventNews(News news, long afterId, String eventId) {
    this.eventId = eventId;
    this.watch = news.resume(afterId, this::hear, this::missed);
  }

  private void hear(NewsItem item) {
    if (item.eventId().equals(eventId)) {
      put(item);
    }
  }

  private void missed() {
    put(new NewsItem(0, MISSED, "", eventId, "{}"));
  }

  /** A taker that is slow is waited for: nobody else waits with it. */
  private void put(NewsItem item) {
    try {
      items.put(item);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /** Blocks. Empty when none came within {@code most}. */
  Optional<NewsItem> next(Duration most) throws InterruptedException {
    return Optional.ofNullable(items.poll(most.toNanos(), TimeUnit.NANOSECONDS));
  }

  @Override
  public void close() {
    watch.close();
  }
}
