package dev.holdfast.replies;

import static dev.holdfast.replies.FakeAccount.hangs;
import static dev.holdfast.replies.FakeAccount.losesAnswer;
import static dev.holdfast.replies.FakeAccount.refuses;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Choice;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.ReplyChoices;
import dev.holdfast.store.messages.ReplyState;
import dev.holdfast.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class RepliesTest extends RepliesFixture {
  @Test
  void postsTheRepliesOfAThreadInTheirOrder() throws Exception {
    for (int i = 1; i <= 20; i++) {
      plan("t", "e" + i, 1, 1);
    }
    drain();
    assertThat(platform.ids())
        .isEqualTo(IntStream.rangeClosed(1, 20).mapToObj(i -> "e" + i + ".a.1").toList());
    assertThat(outbox.all()).allMatch(row -> row.state() == ReplyState.SENT);
    assertThat(count("sent")).isEqualTo(20);
    assertThat(items).allMatch(item -> item.kind().equals("reply.state")).hasSize(20);
    assertThat(items.peek().json()).isEqualTo("{\"reply_id\":\"e1.a.1\",\"state\":\"sent\"}");
    assertThat(stories).hasSize(20);
  }

  @Test
  void tellsThePlatformWhatItNeeds() throws Exception {
    plan("t", "e1", 1, 1);
    drain();
    assertThat(platform.posted())
        .containsExactly(
            new OutboundReply("e1.a.1", "e1", "main", "t", "m-e1", "text", 1, 1, false));
  }

  @Test
  void aThreadHoldsRepliesUntilEachIsSentHeldOrGivenUp() throws Exception {
    assertThat(replies.mayHold("fake:main:a")).as("nobody has looked yet").isTrue();
    replies.start();
    drain();
    assertThat(replies.mayHold("fake:main:a")).isFalse();
    Failure away = Failure.of(FailureCode.OVERLOADED, "the platform answered 503");
    Failure never = Failure.of(FailureCode.INVALID_REQUEST, "too strange");
    platform.next(
        "main",
        refuses(away),
        refuses(away),
        reply -> {
          assertThat(replies.mayHold("fake:main:a")).as("it is being posted").isTrue();
          return new PostOutcome.Sent("p1");
        },
        refuses(never),
        losesAnswer(),
        losesAnswer());
    plan("a", "e1", 1, 1);
    do { // a wait of nothing between two posts is as good as any other
      drain();
      assertThat(replies.mayHold("fake:main:a"))
          .as("it waits until it is sent")
          .isEqualTo(platform.posted().size() < 3);
      assertThat(replies.mayHold("fake:main:b")).isFalse();
      time.advance(Duration.ofMinutes(1));
    } while (platform.posted().size() < 3);
    assertThat(replies.mayHold("fake:main:a")).as("sent").isFalse();
    plan("a", "e2", 1, 1);
    drain();
    assertThat(outbox.row(2).state()).isEqualTo(ReplyState.REJECTED);
    assertThat(replies.mayHold("fake:main:a")).as("given up").isFalse();
    plan("a", "e3", 1, 1);
    drain();
    assertThat(replies.mayHold("fake:main:a")).as("perhaps not there").isTrue();
    time.advance(Duration.ofMinutes(5));
    drain();
    assertThat(outbox.row(3).state()).isEqualTo(ReplyState.HELD);
    assertThat(replies.mayHold("fake:main:a")).as("held").isFalse();
  }

  @Test
  void aThreadThatIsNotRememberedMayHoldReplies() throws Exception {
    Replies few = replies(OnUnknown.RESEND_ONCE, 1);
    few.start();
    assertThat(few.drain(Deadline.in(time, Duration.ofHours(1)))).isTrue();
    platform.always(refuses(Failure.of(FailureCode.OVERLOADED, "the platform answered 503")));
    for (String thread : List.of("a", "b")) {
      outbox.plan(reply("fake:main", thread, "e-" + thread, 1, 1), time.now());
      few.wake("fake:main:" + thread);
    }
    assertThat(few.mayHold("fake:main:b")).isTrue();
    few.stop();
  }

  @Test
  void aStuckThreadDelaysNoOther() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    platform.next("main", hangs(latch));
    plan("stuck", "e1", 1, 1);
    await(() -> platform.posted().size() == 1);
    for (int i = 0; i < 50; i++) {
      plan("free" + i, "f" + i, 1, 1);
    }
    await(() -> count("sent") == 50);
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.SENDING);
    latch.countDown();
    drain();
    assertThat(count("sent")).isEqualTo(51);
  }

  @Test
  void aStuckAccountDelaysNoOther() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    for (int i = 0; i < 200; i++) {
      platform.next("main", hangs(latch));
      plan("stuck" + i, "e" + i, 1, 1);
    }
    await(() -> platform.mostAtOnce() == 32);
    planAt("fake:other", "t", "o1", 1, 1);
    await(() -> count("sent") == 1);
    assertThat(platform.mostAtOnce()).isLessThanOrEqualTo(33);
    latch.countDown();
    drain();
    assertThat(count("sent")).isEqualTo(201);
  }

  @Test
  void whatFailsForGoodIsRejectedAfterOneAndTheThreadGoesOn() throws Exception {
    platform.next("main", refuses(GONE));
    plan("t", "e1", 1, 1);
    plan("t", "e2", 1, 1);
    drain();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.REJECTED);
    assertThat(outbox.row(2).state()).isEqualTo(ReplyState.SENT);
    assertThat(platform.posted()).hasSize(2);
  }

  @Test
  void laterPartsShareTheFateOfAPartThatWasNotDelivered() throws Exception {
    platform.next("main", _ -> new PostOutcome.Sent(""), refuses(GONE));
    outbox.plan(reply("fake:main", "t", "e1", 1, 4), time.now());
    outbox.plan(reply("fake:main", "t", "e1", 2, 4), time.now());
    outbox.plan(reply("fake:main", "t", "e1", 3, 4), time.now());
    outbox.plan(reply("fake:main", "t", "e1", 4, 4), time.now());
    outbox.plan(reply("fake:main", "t", "e2", 1, 2), time.now());
    replies.start();
    drain();
    assertThat(outbox.all())
        .extracting(Reply::state)
        .containsExactly(
            ReplyState.SENT,
            ReplyState.REJECTED,
            ReplyState.REJECTED,
            ReplyState.REJECTED,
            ReplyState.SENT);
    assertThat(outbox.row(4).detail()).isEqualTo("part 2 of 4 was not delivered");
  }

  /** What readers fetch by themselves is never posted, also when its channel came too late. */
  @Test
  void nothingIsPostedToAChannelThatOnlyShows() throws Exception {
    channel.remove();
    plan("t", "e1", 1, 1);
    drain();
    FakeAccount shows = new FakeAccount("main");
    channels.add(
        new ForwardingChannel(shows) {
          @Override
          public boolean posts() {
            return false;
          }
        },
        time.now());
    time.advance(Duration.ofSeconds(20));
    drain();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.SENT);
    assertThat(shows.posted()).isEmpty();
  }

  @Test
  void aFullDiskBeforeThePostPostsNothing() throws Exception {
    outbox.failsNext(1);
    plan("t", "e1", 1, 1);
    drain();
    assertThat(platform.posted()).isEmpty();
    time.advance(Duration.ofSeconds(6));
    drain();
    assertThat(platform.posted()).hasSize(1);
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.SENT);
  }

  @Test
  void aFullDiskAfterThePostIsWaitedOutWithoutASecondPost() throws Exception {
    platform.next(
        "main",
        _ -> {
          outbox.failsNext(20);
          return new PostOutcome.Sent("");
        });
    plan("t", "e1", 1, 1);
    drain();
    assertThat(platform.posted()).hasSize(1);
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.SENT);
  }

  @Test
  void aStopInterruptsThePostAndItsOutcomeIsUnknown() throws Exception {
    platform.next("main", hangs(new CountDownLatch(1)));
    plan("t", "e1", 1, 1);
    plan("t", "e2", 1, 1);
    await(() -> platform.posted().size() == 1);
    replies.stop();
    assertThat(outbox.row(1).state()).isEqualTo(ReplyState.UNKNOWN);
    assertThat(outbox.row(2).state()).isEqualTo(ReplyState.PLANNED);
    plan("t3", "e3", 1, 1);
    time.advance(Duration.ofMinutes(5));
    assertThat(platform.posted()).hasSize(1);
  }

  @Test
  void aDrainEndsAtItsDeadline() throws Exception {
    platform.next("main", hangs(new CountDownLatch(1)));
    plan("t", "e1", 1, 1);
    await(() -> platform.posted().size() == 1);
    SystemTime real = new SystemTime(); // a drain waits on a lock
    assertThat(replies.drain(Deadline.in(real, Duration.ofMillis(100)))).isFalse();
  }

  @Test
  void whatAnEarlierRunLeftIsTakenUpInPagesWithFewThreadsRemembered() throws Exception {
    replies = replies(OnUnknown.RESEND_ONCE, 100);
    for (int i = 0; i < 5000; i++) {
      outbox.plan(reply("fake:main", "t" + i % 2500, "e" + i, 1, 1), time.now());
    }
    replies.start();
    await(() -> outbox.open(0, 1).isEmpty());
    drain();
    assertThat(outbox.biggestPage()).isLessThanOrEqualTo(200);
    assertThat(platform.ids()).doesNotHaveDuplicates().hasSize(5000);
    assertThat(platform.mostAtOnce()).isLessThanOrEqualTo(32);
    for (int thread = 0; thread < 2500; thread++) {
      assertThat(platform.ids().indexOf("e" + thread + ".a.1"))
          .isLessThan(platform.ids().indexOf("e" + (thread + 2500) + ".a.1"));
      if (thread > 50) {
        break;
      }
    }
  }

  @Test
  void buttonsGoToAChannelThatShowsThemAlone() throws Exception {
    List<OutboundReply> shown = new CopyOnWriteArrayList<>();
    Choice choice = new Choice("Deny", "A".repeat(22), false);
    NewReply plain = reply("fake:main", "t", "e1", 1, 1);
    NewReply question =
        new NewReply(
            "q.p.1",
            plain.eventId(),
            plain.source(),
            plain.threadId(),
            plain.address(),
            plain.inReplyTo(),
            "May I?",
            1,
            1,
            false,
            "",
            ReplyChoices.write(List.of(choice)));
    outbox.plan(question, time.now());
    replies.wake(plain.threadId());
    drain();
    assertThat(platform.posted().getFirst().choices()).isEmpty();
    channel.remove();
    channels.add(
        new ForwardingChannel(platform) {
          @Override
          public boolean showsChoices() {
            return true;
          }

          @Override
          public PostOutcome post(OutboundReply reply) {
            shown.add(reply);
            return new PostOutcome.Sent("p");
          }
        },
        time.now());
    stop();
    replies = replies(OnUnknown.RESEND_ONCE, 10_000);
    replies.start();
    outbox.plan(question, time.now());
    replies.wake(plain.threadId());
    drain();
    assertThat(shown.getFirst().choices()).containsExactly(choice);
  }
}
