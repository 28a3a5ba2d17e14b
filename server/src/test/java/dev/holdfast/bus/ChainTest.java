package dev.holdfast.bus;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each move of the chain, and what may be published after it. */
@Timeout(10)
class ChainTest {
  private static final int LENGTH_MAX = 512;
  private static final int LENGTH_MIN = 16;

  private final Chain chain = new Chain();
  private int seq;

  private Chain.Link add() {
    return add("{}");
  }

  private Chain.Link add(String payload) {
    seq++;
    return chain.add(
        new QueuedEvent(seq, "event-" + seq, "holdfast.events.x", payload, 0, true), null);
  }

  /** How many it takes before it wants answers. */
  private int grow() {
    int count = 0;
    while (chain.mayGrow()) {
      var _ = add();
      count++;
    }
    return count;
  }

  private void answerAll() {
    for (int i = 1; i <= seq; i++) {
      var _ = chain.remove(i);
    }
  }

  @Test
  void eachNamesTheOneBeforeItAndTheFirstNobody() {
    assertThat(add().isFirst()).isTrue();
    assertThat(add().after()).isEqualTo("event-1");
    assertThat(chain.remove(1)).isNotNull();
    assertThat(add().after()).isEqualTo("event-2");
    answerAll();
    assertThat(chain.isEmpty()).isTrue();
    assertThat(add().isFirst()).as("all before it were answered").isTrue();
  }

  @Test
  void itGrowsToItsLengthAndNoFurther() {
    assertThat(grow()).isEqualTo(LENGTH_MAX);
    assertThat(chain.remove(7)).isNotNull();
    assertThat(chain.mayGrow()).isTrue();
    assertThat(chain.remove(7)).as("it was answered before").isNull();
    assertThat(grow()).isEqualTo(1);
  }

  @Test
  void itHoldsSoMuchTextAndAtLeastOneEvent() {
    var _ = add("x".repeat(5 * 1024 * 1024));
    assertThat(chain.mayGrow()).isFalse();
    answerAll();
    assertThat(grow()).isEqualTo(LENGTH_MAX);
  }

  @Test
  void aBrokenOneTakesNothingUntilAllWereAnswered() {
    var _ = add();
    var _ = add();
    chain.broke();
    assertThat(chain.isBroken()).isTrue();
    assertThat(chain.mayGrow()).isFalse();
    var _ = chain.remove(1);
    assertThat(chain.mayGrow()).isFalse();
    var _ = chain.remove(2);
    assertThat(chain.mayGrow()).isTrue();
    assertThat(add().isFirst()).isTrue();
    assertThat(chain.isBroken()).isFalse();
  }

  @Test
  void othersMakeItShorterAndWhatIsStoredLonger() {
    chain.disturbed();
    assertThat(grow()).isEqualTo(LENGTH_MAX / 2);
    answerAll();
    for (int i = 0; i < 10; i++) {
      chain.disturbed();
    }
    assertThat(grow()).isEqualTo(LENGTH_MIN);
    answerAll();
    chain.stored();
    assertThat(grow()).isEqualTo(LENGTH_MIN + 1);
    answerAll();
    for (int i = 0; i < 2 * LENGTH_MAX; i++) {
      chain.stored();
    }
    assertThat(grow()).isEqualTo(LENGTH_MAX);
  }

  @Test
  void whatWasUnderWayIsHandedBackInItsOrder() {
    var _ = add();
    var _ = add();
    chain.disturbed();
    chain.broke();
    assertThat(chain.clear()).extracting(link -> link.event().seq()).containsExactly(1L, 2L);
    assertThat(chain.isEmpty()).isTrue();
    assertThat(add().isFirst()).isTrue();
    assertThat(chain.isBroken()).isFalse();
    answerAll();
    assertThat(grow()).isEqualTo(LENGTH_MAX);
  }
}
