package dev.holdfast.agents.thread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.context.MemoryBudget;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class MailboxTest {
  private boolean held;
  private final Mailbox mailbox = new Mailbox(3, new MemoryBudget(1_000_000), () -> held);

  @Test
  void aNewMailboxLooksOnDiskBeforeItTakesWhatIsNew() {
    mailbox.offer(event(7));
    assertThat(mailbox.wantsRefill()).isTrue();
    assertThat(take()).isEmpty();
    mailbox.beginRefill();
    mailbox.refill(List.of(event(5), event(6), event(7)), true);
    assertThat(take()).containsExactly(5L);
  }

  @Test
  void anEventThatComesDuringTheRefillIsNotLost() {
    mailbox.beginRefill();
    mailbox.offer(event(9)); // committed after disk was read
    mailbox.refill(List.of(event(5)), true);
    assertThat(take()).containsExactly(5L);
    assertThat(take()).containsExactly(9L);
  }

  @Test
  void anEventThatComesWhileAFullPageIsReadDoesNotOvertakeThoseBehindThePage() {
    mailbox.beginRefill();
    mailbox.offer(event(30));
    mailbox.refill(List.of(event(1), event(2), event(3)), false);
    assertThat(List.of(take(), take(), take(), take()))
        .containsExactly(List.of(1L), List.of(2L), List.of(3L), List.of());
    assertThat(mailbox.wantsRefill()).isTrue();
  }

  @Test
  void whileItIsHeldItGivesNothingOut() {
    mailbox.beginRefill();
    mailbox.offer(event(2));
    held = true;
    mailbox.refill(List.of(event(1)), true);
    assertThat(take()).isEmpty();
    assertThat(mailbox.takeJoining(_ -> true)).isEmpty();
    assertThat(mailbox.takeOvertaking()).isEmpty();
    assertThat(mailbox.hasNothingToGiveOut()).isTrue();
    mailbox.reread();
    assertThat(mailbox.wantsRefill()).isFalse();
    held = false;
    assertThat(mailbox.wantsRefill()).isTrue();
    assertThat(mailbox.hasNothingToGiveOut()).isFalse();
  }

  @Test
  void whatDoesNotFitStaysOnDiskAndKeepsItsPlace() {
    refill();
    LongStream.rangeClosed(1, 5).forEach(seq -> mailbox.offer(event(seq)));
    assertThat(mailbox.size()).isEqualTo(3);
    assertThat(List.of(take(), take(), take()))
        .containsExactly(List.of(1L), List.of(2L), List.of(3L));
    assertThat(mailbox.wantsRefill()).isTrue();
    assertThat(mailbox.hasNothingToGiveOut()).isFalse();
  }

  @Test
  void afterAnOverflowALaterEventDoesNotOvertakeThoseOnDisk() {
    refill();
    LongStream.rangeClosed(1, 4).forEach(seq -> mailbox.offer(event(seq)));
    take();
    mailbox.offer(event(5)); // there is room, but 4 is on disk
    assertThat(List.of(take(), take(), take()))
        .containsExactly(List.of(2L), List.of(3L), List.of());
  }

  @Test
  void collectedMessagesBecomeOneTurn() {
    refill(1, 2, 3);
    assertThat(mailbox.take(incoming -> incoming.seq() < 3).stream().map(Incoming::seq))
        .containsExactly(1L, 2L);
    assertThat(mailbox.take(incoming -> incoming.seq() < 3).stream().map(Incoming::seq))
        .containsExactly(3L);
  }

  @Test
  void whatWouldTakeMoreThanItsRoomStaysOnDisk() {
    Mailbox small = new Mailbox(100, new MemoryBudget(event(1).units() * 2), () -> false);
    small.beginRefill();
    small.refill(List.of(), true);
    LongStream.rangeClosed(1, 5).forEach(seq -> small.offer(event(seq)));
    assertThat(small.size()).isEqualTo(2);
    small.clear();
    small.beginRefill();
    small.refill(List.of(event(1), event(2), event(3)), true);
    assertThat(small.size()).isEqualTo(2);
    assertThat(small.hasNothingToGiveOut()).isFalse();
  }

  @Test
  void whatIsOfferedWhileDiskIsToBeReadTakesNoMemory() {
    MemoryBudget budget = new MemoryBudget(event(1).units());
    Mailbox left = new Mailbox(100, budget, () -> false);
    left.beginRefill();
    left.refill(List.of(), true);
    left.reread();
    left.offer(event(1));
    assertThat(budget.tryTake(event(1).units())).isTrue();
  }

  private void refill(long... seqs) {
    mailbox.beginRefill();
    mailbox.refill(List.of(), true);
    LongStream.of(seqs).mapToObj(MailboxTest::event).forEach(mailbox::offer);
  }

  private List<Long> take() {
    return mailbox.take(_ -> false).stream().map(Incoming::seq).toList();
  }

  private static Incoming event(long seq) {
    String payload =
        InboundPayload.write(new InboundMessage("main", "t", "me", "hello", List.of(), "k" + seq));
    return Incoming.of(
        new Event(
            seq,
            "e" + seq,
            "web:main",
            "web:main:t",
            "k" + seq,
            payload,
            Instant.EPOCH,
            EventState.PENDING,
            0,
            false,
            0));
  }
}
