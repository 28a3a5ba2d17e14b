package dev.holdfast.agents.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.agents.dispatch.UninterruptibleTool;
import dev.holdfast.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class EpochTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private final ManualTime time = new ManualTime();
  private final Epoch epoch = new Epoch(time);
  private final List<String> written = new ArrayList<>();

  @Test
  void silenceCountsFromTheLastSign() {
    time.advance(MINUTE);
    assertThat(epoch.overdue()).isEqualTo(MINUTE);
    epoch.moves();
    assertThat(epoch.overdue()).isZero();
  }

  @Test
  void aWaitMayBeSilentForAsLongAsItSaid() {
    epoch.waits(MINUTE);
    time.advance(MINUTE);
    assertThat(epoch.overdue()).isZero();
    time.advance(MINUTE);
    assertThat(epoch.overdue()).isEqualTo(MINUTE);
  }

  @Test
  void aSignWithinAWaitStartsItAnew() {
    epoch.waits(MINUTE);
    time.advance(MINUTE);
    epoch.moves();
    time.advance(MINUTE);
    assertThat(epoch.overdue()).isZero();
  }

  @Test
  void whoWaitsForATurnIsNeverOverdue() {
    epoch.waits(Epoch.AS_LONG_AS_IT_TAKES);
    time.advance(Duration.ofDays(300));
    assertThat(epoch.overdue()).isZero();
  }

  @Test
  void nothingIsWrittenAfterTheEnd() {
    epoch.change(() -> written.add("before"));
    assertThat(epoch.end()).isTrue();
    assertThatThrownBy(() -> epoch.change(() -> written.add("after")))
        .isInstanceOf(EpochOverException.class);
    assertThatThrownBy(epoch::check).isInstanceOf(EpochOverException.class);
    assertThat(written).containsExactly("before");
  }

  @Test
  void whoWritesIsNeitherOverdueNorGivenUp() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Thread writer =
        Thread.ofVirtual()
            .start(
                () ->
                    epoch.change(
                        () -> {
                          writing.countDown();
                          UninterruptibleTool.await(go);
                          written.add("whole");
                        }));
    writing.await();
    time.advance(MINUTE);
    assertThat(epoch.overdue()).isZero();
    assertThat(epoch.end()).isFalse();
    go.countDown();
    writer.join();
    assertThat(written).containsExactly("whole");
    assertThat(epoch.end()).isTrue();
  }

  @Test
  @Timeout(30)
  void theWritesOfAnEndlessOneDoNotWaitForOneAnother() throws Exception {
    Epoch endless = Epoch.endless(time);
    endless.<InterruptedException>change(
        () -> {
          Thread.ofVirtual().start(() -> endless.change(() -> written.add("meanwhile"))).join();
          written.add("whole");
        });
    assertThat(written).containsExactly("meanwhile", "whole");
    assertThat(endless.end()).isFalse();
    assertThat(endless.isOver()).isFalse();
  }
}
