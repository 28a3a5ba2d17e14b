package dev.holdfast.ingress.api;

import dev.holdfast.bus.News;
import dev.holdfast.bus.NewsItem;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Hears of ends from the news of this process. One watch of the news serves all who wait, and there
 * is none while nobody does: each costs whoever publishes.
 */
final class NewsEventOutcomes implements EventOutcomes {
  private final News news;
  private final Predicate<String> hasEnded;
  private final Map<String, Set<NewsWaiter>> waiters = new HashMap<>();
  private News.@Nullable Watch watch;

  /** {@code hasEnded}: reads from the store whether an event ended, when its news were missed. */
  NewsEventOutcomes(News news, Predicate<String> hasEnded) {
    this.news = news;
    this.hasEnded = hasEnded;
  }

  @Override
  public synchronized Waiter expect(String threadId) {
    NewsWaiter waiter = new NewsWaiter(threadId);
    waiters.computeIfAbsent(threadId, _ -> new HashSet<>()).add(waiter);
    if (watch == null) {
      watch = news.watch(this::hear, this::missed);
    }
    return waiter;
  }

  private synchronized void leave(NewsWaiter waiter) {
    waiters.computeIfPresent(
        waiter.threadId,
        (_, all) -> {
          all.remove(waiter);
          return all.isEmpty() ? null : all;
        });
    if (waiters.isEmpty() && watch != null) {
      watch.close();
      watch = null;
    }
  }

  private void hear(NewsItem item) {
    boolean hasEnded = item.kind().equals("event.finished");
    if (hasEnded || item.kind().equals("approval.asked")) {
      waiting(item.threadId()).forEach(waiter -> waiter.heard(item.eventId(), hasEnded));
    }
  }

  private synchronized List<NewsWaiter> waiting(String threadId) {
    return List.copyOf(waiters.getOrDefault(threadId, Set.of()));
  }

  private synchronized List<NewsWaiter> allWaiting() {
    return waiters.values().stream().flatMap(Set::stream).toList();
  }

  private void missed() {
    allWaiting().forEach(NewsWaiter::missed);
  }

  @Override
  public void close() {
    allWaiting().forEach(waiter -> waiter.done.complete(false));
  }

  private final class NewsWaiter implements Waiter {
    private final String threadId;

    /** Events that ended, and false for those about which a person was asked. */
    private final Map<String, Boolean> seen = new HashMap<>();

    private final CompletableFuture<Boolean> done = new CompletableFuture<>();
    private String wanted = "";
    private boolean missed;

    private NewsWaiter(String threadId) {
      this.threadId = threadId;
    }

    private synchronized void heard(String eventId, boolean hasEnded) {
      seen.put(eventId, hasEnded);
      if (eventId.equals(wanted)) {
        done.complete(hasEnded);
      }
    }

    private void missed() {
      String eventId;
      synchronized (this) {
        missed = true;
        eventId = wanted;
      }
      if (!eventId.isEmpty() && hasEnded.test(eventId)) {
        done.complete(true);
      }
    }

    @Override
    public boolean await(String eventId, Duration most) throws InterruptedException {
      boolean unsure;
      synchronized (this) {
        wanted = eventId;
        Boolean known = seen.get(eventId);
        if (known != null) {
          return known;
        }
        unsure = missed;
      }
      if (unsure && hasEnded.test(eventId)) {
        return true;
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
      leave(this);
    }
  }
}
