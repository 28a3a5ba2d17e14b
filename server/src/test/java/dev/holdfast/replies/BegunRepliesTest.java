package dev.holdfast.replies;

import static dev.holdfast.replies.FakeAccount.hangs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.store.messages.ReplyState;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A reply is marked as begun before its post, and the mark is taken back when none is made. */
@Timeout(30)
class BegunRepliesTest extends RepliesFixture {
  @Test
  void marksAsSendingBeforeTheFirstByteGoesOut() throws Exception {
    platform.next(
        "main",
        _ -> {
          assertThat(outbox.row(1).state()).isEqualTo(ReplyState.SENDING);
          return new PostOutcome.Sent("");
        });
    plan("t", "e1", 1, 1);
    drain();
    assertThat(outbox.changes()).containsExactly("1 sending", "1 sent");
  }

  @Test
  void theMarkOfAFirstPostIsMadeTogetherWithThePlan() throws Exception {
    plan("t", "e1", 1, 1);
    drain();
    plan("u", "e2", 1, 1);
    drain();
    assertThat(outbox.changes()).containsExactly("1 sending", "1 sent", "2 sent");
    assertThat(outbox.row(2).attempts()).isEqualTo(1);
    assertThat(platform.posted().get(1).resend()).isFalse();
  }

  @Test
  void nothingIsBegunBehindAnOpenReplyOrBesideAsManyAsMayBePosted() throws Exception {
    plan("t", "e0", 1, 1);
    drain();
    CountDownLatch latch = new CountDownLatch(1);
    platform.always(hangs(latch));
    for (int i = 1; i <= 40; i++) {
      outbox.plan(reply("fake:main", "t" + i, "e" + i, 1, 1), time.now());
    }
    outbox.plan(reply("fake:main", "t1", "later", 1, 1), time.now());
    assertThat(outbox.all().stream().filter(row -> row.state() == ReplyState.SENDING)).hasSize(32);
    assertThat(outbox.row(42).state()).isEqualTo(ReplyState.PLANNED);
    latch.countDown();
    replies.rescan();
    await(() -> count("sent") == 42);
    assertThat(count("unknown")).isZero();
  }

  @Test
  void aBegunReplyThatTheGuardKeepsWaitingIsTakenBack() throws Exception {
    plan("t", "e1", 1, 1);
    drain();
    outbox.plan(reply("fake:main", "t", "e2", 1, 1), time.now());
    guard("main").rejects(true);
    replies.wake("fake:main:t");
    drain();
    assertThat(outbox.row(2).state()).isEqualTo(ReplyState.RETRY_AT);
    assertThat(outbox.row(2).attempts()).isZero();
    guard("main").rejects(false);
    time.advance(Duration.ofSeconds(5));
    drain();
    assertThat(platform.ids()).containsExactly("e1.a.1", "e2.a.1");
    assertThat(outbox.row(2).state()).isEqualTo(ReplyState.SENT);
    assertThat(platform.posted().get(1).resend()).isFalse();
  }

  @Test
  void aPauseOfTheAccountTakesBackWhatWasBegun() throws Exception {
    plan("t", "e1", 1, 1);
    drain();
    outbox.plan(reply("fake:main", "t", "e2", 1, 1), time.now());
    assertThat(outbox.row(2).state()).isEqualTo(ReplyState.SENDING);
    guard("main").rejects(true);
    plan("u", "e3", 1, 1);
    drain();
    assertThat(outbox.row(2).state()).as("its own worker never ran").isEqualTo(ReplyState.RETRY_AT);
    assertThat(outbox.row(2).attempts()).isZero();
    replies.wake("fake:main:t");
    drain();
    assertThat(platform.ids()).containsExactly("e1.a.1");
    guard("main").rejects(false);
    time.advance(Duration.ofSeconds(5));
    drain();
    assertThat(platform.ids()).containsExactlyInAnyOrder("e1.a.1", "e2.a.1", "e3.a.1");
    assertThat(platform.posted()).noneMatch(OutboundReply::resend);
  }

  @Test
  void aBegunReplyOfAChannelThatWentIsTakenBack() throws Exception {
    plan("t", "e1", 1, 1);
    drain();
    outbox.plan(reply("fake:main", "t", "e2", 1, 1), time.now());
    channel.remove();
    replies.wake("fake:main:t");
    drain();
    assertThat(outbox.row(2).state()).isEqualTo(ReplyState.RETRY_AT);
    assertThat(outbox.row(2).attempts()).isZero();
  }

  @Test
  void aStopTakesBackWhatWasBegunAndNotPosted() throws Exception {
    plan("t", "e1", 1, 1);
    drain();
    outbox.plan(reply("fake:main", "t", "e2", 1, 1), time.now());
    assertThat(outbox.row(2).state()).isEqualTo(ReplyState.SENDING);
    replies.stop();
    assertThat(outbox.row(2).state()).isEqualTo(ReplyState.RETRY_AT);
    assertThat(outbox.row(2).attempts()).isZero();
    assertThat(outbox.plan(reply("fake:main", "u", "e3", 1, 1), time.now()).state())
        .isEqualTo(ReplyState.PLANNED);
  }

  @Test
  void aBegunReplyThatWasNotPlannedAfterAllLeavesItsPlaceToAnother() throws Exception {
    plan("t", "e0", 1, 1);
    drain();
    for (int i = 0; i < 100; i++) {
      assertThat(replies.begin(7, reply("fake:main", "t", "e1", 1, 1))).isTrue();
      replies.forget(7);
    }
  }
}
