package dev.holdfast.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.FailureCode;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DraftPaceTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** A clock that goes round: it may begin anywhere. */
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - SECOND.toNanos());

  private final DraftPace pace = new DraftPace(Duration.ofMillis(100), nanos::get);

  private boolean take(String conversation, Duration after) {
    nanos.addAndGet(after.toNanos());
    return pace.tryTake(conversation, SECOND);
  }

  @Test
  void aConversationWaitsForItsTimeAndOthersForThatOfTheAccount() {
    assertThat(take("a", Duration.ZERO)).isTrue();
    assertThat(take("b", Duration.ofMillis(99))).isFalse();
    assertThat(take("b", Duration.ofMillis(1))).isTrue();
    assertThat(take("a", Duration.ofMillis(899))).isFalse();
    assertThat(take("a", Duration.ofMillis(1))).isTrue();
  }

  @Test
  void aConversationThatIsHeldHoldsUpNoOther() {
    pace.hold("a", Duration.ofMinutes(1));
    assertThat(take("a", Duration.ofSeconds(59))).isFalse();
    assertThat(take("b", Duration.ZERO)).isTrue();
    assertThat(take("a", Duration.ofSeconds(1))).isTrue();
  }

  @Test
  void whatIsAskedOfADraftCountsForItsReplies() {
    assertThat(pace.waitAsked("a")).isEmpty();
    pace.holdReplies("a", Duration.ofMinutes(1));
    assertThat(take("a", Duration.ofSeconds(59))).isFalse();
    assertThat(pace.waitAsked("a"))
        .hasValueSatisfying(
            failure -> {
              assertThat(failure.code()).isEqualTo(FailureCode.RATE_LIMITED);
              assertThat(failure.retryAfter()).isEqualTo(SECOND);
              assertThat(failure.isUnsent()).isTrue();
            });
    assertThat(pace.waitAsked("b")).isEmpty();
    assertThat(take("a", SECOND)).isTrue();
    assertThat(pace.waitAsked("a")).isEmpty();
  }

  @Test
  void whatIsAskedOfTheAccountCountsForAllOfItsConversations() {
    pace.holdReplies(SECOND);
    assertThat(take("a", Duration.ZERO)).isFalse();
    assertThat(pace.waitAsked("b")).isPresent();
    assertThat(take("b", SECOND)).isTrue();
    assertThat(pace.waitAsked("b")).isEmpty();
  }

  @Test
  void manyConversationsTakeNoMoreMemoryThanSome() {
    for (int i = 0; i < 20_001; i++) {
      assertThat(take("c" + i, Duration.ofMillis(100))).isTrue();
    }
    assertThat(take("c20000", Duration.ofMillis(100))).isFalse();
  }
}
