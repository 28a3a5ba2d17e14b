package dev.holdfast.api.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class InboundFilterTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // it wraps around

  private InboundFilter filter(String... allow) {
    return new InboundFilter(Set.of(allow), Set.of("me"), 3, nanos::get);
  }

  private static InboundMessage from(String sender, String thread, String text) {
    return new InboundMessage("main", thread, sender, text, List.of(), "key");
  }

  private void advance(Duration by) {
    nanos.addAndGet(by.toNanos());
  }

  @Test
  void anAccountNeverAnswersItself() {
    assertThat(filter("*").judge(from("me", "t", "hi"), true)).contains(DropReason.OWN_ECHO);
    assertThat(filter("me").judge(from("me", "t", "hi"), false)).contains(DropReason.OWN_ECHO);
    assertThat(filter("*").judge(from("ann", "t", "hi"), false)).isEmpty();
  }

  @Test
  void onlyThoseOnTheListAreAnsweredAndNobodyWhenItIsEmpty() {
    assertThat(filter("ann").judge(from("ann", "t", "hi"), false)).isEmpty();
    assertThat(filter("ann").judge(from("Ann", "t", "hi"), false)).contains(DropReason.NOT_ALLOWED);
    assertThat(filter().judge(from("ann", "t", "hi"), false)).contains(DropReason.NOT_ALLOWED);
  }

  @Test
  void aMessageOfFilesAloneIsNotEmpty() {
    Attachment file = new Attachment("a.txt", "text/plain", "https://example.org/a", 1);
    InboundMessage files = new InboundMessage("main", "t", "ann", " ", List.of(file), "key");
    assertThat(filter("*").judge(files, false)).isEmpty();
    assertThat(filter("*").judge(from("ann", "t", " "), false)).contains(DropReason.EMPTY);
  }

  @Test
  void botsInOneThreadAreHeldToSoManyMessagesAMinute() {
    InboundFilter filter = filter("*");
    for (int i = 0; i < 3; i++) {
      assertThat(filter.judge(from("bot" + i, "t", "hi"), true)).isEmpty();
      advance(Duration.ofSeconds(10));
    }
    assertThat(filter.judge(from("bot4", "t", "hi"), true)).contains(DropReason.LOOP);
    assertThat(filter.judge(from("ann", "t", "hi"), false)).isEmpty();
    assertThat(filter.judge(from("bot4", "other", "hi"), true)).isEmpty();
    advance(Duration.ofSeconds(30));
    assertThat(filter.judge(from("bot4", "t", "hi"), true)).isEmpty();
    assertThat(filter.judge(from("bot4", "t", "hi"), true)).contains(DropReason.LOOP);
  }

  /** Whatever is dropped must not count, or a bot that goes on would never be heard again. */
  @Test
  void whatWasDroppedDoesNotCount() {
    InboundFilter filter = filter("*");
    for (int i = 0; i < 100; i++) {
      boolean heard = filter.judge(from("bot", "t", "hi"), true).isEmpty();
      assertThat(heard).isEqualTo(i % 10 < 3);
      advance(Duration.ofSeconds(6));
    }
  }
}
