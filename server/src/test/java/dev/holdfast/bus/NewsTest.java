package dev.holdfast.bus;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class NewsTest {
  private final List<NewsItem> heard = new ArrayList<>();

  private static void publish(News news, int count, String json) {
    for (int i = 0; i < count; i++) {
      news.publish("turn.text", "t", "e", json);
    }
  }

  private List<Long> ids() {
    return heard.stream().map(NewsItem::id).toList();
  }

  @Test
  void aWatcherThatComesBackGetsWhatItMissedInOrder() {
    News news = new News(100);
    publish(news, 20, "{}");
    assertThat(news.resume(12, heard::add).complete()).isTrue();
    publish(news, 2, "{}");
    assertThat(ids()).isEqualTo(LongStream.rangeClosed(13, 22).boxed().toList());
  }

  @Test
  void noMoreIsRememberedThanAllowedAndWhoMissedMoreIsToldSo() {
    News news = new News(10);
    publish(news, 1000, "{}");
    assertThat(news.resume(989, heard::add).complete()).isFalse();
    assertThat(heard).isEmpty();
    assertThat(news.resume(990, heard::add).complete()).isTrue();
    assertThat(heard).hasSize(10);
  }

  /** Few long items are bounded as well as many short ones. */
  @Test
  void longItemsPushOthersOutSooner() {
    News news = new News(1_000_000);
    publish(news, 100, "x".repeat(1_000_000));
    assertThat(news.resume(80, heard::add).complete()).isFalse();
    assertThat(news.resume(92, heard::add).complete()).isTrue();
    assertThat(heard).hasSize(8);
  }

  @Test
  void anItemOfAnotherRunIsAGap() {
    News news = new News(10);
    publish(news, 5, "{}");
    assertThat(news.resume(6, heard::add).complete()).isFalse();
    assertThat(new News(10).resume(3, heard::add).complete()).isFalse();
    assertThat(new News(10).resume(0, heard::add).complete()).isTrue();
  }

  @Test
  void aClosedWatchHearsNothing() {
    News news = new News(10);
    News.Watch watch = news.watch(heard::add);
    publish(news, 1, "{}");
    watch.close();
    publish(news, 1, "{}");
    assertThat(ids()).containsExactly(1L);
  }
}
