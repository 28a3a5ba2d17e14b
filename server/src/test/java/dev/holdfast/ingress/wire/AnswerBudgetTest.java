package dev.holdfast.ingress.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ingress.wire.AnswerBudget.Booking;
import dev.holdfast.ingress.wire.AnswerBudget.Grant;
import dev.holdfast.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnswerBudgetTest {
  private static final int MIB = 1024 * 1024;

  /** A caller's share is what two large answers take. */
  private static final long ALL = 128L * MIB;

  private final ManualTime time = new ManualTime();
  private final AnswerBudget budget = new AnswerBudget(ALL, Duration.ZERO, time);

  private Booking taken(String caller) throws InterruptedException {
    Booking booking = budget.open(caller);
    assertThat(booking.take()).isEqualTo(Grant.GRANTED);
    return booking;
  }

  private Grant asked(String caller) throws InterruptedException {
    return budget.open(caller).take();
  }

  @Test
  void aCallerHasHalfAndOthersTheRest() throws Exception {
    taken("ann");
    taken("ann");
    assertThat(asked("ann")).isEqualTo(Grant.SHARE_IS_USED);
    taken("bob");
    taken("bob");
    assertThat(asked("carol")).isEqualTo(Grant.ALL_IS_USED);
    assertThat(budget.bytes()).isEqualTo(ALL);
  }

  @Test
  void anAnswerThatIsMadeKeepsWhatItTakesUntilItIsWritten() throws Exception {
    Booking first = taken("ann");
    first.leaves(3 * MIB, () -> {});
    assertThat(budget.bytes()).isEqualTo(3 * MIB);
    first.close();
    first.close();
    assertThat(budget.bytes()).isZero();
    assertThat(budget.callers()).isZero();
  }

  @Test
  void whatWasRefusedTakesNothing() throws Exception {
    Booking one = taken("ann");
    Booking two = taken("ann");
    asked("ann");
    one.close();
    two.close();
    assertThat(budget.bytes()).isZero();
    assertThat(budget.callers()).isZero();
  }

  @Test
  void answersThatNobodyReadsAreCutWhenOthersWait() throws Exception {
    List<Booking> unread = new ArrayList<>();
    for (String caller : List.of("ann", "bob")) {
      for (int i = 0; i < 2; i++) {
        Booking booking = taken(caller);
        booking.leaves(32L * MIB, booking::close);
        unread.add(booking);
      }
    }
    assertThat(asked("carol")).isEqualTo(Grant.ALL_IS_USED);
    time.advance(Duration.ofSeconds(6));
    taken("carol");
    assertThat(budget.bytes()).isEqualTo(ALL);
    unread.getFirst().close(); // it was the oldest, and is closed already
    assertThat(budget.bytes()).isEqualTo(ALL);
  }

  @Test
  void answersThatACallerLeavesUnreadAreCutForThatCallersOthers() throws Exception {
    Booking unread = taken("ann");
    unread.leaves(32L * MIB, unread::close);
    Booking others = taken("bob");
    others.leaves(32L * MIB, () -> others.close());
    taken("ann");
    assertThat(asked("ann")).isEqualTo(Grant.SHARE_IS_USED);
    time.advance(Duration.ofSeconds(6));
    taken("ann");
    assertThat(budget.bytes())
        .as("what others leave unread is in nobody's way")
        .isEqualTo(96L * MIB);
  }

  @Test
  void aCallerMayAskForTheShareOfASmallHeap() throws Exception {
    AnswerBudget small = new AnswerBudget(12L * MIB, Duration.ZERO, time);
    assertThat(small.open("ann").take()).isEqualTo(Grant.GRANTED);
    assertThat(small.open("ann").take()).isEqualTo(Grant.SHARE_IS_USED);
    assertThat(small.open("bob").take()).isEqualTo(Grant.GRANTED);
  }
}
