package dev.holdfast.replies;

import static dev.holdfast.replies.FakeAccount.refuses;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.store.messages.ReplyState;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long a reply waits between two posts, and for whom. */
@Timeout(30)
class PostingWaitsTest extends RepliesFixture {
  @Test
  void whoeverClosesAnAccountsBreakerByHandEndsItsWaits() throws Exception {
    platform.next("main", refuses(BUSY.withRetryAfter(Duration.ofMinutes(10))));
    plan("t", "e1", 1, 1);
    drain();
    replies.onGuardReset("channel:fake:other");
    drain();
    assertThat(platform.ids()).hasSize(1);
    platform.next("main", refuses(BUSY.withRetryAfter(Duration.ofMinutes(59))));
    replies.onGuardReset("channel:fake:main");
    drain();
    assertThat(platform.ids()).as("tried at once").hasSize(2);
    time.advance(Duration.ofMinutes(13));
    drain();
    assertThat(platform.ids()).as("the end of the first wait is not that of the second").hasSize(2);
    replies.onGuardReset("channel:fake:main");
    drain();
    assertThat(replies.paced()).isEmpty();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.SENT);
  }

  /** Whatever an adapter says it could not begin: each try costs two writes. */
  @Test
  void aPostThatIsCutOffAgainAndAgainIsNoHotLoop() throws Exception {
    platform.always(
        refuses(Failure.of(FailureCode.CANCELLED, "not begun").as(FailureKind.TRANSIENT)));
    plan("t", "e1", 1, 1);
    for (int second = 0; second < 60; second++) {
      drain();
      time.advance(Duration.ofSeconds(1));
    }
    assertThat(platform.posted()).hasSizeLessThan(10);
  }

  @Test
  void aWaitThatThePlatformAskedForDoesNotMakeAReplyTooOld() throws Exception {
    platform.next("main", refuses(BUSY.withRetryAfter(Duration.ofMinutes(59))));
    platform.next("main", refuses(BUSY.withRetryAfter(Duration.ofMinutes(59))));
    plan("t", "e1", 1, 1);
    for (int minute = 0; minute < 150; minute++) {
      drain();
      time.advance(Duration.ofMinutes(1));
    }
    drain();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.SENT);
  }

  @Test
  void aWaitOfMoreThanAMinuteIsKnownUntilItIsOver() throws Exception {
    platform.next("main", refuses(BUSY.withRetryAfter(Duration.ofMinutes(10))));
    plan("t", "e1", 1, 1);
    drain();
    assertThat(replies.paced())
        .containsExactly(new PacedAccount("fake:main", 1, time.now().plus(Duration.ofMinutes(10))));
    time.advance(Duration.ofMinutes(13));
    drain();
    assertThat(replies.paced()).isEmpty();
  }

  @Test
  void obeysTheWaitThatThePlatformAsksForAndCountsIt() throws Exception {
    platform.next("main", refuses(BUSY), refuses(BUSY), refuses(BUSY));
    plan("t", "e1", 1, 1);
    plan("t", "e2", 1, 1);
    drain();
    time.advance(Duration.ofSeconds(29));
    drain();
    assertThat(platform.posted()).hasSize(1);
    time.advance(Duration.ofSeconds(8));
    drain();
    assertThat(platform.posted()).hasSize(2);
    time.advance(Duration.ofSeconds(40));
    drain();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.REJECTED);
    assertThat(outbox.row(1).detail()).contains("429", "3 times");
    assertThat(platform.ids()).containsExactly("e1.a.1", "e1.a.1", "e1.a.1", "e2.a.1");
    assertThat(count("retried")).isEqualTo(2);
  }

  @Test
  void aNewReplyDoesNotCutAWaitShort() throws Exception {
    platform.next("main", refuses(BUSY));
    plan("t", "e1", 1, 1);
    drain();
    plan("t", "e2", 1, 1);
    drain();
    replies.rescan();
    drain();
    assertThat(platform.posted()).hasSize(1);
  }

  @Test
  void aJumpOfTheWallClockChangesNoWait() throws Exception {
    platform.next("main", refuses(BUSY));
    plan("t", "e1", 1, 1);
    drain();
    time.jumpWall(Duration.ofDays(-3650));
    time.advance(Duration.ofSeconds(37));
    drain();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.SENT);
  }

  @Test
  void aPlatformThatIsAwayIsWaitedForUntilTheReplyIsTooOld() throws Exception {
    for (int i = 0; i < 500; i++) {
      platform.next("main", refuses(AWAY));
    }
    plan("t", "e1", 1, 1);
    for (int minute = 0; minute < 58; minute++) {
      drain();
      time.advance(Duration.ofMinutes(1));
    }
    drain();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.RETRY_AT);
    assertThat(outbox.row(1).attempts()).isZero();
    assertThat(platform.posted().size()).isBetween(30, 80);
    for (int minute = 0; minute < 5; minute++) {
      time.advance(Duration.ofMinutes(1));
      drain();
    }
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.HELD);
    assertThat(outbox.row(1).detail()).contains("older than 3600 s");
  }

  @Test
  void anOpenBreakerPausesTheAccountWithoutAWrite() throws Exception {
    guard("main").opensIn(Duration.ofSeconds(10));
    for (int i = 0; i < 100; i++) {
      plan("t" + i, "e" + i, 1, 1);
    }
    planAt("fake:other", "t", "o", 1, 1);
    drain();
    assertThat(platform.ids()).containsExactly("o.a.1");
    assertThat(outbox.changes()).hasSize(2);
    guard("main").opensIn(Duration.ZERO);
    time.advance(Duration.ofSeconds(12));
    drain();
    assertThat(platform.posted()).hasSize(101);
  }

  @Test
  void aRejectionAtTheDoorLeavesNoTrace() throws Exception {
    guard("main").rejects(true);
    plan("t", "e1", 1, 1);
    drain();
    assertThat(outbox.changes()).isEmpty();
    guard("main").rejects(false);
    time.advance(Duration.ofSeconds(3));
    drain();
    assertThat(outbox.changes()).containsExactly("1 sending", "1 sent");
  }
}
