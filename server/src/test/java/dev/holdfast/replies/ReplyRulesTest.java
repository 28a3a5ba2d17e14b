package dev.holdfast.replies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.ReplyState;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ReplyRulesTest {
  private static final Instant PLANNED = Instant.parse("2026-01-01T00:00:00Z");
  private static final RepliesConfig CONFIG =
      new RepliesConfig(3, Duration.ofSeconds(1), Duration.ofHours(1), OnUnknown.RESEND_ONCE);

  private final ReplyRules rules = new ReplyRules(CONFIG);
  private final ReplyRules holding =
      new ReplyRules(
          new RepliesConfig(3, Duration.ofSeconds(1), Duration.ofHours(1), OnUnknown.HOLD));

  @Test
  void whatIsPlannedIsPosted() {
    assertThat(before(ReplyState.PLANNED, 0, PLANNED)).isEqualTo(new ReplyMove.Post(false));
    assertThat(before(ReplyState.PLANNED, 2, PLANNED)).isEqualTo(new ReplyMove.Post(true));
  }

  @Test
  void aCrashWhileSendingIsALostAnswerWhateverItsAge() {
    assertThat(before(ReplyState.SENDING, 0, PLANNED.plusSeconds(9999)))
        .isEqualTo(new ReplyMove.Lost());
  }

  @Test
  void aLostAnswerIsFollowedByOneResendAtMost() {
    assertThat(before(ReplyState.UNKNOWN, 1, PLANNED)).isEqualTo(new ReplyMove.Post(true));
    assertThat(before(ReplyState.UNKNOWN, 2, PLANNED)).isInstanceOf(ReplyMove.Hold.class);
    Reply lost = reply(ReplyState.UNKNOWN, 1, 1, PLANNED);
    assertThat(holding.before(lost, PLANNED, true)).isInstanceOf(ReplyMove.Hold.class);
  }

  @Test
  void whereRepeatsAreDroppedALostAnswerIsFollowedByResendsWithGrowingWaits() {
    ReplyRules dropping = new ReplyRules(CONFIG, Instant.MIN, true, false, Duration.ZERO);
    for (int unknowns = 0; unknowns < 9; unknowns++) {
      assertThat(
              dropping.waitAfterLoss(
                  reply(ReplyState.SENDING, 1, unknowns, PLANNED), Duration.ZERO, PLANNED))
          .contains(Duration.ofSeconds(Math.min(60, 1L << unknowns)));
    }
    Reply lost = reply(ReplyState.UNKNOWN, 9, 9, PLANNED.plusSeconds(60));
    assertThat(dropping.before(lost, PLANNED, false))
        .isEqualTo(new ReplyMove.Wait(Duration.ofSeconds(60)));
    assertThat(dropping.before(lost, PLANNED.plusSeconds(60), false))
        .isEqualTo(new ReplyMove.Post(true));
    assertThat(dropping.before(lost, PLANNED.plusSeconds(3601), false))
        .isInstanceOf(ReplyMove.Hold.class);
  }

  @Test
  void timeThatThePlatformAskedForDoesNotCount() {
    Instant late = PLANNED.plus(CONFIG.ttl()).plusSeconds(10);
    Reply waited = reply(ReplyState.PLANNED, 1, 0, PLANNED);
    ReplyRules paced = new ReplyRules(CONFIG, Instant.MIN, false, false, Duration.ofSeconds(10));
    assertThat(rules.before(waited, late, false)).isInstanceOf(ReplyMove.Hold.class);
    assertThat(paced.before(waited, late, false)).isInstanceOf(ReplyMove.Post.class);
    assertThat(paced.before(waited, late.plusNanos(1), false)).isInstanceOf(ReplyMove.Hold.class);
  }

  @Test
  void aRetryWaitsUnlessItHasWaitedHere() {
    Reply waiting = reply(ReplyState.RETRY_AT, 1, 0, PLANNED.plusSeconds(10));
    assertThat(rules.before(waiting, PLANNED, false))
        .isEqualTo(new ReplyMove.Wait(Duration.ofSeconds(10)));
    assertThat(rules.before(waiting, PLANNED, true)).isEqualTo(new ReplyMove.Post(false));
    assertThat(rules.before(waiting, PLANNED.plusSeconds(10), false))
        .isEqualTo(new ReplyMove.Post(false));
  }

  @Test
  void aClockThatWasSetBackMakesNoWaitLongerThanItWas() {
    for (Duration back : List.of(Duration.ofDays(1), Duration.ofDays(3650))) {
      Instant now = PLANNED.minus(back);
      for (ReplyState state : List.of(ReplyState.RETRY_AT, ReplyState.UNKNOWN)) {
        assertThat(rules.before(reply(state, 1, 1, PLANNED.plusSeconds(4)), now, false))
            .as("written at most 4 s before")
            .isEqualTo(new ReplyMove.Wait(Duration.ofSeconds(4)));
      }
      Reply older = reply(ReplyState.RETRY_AT, 1, 0, PLANNED.plusSeconds(3000));
      assertThat(rules.before(older, now, false))
          .as("nothing of ours waits for longer than a minute")
          .isEqualTo(new ReplyMove.Wait(Duration.ofMinutes(1)));
    }
  }

  @Test
  void whatIsTooOldIsHeldInEveryOpenStateButSending() {
    Instant late = PLANNED.plus(CONFIG.ttl()).plusNanos(1);
    for (ReplyState state :
        new ReplyState[] {ReplyState.PLANNED, ReplyState.RETRY_AT, ReplyState.UNKNOWN}) {
      assertThat(before(state, 1, late)).isInstanceOf(ReplyMove.Hold.class);
      assertThat(before(state, 1, late.minusNanos(1))).isInstanceOf(ReplyMove.Post.class);
    }
  }

  @Test
  void aFinishedReplyIsNeverTouched() {
    Arrays.stream(ReplyState.values())
        .filter(state -> !state.isOpen())
        .forEach(
            state ->
                assertThatIllegalArgumentException().isThrownBy(() -> before(state, 0, PLANNED)));
  }

  @Test
  void answeredRefusalsCountUpToTheLimit() {
    Failure busy = Failure.of(FailureCode.RATE_LIMITED, "429");
    assertThat(after(busy, 0))
        .isEqualTo(
            new ReplyChange.Retry(Duration.ofSeconds(1), "RATE_LIMITED: 429", true, Duration.ZERO));
    assertThat(after(busy, 1))
        .isEqualTo(
            new ReplyChange.Retry(Duration.ofSeconds(2), "RATE_LIMITED: 429", true, Duration.ZERO));
    assertThat(after(busy, 2)).isInstanceOf(ReplyChange.Rejected.class);
    Failure overloaded =
        Failure.of(FailureCode.OVERLOADED, "503").withRetryAfter(Duration.ofMinutes(5));
    assertThat(after(overloaded, 0))
        .isEqualTo(
            new ReplyChange.Retry(
                Duration.ofMinutes(5), "OVERLOADED: 503", true, Duration.ofMinutes(5)));
  }

  @Test
  void aPlatformThatCannotBeReachedIsWaitedForWithoutCounting() {
    for (FailureCode code :
        new FailureCode[] {FailureCode.NETWORK, FailureCode.TIMEOUT, FailureCode.CIRCUIT_OPEN}) {
      ReplyChange effect = after(Failure.of(code, "x"), 50);
      assertThat(effect)
          .isInstanceOfSatisfying(
              ReplyChange.Retry.class, retry -> assertThat(retry.counts()).isFalse());
    }
    Reply old = reply(ReplyState.RETRY_AT, 0, 0, PLANNED);
    PostOutcome refused = new PostOutcome.NotDelivered(Failure.of(FailureCode.NETWORK, "x"));
    assertThat(waitOf(old, refused, 7)).isEqualTo(Duration.ofSeconds(7));
    assertThat(waitOf(old, refused, 700)).isEqualTo(Duration.ofSeconds(60));
    assertThat(waitOf(old, refused, 3590)).isEqualTo(Duration.ofSeconds(10).plusMillis(1));
  }

  @Test
  void aPostThatWasNotBegunIsNotTriedAgainAtOnce() {
    Failure cut = Failure.of(FailureCode.CANCELLED, "stopped").as(FailureKind.TRANSIENT);
    assertThat(after(cut, 0))
        .isEqualTo(
            new ReplyChange.Retry(
                Duration.ofSeconds(1), "CANCELLED: stopped", false, Duration.ZERO));
  }

  @Test
  void whatFailsForGoodIsRejectedAfterOne() {
    for (FailureKind kind :
        new FailureKind[] {FailureKind.INVALID, FailureKind.PERMANENT, FailureKind.FATAL}) {
      assertThat(after(Failure.of(FailureCode.AUTH, "x").as(kind), 0))
          .isInstanceOf(ReplyChange.Rejected.class);
    }
  }

  @Property(tries = 300)
  void noWaitIsNegativeOrLongerThanAnHour(
      @ForAll @IntRange(max = 5000) int ageSecs,
      @ForAll @IntRange(max = 100_000) int askedSecs,
      @ForAll FailureCode code,
      @ForAll @IntRange(max = 100) int attempts) {
    Failure failure = Failure.of(code, "x").withRetryAfter(Duration.ofSeconds(askedSecs));
    ReplyChange effect =
        rules.after(
            reply(ReplyState.PLANNED, attempts, 0, PLANNED),
            new PostOutcome.NotDelivered(failure),
            PLANNED.plusSeconds(ageSecs));
    if (effect instanceof ReplyChange.Retry retry) {
      assertThat(retry.delay()).isBetween(Duration.ZERO, Duration.ofHours(1));
    }
  }

  private Duration waitOf(Reply reply, PostOutcome outcome, long ageSecs) {
    return ((ReplyChange.Retry) rules.after(reply, outcome, PLANNED.plusSeconds(ageSecs))).delay();
  }

  private ReplyMove before(ReplyState state, int unknowns, Instant now) {
    return rules.before(reply(state, 1, unknowns, PLANNED), now, false);
  }

  private ReplyChange after(Failure failure, int attempts) {
    return rules.after(
        reply(ReplyState.PLANNED, attempts, 0, PLANNED),
        new PostOutcome.NotDelivered(failure),
        PLANNED);
  }

  private static Reply reply(ReplyState state, int attempts, int unknowns, Instant nextAt) {
    NewReply reply =
        new NewReply("e1.a.1", "e1", "fake:main", "fake:main:t", "t", "m1", "text", 1, 1, false);
    return new Reply(1, reply, state, attempts, unknowns, PLANNED, nextAt, Duration.ZERO, "");
  }
}
