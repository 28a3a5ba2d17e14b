package dev.holdfast.ingress.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bus.News;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NewsEventOutcomesTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final Set<String> ended = ConcurrentHashMap.newKeySet();

  private static void finish(News news, String eventId) {
    news.publish("event.finished", "t", eventId, "{}");
  }

  @Test
  void anEndBeforeItsIdIsKnownIsRemembered() throws Exception {
    News news = new News(10, Runnable::run);
    try (EventOutcomes outcomes = new NewsEventOutcomes(news, ended::contains);
        EventOutcomes.Waiter waiter = outcomes.expect("t")) {
      finish(news, "e1");
      assertThat(waiter.await("e1", LONG)).isTrue();
      assertThat(waiter.await("e2", Duration.ofMillis(1))).isFalse();
    }
  }

  @Test
  void nobodyWaitsForAPersonWhoIsAsked() throws Exception {
    News news = new News(10, Runnable::run);
    try (EventOutcomes outcomes = new NewsEventOutcomes(news, ended::contains);
        EventOutcomes.Waiter waiter = outcomes.expect("t");
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Boolean> waits = threads.submit(() -> waiter.await("e1", LONG.multipliedBy(100)));
      news.publish("approval.asked", "t", "e1", "{}");
      assertThat(waits.get()).isFalse();
    }
  }

  /** The news of the end are forgotten before they are delivered: the store is asked instead. */
  @Test
  void anEndWhoseNewsWereMissedIsReadFromTheStore() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    News news =
        new News(
            1,
            task ->
                Thread.ofVirtual()
                    .start(
                        () -> {
                          awaitQuietly(release);
                          task.run();
                        }));
    try (EventOutcomes outcomes =
            new NewsEventOutcomes(
                news,
                eventId -> {
                  asked.countDown();
                  return ended.contains(eventId);
                });
        EventOutcomes.Waiter early = outcomes.expect("t");
        EventOutcomes.Waiter late = outcomes.expect("t");
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Boolean> waits = threads.submit(() -> early.await("e1", LONG));
      finish(news, "e1");
      ended.add("e1");
      news.publish("turn.text", "other", "e9", "{}");
      release.countDown();
      assertThat(waits.get()).isTrue();
      asked.await();
      assertThat(late.await("e1", LONG)).isTrue();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
