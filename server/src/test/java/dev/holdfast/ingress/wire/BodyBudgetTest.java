package dev.holdfast.ingress.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ingress.wire.BodyBudget.Booking;
import dev.holdfast.ingress.wire.BodyBudget.Grant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BodyBudgetTest {
  private final BodyBudget budget = new BodyBudget(1_000);
  private final List<String> madeRoom = new ArrayList<>();

  private Booking stranger(String name, String... holders) {
    return budget.open(List.of(holders), false, () -> madeRoom.add(name));
  }

  private Booking known(String name, String... holders) {
    return budget.open(List.of(holders), true, () -> madeRoom.add(name));
  }

  @Test
  void whatHasNotArrivedTakesNothing() {
    for (int i = 0; i < 100; i++) {
      stranger("idle", "a");
    }
    assertThat(stranger("honest", "a").add(250)).isEqualTo(Grant.GRANTED);
    assertThat(madeRoom).isEmpty();
  }

  @Test
  void theOldestUnfinishedBodyOfAHolderMakesRoomForItsNext() {
    Booking other = stranger("other", "b");
    assertThat(other.add(100)).isEqualTo(Grant.GRANTED);
    assertThat(stranger("first", "a").add(150)).isEqualTo(Grant.GRANTED);
    assertThat(stranger("second", "a").add(150)).isEqualTo(Grant.GRANTED);
    assertThat(madeRoom).containsExactly("first");
    assertThat(budget.bytes()).isEqualTo(500);
  }

  @Test
  void theOldestItselfIsRefusedWhenItAsksForMoreThanItsShare() {
    Booking slow = stranger("slow", "a");
    assertThat(slow.add(200)).isEqualTo(Grant.GRANTED);
    Booking next = stranger("next", "a");
    assertThat(next.add(50)).isEqualTo(Grant.GRANTED);
    assertThat(slow.add(1)).isEqualTo(Grant.SHARE_IS_USED);
    assertThat(madeRoom).isEmpty();
  }

  @Test
  void anAccountHasItsShareWhateverTheAddress() {
    assertThat(stranger("x", "a", "account").add(150)).isEqualTo(Grant.GRANTED);
    assertThat(stranger("y", "b", "account").add(150)).isEqualTo(Grant.GRANTED);
    assertThat(madeRoom).containsExactly("x");
    assertThat(stranger("z", "a", "other").add(150)).isEqualTo(Grant.GRANTED);
    assertThat(madeRoom).containsExactly("x");
  }

  @Test
  void aBodyThatHasComeMakesNoRoomAndStillCounts() {
    for (String holder : List.of("a", "b")) {
      Booking whole = stranger(holder, holder);
      assertThat(whole.add(250)).isEqualTo(Grant.GRANTED);
      whole.complete();
    }
    Booking late = stranger("late", "c");
    assertThat(late.add(1)).isEqualTo(Grant.ALL_IS_USED);
    late.close();
    assertThat(stranger("same", "a").add(1)).isEqualTo(Grant.SHARE_IS_USED);
    assertThat(madeRoom).isEmpty();
  }

  @Test
  void strangersMakeRoomForKnownCallersAndNotTheOtherWayRound() {
    Booking caller = known("caller", "a");
    assertThat(caller.add(250)).isEqualTo(Grant.GRANTED);
    assertThat(stranger("stranger", "b").add(250)).isEqualTo(Grant.GRANTED);
    assertThat(stranger("next", "c").add(10)).isEqualTo(Grant.GRANTED);
    assertThat(known("second", "d").add(240)).isEqualTo(Grant.GRANTED);
    assertThat(madeRoom).containsExactly("stranger");
    assertThat(stranger("last", "e").add(10)).isEqualTo(Grant.GRANTED);
    assertThat(madeRoom).containsExactly("stranger", "next");
  }

  @Test
  void allIsGivenBackAtTheEnd() {
    Booking body = stranger("body", "a", "account");
    assertThat(body.add(100)).isEqualTo(Grant.GRANTED);
    body.complete();
    body.close();
    body.close();
    assertThat(budget.bytes()).isZero();
    assertThat(budget.holders()).isZero();
    assertThat(body.add(1)).isEqualTo(Grant.ALL_IS_USED);
  }

  @Test
  void aBodyThatMadeRoomHasNothingToGiveBack() {
    Booking first = stranger("first", "a");
    assertThat(first.add(200)).isEqualTo(Grant.GRANTED);
    Booking second = stranger("second", "a");
    assertThat(second.add(200)).isEqualTo(Grant.GRANTED);
    first.close();
    assertThat(budget.bytes()).isEqualTo(400);
    assertThat(budget.holders()).isOne();
  }
}
