package dev.holdfast.ingress.stream;

import dev.holdfast.bus.News;
import dev.holdfast.bus.NewsItem;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Tells who waits for an event's end. One watch of the news serves all who wait. Thread-safe. */
public final class EventOutcomes implements AutoCloseable {
  private final Map<String, Set<Waiter>> waiters = new ConcurrentHashMap<>();
  private final News.Watch watch;

  public EventOutcomes(News news) {
    watch = news.watch(this::hear);
  }

  /**
   * Begins to listen to a thread: before the event is accepted, since it may end before its id is
   * known here.
   */
  public Waiter expect(String threadId) {
    Waiter waiter = new Waiter(threadId);
    waiters.compute(
        threadId,
        (_, before) -> {
          Set<Waiter> all = before == null ? ConcurrentHashMap.newKeySet() : before;
          all.add(waiter);
          return all;
        });
    return waiter;
  }

  private void hear(NewsItem item) {
    if (item.kind().equals("event.finished")) {
      Set<Waiter> some = waiters.get(item.threadId());
      if (some != null) {
        some.forEach(waiter -> waiter.finished(item.eventId()));
      }
    }
  }

  @Override
  public void close() {
    watch.close();
    waiters.values().forEach(all -> all.forEach(waiter -> waiter.done.complete(false)));
  }

  /** Somebody who waits. */
  public final class Waiter implements AutoCloseable {
    private final String threadId;
    private final Set<String> seen = new HashSet<>();
    private final CompletableFuture<Boolean> done = new CompletableFuture<>();
    private String wanted = "";

    private Waiter(String threadId) {
      this.threadId = threadId;
    }

    private synchronized void finished(String eventId) {
      seen.add(eventId);
      if (eventId.equals(wanted)) {
        done.complete(true);
      }
    }

    /** Blocks the calling virtual thread. False: it did not end within {@code most}. */
    public boolean await(String eventId, Duration most) throws InterruptedException {
      synchronized (this) {
        wanted = eventId;
        if (seen.contains(eventId)) {
          return true;
        }
      }
      try {
        return done.get(most.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException _) {
        return false;
      } catch (ExecutionException e) {
        throw new IllegalStateException("it only ever completes well", e);
      }
    }

    @Override
    public void close() {
      waiters.computeIfPresent(
          threadId,
          (_, all) -> {
            all.remove(this);
            return all.isEmpty() ? null : all;
          });
    }
  }
}
