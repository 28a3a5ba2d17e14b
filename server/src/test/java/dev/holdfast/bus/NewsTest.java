package dev.holdfast.bus;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NewsTest {
  private static final long MISSED = -1;

  /** The ids that were heard, and {@code MISSED} where a loss was told. */
  private final BlockingQueue<Long> heard = new LinkedBlockingQueue<>();

  /** Delivers on the publisher's thread. */
  private static News inPlace(int remembered) {
    return new News(remembered, Runnable::run);
  }

  private static void publish(News news, int count, String json) {
    for (int i = 0; i < count; i++) {
      news.publish("turn.text", "t", "e", json);
    }
  }

  private void hear(NewsItem item) {
    heard.add(item.id());
  }

  private void missed() {
    heard.add(MISSED);
  }

  private News.Watch resume(News news, long afterId) {
    return news.resume(afterId, this::hear, this::missed);
  }

  private List<Long> takeHeard() {
    List<Long> all = new ArrayList<>();
    heard.drainTo(all);
    return all;
  }

  private List<Long> await(int count) throws InterruptedException {
    List<Long> all = new ArrayList<>();
    while (all.size() < count) {
      Long next = heard.poll(30, SECONDS);
      assertThat(next).as("the item after %s", all.size()).isNotNull();
      all.add(next);
    }
    return all;
  }

  private static List<Long> range(long first, long last) {
    return LongStream.rangeClosed(first, last).boxed().toList();
  }

  @Test
  void aWatcherThatComesBackGetsWhatItMissedInOrder() {
    News news = inPlace(100);
    publish(news, 20, "{}");
    resume(news, 12);
    publish(news, 2, "{}");
    assertThat(takeHeard()).isEqualTo(range(13, 22));
  }

  @Test
  void noMoreIsRememberedThanAllowedAndWhoMissedMoreIsToldSo() {
    News news = inPlace(10);
    publish(news, 1000, "{}");
    News.Watch late = resume(news, 989);
    assertThat(takeHeard()).containsExactly(MISSED, 1000L);
    publish(news, 1, "{}");
    late.close();
    assertThat(takeHeard()).as("what comes after the loss").containsExactly(1001L);
    resume(news, 991);
    assertThat(takeHeard()).isEqualTo(range(992, 1001));
  }

  /** Few long items are bounded as well as many short ones. */
  @Test
  void longItemsPushOthersOutSooner() {
    News news = inPlace(100_000);
    publish(news, 100, "x".repeat(1_000_000));
    resume(news, 91).close();
    assertThat(takeHeard()).containsExactly(MISSED, 100L);
    resume(news, 92);
    assertThat(takeHeard()).hasSize(8);
  }

  @Test
  void anItemOfAnotherRunIsALoss() {
    News news = inPlace(10);
    publish(news, 5, "{}");
    resume(news, 6);
    resume(inPlace(10), 3);
    assertThat(takeHeard()).containsExactly(MISSED, MISSED);
    resume(inPlace(10), 0);
    assertThat(takeHeard()).isEmpty();
  }

  @Test
  void aClosedWatchHearsNothing() {
    News news = inPlace(10);
    News.Watch watch = news.watch(this::hear, this::missed);
    publish(news, 1, "{}");
    watch.close();
    publish(news, 1, "{}");
    assertThat(takeHeard()).containsExactly(1L);
  }

  @Test
  void aWatcherThatBlocksHoldsUpNeitherThePublisherNorOtherWatchers() throws Exception {
    News news = new News(1000);
    CountDownLatch release = new CountDownLatch(1);
    news.watch(_ -> awaitQuietly(release), this::missed);
    news.watch(this::hear, this::missed);
    publish(news, 100, "{}");
    assertThat(await(100)).isEqualTo(range(1, 100));
    release.countDown();
  }

  @Test
  void aWatcherThatThrowsHearsTheNextItemAndSoDoOthers() throws Exception {
    News news = new News(1000);
    news.watch(
        item -> {
          hear(item);
          if (item.id() == 1) {
            throw new AssertionError("a bug");
          }
          throw new IllegalStateException("a bug");
        },
        this::missed);
    publish(news, 3, "{}");
    assertThat(await(3)).containsExactly(1L, 2L, 3L);
    news.watch(this::hear, this::missed);
    publish(news, 1, "{}");
    assertThat(await(2)).containsExactly(4L, 4L);
  }

  @Test
  void aWatcherMayPublish() throws Exception {
    News news = new News(1000);
    news.watch(
        item -> {
          hear(item);
          if (item.kind().equals("question")) {
            news.publish("answer", "t", "e", "{}");
          }
        },
        this::missed);
    news.publish("question", "t", "e", "{}");
    assertThat(await(2)).containsExactly(1L, 2L);
  }

  @Test
  void aWatcherMayPublishAlsoWhenItIsCalledInPlace() {
    News news = inPlace(10);
    List<Long> begun = new ArrayList<>();
    news.watch(
        item -> {
          begun.add(item.id());
          if (item.id() < 3) {
            publish(news, 1, "{}");
          }
          hear(item);
        },
        this::missed);
    publish(news, 1, "{}");
    assertThat(begun).containsExactly(1L, 2L, 3L);
    assertThat(takeHeard()).as("one call at a time").containsExactly(1L, 2L, 3L);
  }

  @Test
  void aWatcherMayEndItsOwnWatch() throws Exception {
    News news = new News(1000);
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<News.Watch> own = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    own.complete(
        news.watch(
            item -> {
              awaitQuietly(release); // so that others wait behind it
              own.join().close();
              assertThat(Thread.currentThread().isInterrupted()).isFalse();
              hear(item);
              over.countDown();
            },
            this::missed));
    publish(news, 3, "{}");
    release.countDown();
    assertThat(over.await(30, SECONDS)).isTrue();
    News.Watch other = news.watch(this::hear, this::missed);
    publish(news, 1, "{}");
    assertThat(await(2)).containsExactly(1L, 4L);
    other.close();
    assertThat(heard).isEmpty();
  }

  @Test
  void closingAWatchEndsACallThatBlocks() throws Exception {
    News news = new News(10);
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    News.Watch watch =
        news.watch(
            _ -> {
              entered.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException _) {
                ended.countDown();
              }
            },
            this::missed);
    publish(news, 2, "{}");
    assertThat(entered.await(30, SECONDS)).isTrue();
    watch.close();
    assertThat(ended.await(30, SECONDS)).isTrue();
  }

  @Test
  void aWatcherThatFallsBehindIsToldAndGoesOnWithTheNewest() throws Exception {
    News news = new News(10);
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    news.watch(
        item -> {
          hear(item);
          entered.countDown();
          awaitQuietly(release);
        },
        this::missed);
    publish(news, 1, "{}");
    assertThat(entered.await(30, SECONDS)).isTrue();
    publish(news, 100, "{}");
    release.countDown();
    assertThat(await(3)).containsExactly(1L, MISSED, 101L);
    publish(news, 1, "{}");
    assertThat(await(1)).containsExactly(102L);
  }

  @Test
  void fourPublishersAtOnceAreHeardByAllInOneOrder() throws Exception {
    int each = 5000;
    News news = new News(4 * each);
    BlockingQueue<Long> second = new LinkedBlockingQueue<>();
    news.watch(this::hear, this::missed);
    news.watch(item -> second.add(item.id()), () -> second.add(MISSED));
    publishAtOnce(news, each);
    assertThat(await(4 * each)).isEqualTo(range(1, 4L * each));
    for (long id = 1; id <= 4L * each; id++) {
      assertThat(second.poll(30, SECONDS)).isEqualTo(id);
    }
  }

  @Test
  void aWatcherThatComesBackWhileOthersPublishMissesNothing() throws Exception {
    int each = 5000;
    News news = new News(5 * each);
    publish(news, 10, "{}");
    List<Thread> publishers = start(news, each);
    resume(news, 5);
    for (Thread publisher : publishers) {
      publisher.join();
    }
    long last = 10 + 4L * each;
    assertThat(await((int) last - 5)).isEqualTo(range(6, last));
  }

  private static void publishAtOnce(News news, int each) throws InterruptedException {
    for (Thread publisher : start(news, each)) {
      publisher.join();
    }
  }

  private static List<Thread> start(News news, int each) {
    return IntStream.range(0, 4)
        .mapToObj(_ -> Thread.ofPlatform().start(() -> publish(news, each, "{}")))
        .toList();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
