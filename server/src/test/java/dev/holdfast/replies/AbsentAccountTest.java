package dev.holdfast.replies;

import static dev.holdfast.replies.FakeAccount.refuses;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.registry.Registration;
import dev.holdfast.store.messages.ReplyState;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Replies whose channel or account is not there, or refuses them. */
@Timeout(30)
class AbsentAccountTest extends RepliesFixture {
  private static final int THREADS = 100;

  @Test
  void aChannelThatComesLaterIsWaitedFor() throws Exception {
    planAt("fake:late", "t", "e1", 1, 1);
    drain();
    assertThat(outbox.changes()).isEmpty();
    channel.remove();
    added(new FakeAccount("late"));
    time.advance(Duration.ofSeconds(20));
    drain();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.SENT);
  }

  /** A reply may grow an hour old; what it waits for its channel does not count. */
  @Test
  void repliesOfARemovedChannelWaitForItHoweverLongItIsAbsent() throws Exception {
    channels.onAdded(replies::onChannelAdded);
    channel.remove();
    plan("t", "e1", 1, 2);
    plan("t", "e1", 2, 2);
    for (int day = 0; day < 3; day++) {
      drain();
      time.advance(Duration.ofDays(1));
    }
    assertThat(outbox.changes()).isEmpty();
    added(platform);
    drain();
    assertThat(outbox.changes()).containsExactly("1 sending", "1 sent", "2 sending", "2 sent");
  }

  @Test
  void whoeverWaitsForAnAbsentChannelIsCounted() throws Exception {
    channels.onAdded(replies::onChannelAdded);
    plan("t", "e0", 1, 1);
    drain();
    assertThat(replies.absent()).isEmpty();
    channel.remove();
    Instant first = time.now();
    plan("t", "e1", 1, 1);
    drain();
    assertThat(replies.absent()).containsExactly(new AbsentAccount("fake:main", 1, first));
    time.advance(Duration.ofHours(1));
    drain(); // the next try sets its timer before time goes on
    plan("u", "e2", 1, 1);
    time.advance(Duration.ofSeconds(20));
    drain();
    assertThat(replies.absent()).containsExactly(new AbsentAccount("fake:main", 2, first));
    Registration back = added(platform);
    assertThat(replies.absent()).isEmpty();
    drain();
    back.remove();
    assertThat(replies.absent()).as("nothing waits for it").isEmpty();
  }

  @Test
  void anAccountIsRefusedUntilAPostArrivesOrItsChannelIsThereAnew() throws Exception {
    channels.onAdded(replies::onChannelAdded);
    platform.next("main", refuses(Failure.of(FailureCode.INVALID_REQUEST, "too odd")));
    plan("t", "e0", 1, 1);
    drain();
    assertThat(replies.refused()).as("one message speaks for itself").isEmpty();
    platform.next("main", refuses(Failure.of(FailureCode.AUTH, "token revoked")));
    plan("t", "e1", 1, 1);
    drain();
    assertThat(replies.refused()).containsExactly("fake:main");
    plan("t", "e2", 1, 1);
    drain();
    assertThat(replies.refused()).isEmpty();
    platform.next("main", refuses(Failure.of(FailureCode.AUTH, "token revoked")));
    plan("t", "e3", 1, 1);
    drain();
    channel.remove();
    assertThat(replies.refused()).isEmpty();
    added(platform);
    assertThat(replies.refused()).isEmpty();
    assertThat(platform.ids()).as("none is tried again and again").hasSize(4);
  }

  @Test
  void anAccountThatItsChannelHasNoMoreIsAbsentToo() throws Exception {
    planAt("fake:former", "t", "e1", 1, 1);
    drain();
    assertThat(replies.absent())
        .containsExactly(new AbsentAccount("fake:former", 1, outbox.row(1).plannedAt()));
    time.advance(Duration.ofHours(2));
    drain();
    time.advance(Duration.ofMinutes(1)); // the next try may have come before the first was over
    drain();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.HELD);
    assertThat(replies.absent()).as("the operator has it").isEmpty();
  }

  /** Each count goes over all that waits: one for each thread takes hours when many wait. */
  @Test
  void theThreadsOfAnAccountThatIsBackOrGivenUpAreNotCountedOneByOne() throws Exception {
    channels.onAdded(replies::onChannelAdded);
    channel.remove();
    planForThreads("fake:main");
    int before = outbox.counted();
    added(platform);
    drain();
    assertThat(platform.posted()).hasSize(THREADS);
    assertThat(outbox.counted()).as("it is back").isEqualTo(before);

    planForThreads("fake:former");
    before = outbox.counted();
    time.advance(Duration.ofHours(2));
    drain();
    time.advance(Duration.ofMinutes(1)); // the next try may have come before the first was over
    drain();
    assertThat(outbox.row(2 * THREADS).state()).isEqualTo(ReplyState.HELD);
    // Each time that no other thread is due yet, the one that ends counts as the last.
    assertThat(outbox.counted()).as("all is held").isLessThan(before + THREADS / 2);
    assertThat(replies.absent()).isEmpty();
  }

  private void planForThreads(String source) throws InterruptedException {
    for (int thread = 0; thread < THREADS; thread++) {
      planAt(source, "t" + thread, source + thread, 1, 1);
    }
    drain();
    assertThat(replies.absent()).isNotEmpty();
  }

  @Test
  void aThreadWhoseAccountCannotBeCountedIsDoneAllTheSame() throws Exception {
    planAt("fake:former", "t", "e1", 1, 1);
    drain();
    outbox.cannotCount();
    time.advance(Duration.ofHours(2));
    drain();
    planAt("fake:former", "t", "e2", 1, 1);
    time.advance(Duration.ofHours(2));
    drain();
    assertThat(outbox.changes()).containsExactly("1 held", "2 held");
  }

  @Test
  void aPostThatRunsMayEndWhenItsChannelIsRemovedAndTheNextWaits() throws Exception {
    CountDownLatch letGo = new CountDownLatch(1);
    platform.next("main", FakeAccount.hangs(letGo));
    plan("t", "e1", 1, 2);
    plan("t", "e1", 2, 2);
    await(() -> platform.posted().size() == 1);
    channel.remove();
    assertThat(channel.awaitEnd(Duration.ofMillis(20))).isFalse();
    letGo.countDown();
    assertThat(channel.awaitEnd(Duration.ofSeconds(10))).isTrue();
    drain();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.SENT);
    assertThat(platform.posted()).hasSize(1);
  }
}
