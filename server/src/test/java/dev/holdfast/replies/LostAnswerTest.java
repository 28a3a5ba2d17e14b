package dev.holdfast.replies;

import static dev.holdfast.replies.FakeAccount.losesAnswer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.ReplyState;
import dev.holdfast.store.messages.StoryLine;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Posts of which nobody knows whether they arrived. */
@Timeout(30)
class LostAnswerTest extends RepliesFixture {
  @Test
  void aLostAnswerIsResentOnceAndThenHeld() throws Exception {
    platform.next("main", losesAnswer(), losesAnswer());
    plan("t", "e1", 1, 1);
    plan("t", "e2", 1, 1);
    drain();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.UNKNOWN);
    assertThat(platform.ids()).containsExactly("e1.a.1");
    time.advance(Duration.ofSeconds(75));
    drain();
    assertThat(platform.ids()).containsExactly("e1.a.1", "e1.a.1", "e2.a.1");
    assertThat(platform.posted().get(1).resend()).isTrue();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.HELD);
    assertThat(outbox.row(2).state()).isEqualTo(ReplyState.SENT);
    assertThat(count("unknown")).isEqualTo(2);
    assertThat(count("held")).isEqualTo(1);
  }

  private FakeAccount finding(FindOutcome... outcomes) {
    channel.remove();
    FakeAccount finds = new FakeAccount("main").findingPosts(outcomes);
    channel = added(finds);
    return finds;
  }

  @Test
  void aReplyThatIsFoundAtItsPlatformIsNotPostedAgain() throws Exception {
    FakeAccount finds = finding(new FindOutcome.Found("p7")).next("main", losesAnswer());
    plan("t", "e1", 1, 1);
    plan("t", "e2", 1, 1);
    drain();
    assertThat(finds.found()).isEmpty();
    time.advance(Duration.ofSeconds(75));
    drain();
    assertThat(finds.found()).containsExactly("e1.a.1");
    assertThat(finds.ids()).containsExactly("e1.a.1", "e2.a.1");
    assertThat(outbox.row(1).state().isOpen()).isFalse();
    assertThat(outbox.row(1).detail()).isEqualTo("p7");
    assertThat(outbox.row(2).state()).isEqualTo(ReplyState.SENT);
    assertThat(count("found")).isOne();
    assertThat(count("held")).isZero();
  }

  /** Each lost answer is looked for, so there may be any number of them and never a duplicate. */
  @Test
  void aReplyThatIsNotThereIsPostedAgainEachTime() throws Exception {
    FakeAccount finds = finding().next("main", losesAnswer(), losesAnswer(), losesAnswer());
    plan("t", "e1", 1, 1);
    for (int minute = 0; minute < 6; minute++) {
      drain();
      time.advance(Duration.ofSeconds(75));
    }
    drain();
    assertThat(finds.ids()).containsOnly("e1.a.1").hasSize(4);
    assertThat(finds.found()).hasSize(3);
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.RESENT);
  }

  @Test
  void aHistoryThatCannotBeReadNowIsReadLaterAndThePostWaits() throws Exception {
    FindOutcome down = new FindOutcome.Failed(AWAY);
    FakeAccount finds = finding(down, down).next("main", losesAnswer());
    plan("t", "e1", 1, 1);
    for (int minute = 0; minute < 4; minute++) {
      drain();
      time.advance(Duration.ofSeconds(75));
    }
    drain();
    assertThat(finds.found()).hasSize(3);
    assertThat(finds.ids()).hasSize(2);
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.RESENT);
  }

  @Test
  void aReplyThatCanNeverBeLookedForIsHeldWhenItIsTooOld() throws Exception {
    FakeAccount finds = finding().next("main", losesAnswer());
    FindOutcome[] down = new FindOutcome[200];
    Arrays.fill(down, new FindOutcome.Failed(AWAY));
    finds.findingPosts(down);
    plan("t", "e1", 1, 1);
    for (int minute = 0; minute < 70; minute++) {
      drain();
      time.advance(Duration.ofMinutes(1));
    }
    drain();
    assertThat(finds.ids()).hasSize(1);
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.HELD);
  }

  /** As on a platform without a history: once more, and then it is for the operator. */
  @Test
  void aHistoryThatIsRefusedForGoodOrHasABugIsDoneWithout() throws Exception {
    FindOutcome refused = new FindOutcome.Failed(Failure.of(FailureCode.AUTH, "no such right"));
    FakeAccount finds =
        finding(refused, new FindOutcome.Found("bug")).next("main", losesAnswer(), losesAnswer());
    plan("t", "e1", 1, 1);
    for (int minute = 0; minute < 5; minute++) {
      drain();
      time.advance(Duration.ofSeconds(75));
    }
    drain();
    assertThat(finds.ids()).hasSize(2);
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.HELD);
  }

  /** The hold is there to keep it from being posted twice, which a look rules out as well. */
  @Test
  void whoeverHoldsWhatIsUnknownHoldsNothingThatCanBeLookedFor() throws Exception {
    replies.stop();
    replies = replies(OnUnknown.HOLD, 10_000);
    FakeAccount finds = finding(new FindOutcome.Found("p7")).next("main", losesAnswer());
    plan("t", "e1", 1, 1);
    drain();
    time.advance(Duration.ofSeconds(75));
    drain();
    assertThat(finds.ids()).hasSize(1);
    assertThat(outbox.row(1).detail()).isEqualTo("p7");
    assertThat(count("held")).isZero();
  }

  /** A gateway that is ill for a minute costs nobody a reply where a second post does no harm. */
  @Test
  void aLostAnswerIsRepeatedUntilThereIsOneWhereThePlatformDropsRepeats() throws Exception {
    channel.remove();
    FakeAccount drops = new FakeAccount("main").droppingRepeats();
    channel = added(drops);
    drops.next("main", losesAnswer(), losesAnswer(), losesAnswer(), losesAnswer());
    plan("t", "e1", 1, 1);
    for (int second = 0; second < 25; second++) {
      drain();
      time.advance(Duration.ofSeconds(1));
    }
    drain();
    assertThat(drops.ids()).containsOnly("e1.a.1").hasSize(5);
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.RESENT);
    assertThat(outbox.row(1).unknowns()).isEqualTo(4);
  }

  @Test
  void aReplyWhoseAnswersAreAllLostIsHeldWhenItIsTooOld() throws Exception {
    channel.remove();
    FakeAccount drops = new FakeAccount("main").droppingRepeats().always(losesAnswer());
    channel = added(drops);
    plan("t", "e1", 1, 1);
    for (int minute = 0; minute < 70; minute++) {
      drain();
      time.advance(Duration.ofMinutes(1));
    }
    drain();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.HELD);
    assertThat(outbox.row(1).detail()).contains("lost " + outbox.row(1).unknowns() + " times");
    assertThat(drops.posted()).hasSizeBetween(30, 80).hasSize(outbox.row(1).unknowns());
  }

  @Test
  void aResendThatArrivesIsResent() throws Exception {
    platform.next("main", losesAnswer());
    plan("t", "e1", 1, 1);
    drain();
    time.advance(Duration.ofSeconds(75));
    drain();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.RESENT);
    assertThat(count("resent")).isEqualTo(1);
    assertThat(outbox.changes()).containsExactly("1 sending", "1 unknown", "1 resending", "1 sent");
  }

  @Test
  void withHoldNothingIsEverPostedTwice() throws Exception {
    replies = replies(OnUnknown.HOLD, 10_000);
    platform.next("main", losesAnswer());
    plan("t", "e1", 1, 1);
    drain();
    time.advance(Duration.ofHours(2));
    drain();
    assertThat(platform.posted()).hasSize(1);
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.HELD);
    assertThat(outbox.row(1).attempts()).isEqualTo(1);
    assertThat(stories).extracting(StoryLine::what).containsExactly("reply.unknown", "reply.held");
    assertThat(stories).allMatch(line -> line.json().contains("\"attempt\":1"));
  }

  @Test
  void aCrashWhileSendingIsALostAnswer() throws Exception {
    Reply row = outbox.plan(reply("fake:main", "t", "e1", 1, 1), time.now());
    outbox.sending(row.seq(), false);
    replies.start();
    drain();
    time.advance(Duration.ofSeconds(75));
    drain();
    assertThat(platform.posted()).hasSize(1).allMatch(OutboundReply::resend);
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.RESENT);
  }

  @Test
  void aSecondCrashWhileSendingIsHeld() throws Exception {
    Reply row = outbox.plan(reply("fake:main", "t", "e1", 1, 1), time.now());
    outbox.sending(row.seq(), false);
    outbox.unknown(row.seq(), time.now(), "crash");
    outbox.sending(row.seq(), true);
    replies.start();
    drain();
    assertThat(platform.posted()).isEmpty();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.HELD);
  }

  @Test
  void aReplyThatIsFoundEndsTheRefusalThatCameBeforeIt() throws Exception {
    FakeAccount finds =
        finding(new FindOutcome.Found("p7"))
            .next(
                "main",
                FakeAccount.refuses(Failure.of(FailureCode.AUTH, "token revoked")),
                losesAnswer());
    plan("t", "e1", 1, 1);
    drain();
    assertThat(replies.refused()).containsExactly("fake:main");
    plan("t", "e2", 1, 1);
    drain();
    assertThat(replies.refused()).as("nobody knows yet").containsExactly("fake:main");
    time.advance(Duration.ofSeconds(75));
    drain();
    assertThat(finds.found()).containsExactly("e2.a.1");
    assertThat(replies.refused()).isEmpty();
  }

  @Test
  void aReplyThatIsFoundEndsNoRefusalThatCameAfterIt() throws Exception {
    FakeAccount finds =
        finding(new FindOutcome.Found("p7"))
            .next(
                "main",
                losesAnswer(),
                FakeAccount.refuses(Failure.of(FailureCode.AUTH, "token revoked")));
    plan("t", "e1", 1, 1);
    drain();
    plan("u", "e2", 1, 1);
    drain();
    time.advance(Duration.ofSeconds(75));
    drain();
    assertThat(finds.found()).containsExactly("e1.a.1");
    assertThat(replies.refused()).containsExactly("fake:main");
  }

  @Test
  void aBugInAChannelIsALostAnswer() throws Exception {
    platform.next(
        "main",
        _ -> {
          throw new IllegalStateException("bug");
        });
    plan("t", "e1", 1, 1);
    drain();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.UNKNOWN);
  }
}
