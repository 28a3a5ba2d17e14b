package dev.holdfast.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class TimeLimitTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Duration LONG = Duration.ofHours(1);

  private final ManualTime time = new ManualTime();
  private final AtomicInteger expired = new AtomicInteger();

  private TimeLimit limit(UnaryOperator<Duration> more) {
    return TimeLimit.start(time, LIMIT, more, expired::incrementAndGet);
  }

  private TimeLimit limit() {
    return limit(_ -> Standstill.CATCH_UP);
  }

  @Test
  void whoIsALittleLateHasMetNoStandstill() {
    long due = time.nanos();
    assertThat(Standstill.since(due + LONG.toNanos(), time)).isZero();
    time.advance(Standstill.NOTICED);
    assertThat(Standstill.since(due, time)).isZero();
    time.advance(Duration.ofNanos(1));
    assertThat(Standstill.since(due, time)).isEqualTo(Standstill.NOTICED.plusNanos(1));
  }

  @Test
  void aLimitExpiresOnceInItsTime() {
    TimeLimit limit = limit();
    time.advance(LIMIT.minusNanos(1));
    assertThat(limit.isExpired()).isFalse();
    time.advance(Duration.ofNanos(1));
    assertThat(limit.isExpired()).isTrue();
    time.advance(LONG);
    assertThat(expired).hasValue(1);
  }

  @Test
  void aLimitThatAStandstillMetIsLongerByWhatWasAsked() {
    TimeLimit limit = limit();
    time.standStill(LONG);
    assertThat(limit.isExpired()).isFalse();
    time.advance(Standstill.CATCH_UP.minusNanos(1));
    assertThat(limit.isExpired()).isFalse();
    time.advance(Duration.ofNanos(1));
    assertThat(expired).hasValue(1);
  }

  @Test
  void theOwnerOfALimitHearsForHowLongTheProcessStoodStill() {
    limit(stood -> stood);
    time.standStill(LONG); // of which the first minute is the limit's own
    time.advance(LONG.minus(LIMIT).minusNanos(1));
    assertThat(expired).hasValue(0);
    time.advance(Duration.ofNanos(1));
    assertThat(expired).hasValue(1);
  }

  @Test
  void everyStandstillIsForgiven() {
    limit();
    for (int i = 0; i < 5; i++) {
      time.standStill(LONG);
    }
    assertThat(expired).hasValue(0);
  }

  @Test
  void aStandstillThatEndsBeforeTheLimitChangesNothing() {
    limit();
    time.standStill(LIMIT.minusSeconds(1));
    time.advance(Duration.ofSeconds(1));
    assertThat(expired).hasValue(1);
  }

  @Test
  void aClosedLimitNeverExpiresAlsoBehindAStandstill() {
    TimeLimit closed = limit();
    closed.close();
    time.advance(LONG);
    TimeLimit closedLate = limit();
    time.standStill(LONG);
    closedLate.close();
    time.advance(LONG);
    assertThat(expired).hasValue(0);
  }

  @Test
  void silenceIsBelievedAtTheSecondLookInARow() {
    SecondLook look = new SecondLook();
    assertThat(look.confirms(true)).isFalse();
    assertThat(look.confirms(true)).isTrue();
    assertThat(look.confirms(false)).isFalse();
    assertThat(look.confirms(true)).isFalse();
  }
}
