package dev.holdfast.store.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.ModelCallRow;
import dev.holdfast.store.ledgers.Usage;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutboxTest {
  private static final Instant FAR = Instant.parse("2200-01-01T00:00:00Z");

  @TempDir Path folder;

  private static Reply answered(TestStore it, String key) throws StoreException {
    Event event = it.append("t1", key);
    it.store.inbox().start(event.seq(), 3);
    it.store
        .inbox()
        .finish(TestStore.finish(event, EventState.ANSWERED, TestStore.reply(event, "a.1", false)));
    return it.store.outbox().ofEvent(event.id()).getFirst();
  }

  private static EventState stateOf(TestStore it, Reply reply) {
    return it.store.inbox().find(reply.reply().eventId()).orElseThrow().state();
  }

  private static Reply again(TestStore it, Reply reply) {
    return it.store.outbox().find(reply.reply().id()).orElseThrow();
  }

  @Test
  void aReplyIsPlannedWithTheEndOfItsEventAndAnnouncedAfterTheCommit() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      List<String> heard = Collections.synchronizedList(new ArrayList<>());
      it.store.outbox().onPlanned(heard::add);
      Reply reply = answered(it, "k1");
      assertThat(heard).containsExactly("webhook:ci:t1");
      assertThat(reply.state()).isEqualTo(ReplyState.PLANNED);
      assertThat(it.store.outbox().depth()).isEqualTo(1);
      it.store.outbox().sending(reply.seq(), false);
      it.store.outbox().sent(reply.seq(), "p1");
      assertThat(again(it, reply).state()).isEqualTo(ReplyState.SENT);
      assertThat(again(it, reply).detail()).isEqualTo("p1");
      assertThat(again(it, reply).attempts()).isEqualTo(1);
      assertThat(it.store.outbox().depth()).isZero();
      assertThat(stateOf(it, reply)).isEqualTo(EventState.ANSWERED);
    }
  }

  @Test
  void aReplyIsPlannedAsBeingSentWhenItsPosterBeginsAtOnce() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Outbox outbox = it.store.outbox();
      Begun begun = new Begun();
      outbox.onPlanning(begun);
      Reply first = answered(it, "k1");
      assertThat(first.state()).isEqualTo(ReplyState.SENDING);
      assertThat(first.attempts()).isEqualTo(1);
      assertThat(answered(it, "k2").state()).isEqualTo(ReplyState.PLANNED); // not the first one
      outbox.sent(first.seq(), "p1");
      assertThat(again(it, first).attempts()).isEqualTo(1);
      assertThat(begun.seqs).containsExactly(first.seq());
      outbox.plan(List.of(first.reply()));
      assertThat(again(it, first).state()).isEqualTo(ReplyState.SENT);
      assertThat(begun.seqs).containsExactly(first.seq());
    }
  }

  @Test
  void whatIsNotPlannedAfterAllIsNotBegun() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Begun begun = new Begun();
      it.store.outbox().onPlanning(begun);
      Reply first = answered(it, "k1");
      it.store.outbox().sent(first.seq(), "p1");
      it.store.outbox().plan(List.of(first.reply())); // known
      assertThat(begun.seqs).containsExactly(first.seq());
      NewReply other = TestStore.reply(it.append("t2", "k2"), "a.1", false);
      NewReply last = TestStore.reply(it.append("refused", "k3"), "a.1", false);
      assertThatThrownBy(() -> it.store.outbox().plan(List.of(other, last)))
          .isInstanceOf(RuntimeException.class);
      assertThat(it.store.outbox().find(other.id())).isEmpty();
      assertThat(begun.seqs).containsExactly(first.seq());
      assertThat(begun.forgotten).hasSizeGreaterThan(1);
    }
  }

  /** Begins each reply it is asked about; fails for one chat thread. */
  private static final class Begun implements FirstPosts {
    private final List<Long> seqs = new ArrayList<>();
    private final List<Long> forgotten = new ArrayList<>();

    @Override
    public synchronized boolean begin(long seq, NewReply reply) {
      if (reply.threadId().endsWith(":refused")) {
        throw new IllegalStateException("a bug");
      }
      seqs.add(seq);
      return true;
    }

    @Override
    public synchronized void forget(long seq) {
      seqs.remove(seq);
      forgotten.add(seq);
    }
  }

  @Test
  void aReplyThatItsReaderFetchesIsBornSent() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Event event = it.append("t1", "k1");
      it.store
          .inbox()
          .finish(
              TestStore.finish(event, EventState.ANSWERED, TestStore.reply(event, "a.1", true)));
      assertThat(it.store.outbox().ofThread(event.threadId(), 0, 10))
          .singleElement()
          .satisfies(reply -> assertThat(reply.state()).isEqualTo(ReplyState.SENT));
      assertThat(it.store.outbox().depth()).isZero();
    }
  }

  @Test
  void aResendIsKnownAsOneAndAStragglerChangesNothing() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Outbox outbox = it.store.outbox();
      Reply reply = answered(it, "k1");
      outbox.sending(reply.seq(), false);
      outbox.unknown(reply.seq(), FAR, "timeout");
      assertThat(again(it, reply).unknowns()).isEqualTo(1);
      outbox.sending(reply.seq(), true);
      outbox.sent(reply.seq(), "p1");
      outbox.unknown(reply.seq(), FAR, "late");
      outbox.rejected(reply.seq(), "late");
      assertThat(again(it, reply).state()).isEqualTo(ReplyState.RESENT);
      assertThat(again(it, reply).attempts()).isEqualTo(2);
      assertThat(stateOf(it, reply)).isEqualTo(EventState.ANSWERED);
    }
  }

  @Test
  void aTryThatDoesNotCountLeavesTheAttemptsAsTheyWere() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Reply reply = answered(it, "k1");
      it.store.outbox().sending(reply.seq(), false);
      it.store.outbox().retryAt(reply.seq(), FAR, "429", false, Duration.ofSeconds(7));
      assertThat(again(it, reply).attempts()).isZero();
      assertThat(again(it, reply).nextAt()).isEqualTo(FAR);
      it.store.outbox().sending(reply.seq(), false);
      it.store.outbox().retryAt(reply.seq(), FAR, "refused", true, Duration.ofSeconds(5));
      assertThat(again(it, reply).attempts()).isEqualTo(1);
      assertThat(it.store.outbox().open(0, 10)).hasSize(1);
    }
  }

  @Test
  void aRejectedReplyIsADeadLetterAndSoIsItsEventUntilItIsReplayed() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Reply reply = answered(it, "k1");
      it.store.outbox().sending(reply.seq(), false);
      it.store.outbox().rejected(reply.seq(), "410 gone");
      assertThat(stateOf(it, reply)).isEqualTo(EventState.DEAD_LETTERED);
      assertThat(it.store.deadLetters().counts(ThreadReader.OPERATOR)).containsEntry("reply", 1L);
      DeadLetter letter =
          it.store.deadLetters().list(ThreadReader.OPERATOR, "reply", FAR, 10).getFirst();
      assertThat(letter.reason()).isEqualTo("410 gone");
      assertThat(letter.payload()).isEqualTo("the answer");
      assertThat(letter.dedupeKey()).isEqualTo("k1");

      assertThat(it.store.deadLetters().replay(letter.id())).isTrue();
      assertThat(it.store.deadLetters().replay(letter.id())).isFalse();
      assertThat(it.store.deadLetters().find(letter.id())).isPresent();
      assertThat(it.store.deadLetters().list(ThreadReader.OPERATOR, "", FAR, 10)).isEmpty();
      assertThat(again(it, reply).state()).isEqualTo(ReplyState.PLANNED);
      assertThat(again(it, reply).attempts()).isZero();
      assertThat(stateOf(it, reply)).isEqualTo(EventState.ANSWERED);
      assertThat(it.equationHolds()).isTrue();
    }
  }

  @Test
  void aLetterThatFailsAgainIsNewerThanTheBoundOfItsReplay() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Reply reply = answered(it, "k1");
      it.store.outbox().sending(reply.seq(), false);
      it.store.outbox().rejected(reply.seq(), "404");
      long bound = it.store.deadLetters().newest();
      DeadLetter letter = oldest(it, bound).getFirst();
      assertThat(it.store.deadLetters().replay(letter.id())).isTrue();
      it.store.outbox().rejected(reply.seq(), "404");
      assertThat(it.store.deadLetters().list(ThreadReader.OPERATOR, "", FAR, 10)).hasSize(1);
      assertThat(oldest(it, bound)).isEmpty();
      assertThat(oldest(it, it.store.deadLetters().newest())).hasSize(1);
    }
  }

  private static List<DeadLetter> oldest(TestStore it, long upTo) {
    return it.store.deadLetters().oldest(ThreadReader.OPERATOR, "", FAR, upTo, 10);
  }

  @Test
  void aHeldReplyHoldsItsEvent() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Reply reply = answered(it, "k1");
      it.store.outbox().held(reply.seq(), "older than an hour");
      assertThat(stateOf(it, reply)).isEqualTo(EventState.HELD);
      assertThat(it.store.inbox().counts()).containsEntry("held", 1L).containsEntry("answered", 0L);
      DeadLetter letter =
          it.store.deadLetters().list(ThreadReader.OPERATOR, "", FAR, 10).getFirst();
      assertThat(it.store.deadLetters().discard(letter.id())).isTrue();
      assertThat(it.store.deadLetters().discard(letter.id())).isFalse();
      assertThat(it.store.deadLetters().counts(ThreadReader.OPERATOR)).containsEntry("reply", 0L);
      assertThat(stateOf(it, reply)).isEqualTo(EventState.HELD);
    }
  }

  @Test
  void aRejectedNoticeDoesNotEndItsEvent() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Event event = it.append("t1", "k1");
      it.store.outbox().plan(List.of(TestStore.reply(event, "n.1", false)));
      it.store.outbox().plan(List.of(TestStore.reply(event, "n.1", false)));
      Reply notice = it.store.outbox().openOf(event.threadId(), 10).getFirst();
      assertThat(it.store.outbox().depth()).isEqualTo(1);
      it.store.outbox().rejected(notice.seq(), "404");
      assertThat(it.find(event).state()).isEqualTo(EventState.PENDING);
      it.store.inbox().finish(TestStore.finish(event, EventState.ANSWERED));
      assertThat(it.find(event).state()).isEqualTo(EventState.ANSWERED);
    }
  }

  @Test
  void anEventComesBackUnderItsOldIdWhenItsLetterIsReplayed() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Event event = it.append("t1", "k1");
      it.store.inbox().start(event.seq(), 3);
      it.store.inbox().finish(TestStore.finish(event, EventState.DEAD_LETTERED));
      DeadLetter letter =
          it.store.deadLetters().list(ThreadReader.OPERATOR, "event", FAR, 10).getFirst();
      assertThat(letter.eventId()).isEqualTo(event.id());
      assertThat(letter.payload()).isEqualTo(event.payload());
      assertThat(letter.attempts()).isEqualTo(1);
      assertThat(it.store.deadLetters().replay(letter.id())).isTrue();
      assertThat(it.store.deadLetters().replay(letter.id())).isFalse();
      Event back = it.find(event);
      assertThat(back).usingRecursiveComparison().ignoringFields("replays").isEqualTo(event);
      assertThat(back.replays()).isEqualTo(1);
      assertThat(it.store.deadLetters().replay("unknown")).isFalse();
      assertThat(it.store.inbox().counts())
          .containsEntry("pending", 1L)
          .containsEntry("dead_lettered", 0L);
      assertThat(it.equationHolds()).isTrue();
    }
  }

  @Test
  void usageIsSummedAndStoriesAreTold() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Event event = it.append("t1", "k1");
      Instant at = Instant.parse("2026-01-01T00:00:00Z");
      for (int i = 0; i < 3; i++) {
        it.store
            .usage()
            .add(
                new ModelCallRow(
                    event.id(), event.threadId(), at, "p", "m", "ok", 10, 5, 1, 2, 0.5, 7, 9));
      }
      it.store.stories().add(new StoryLine(event.id(), at, "turn.started", "{\"attempt\":1}"));
      it.store.inbox().park(event.seq(), "no model", true);
      assertThat(it.store.usage().ofEvent(event.id())).hasSize(3);
      assertThat(it.store.usage().sums(at))
          .containsExactly(new Usage.Sum("p", "m", "ok", 3, 30, 15, 1.5));
      assertThat(it.store.usage().ofThread(event.threadId()))
          .isEqualTo(new Usage.ThreadTotal(3, 39, 15, 1.5));
      assertThat(it.store.usage().ofThread("other")).isEqualTo(new Usage.ThreadTotal(0, 0, 0, 0));
      assertThat(it.store.usage().models(List.of(event.id(), "other")))
          .containsExactly(Map.entry(event.id(), "m"));
      assertThat(it.store.stories().of(event.id())).hasSize(1);
      assertThat(it.find(event).told()).isTrue();
    }
  }

  @Test
  void aListOfLargeDeadLettersIsShort() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      String payload = "{\"text\":\"" + "x".repeat(1 << 20) + "\"}";
      for (int i = 0; i < 8; i++) {
        Event event =
            it.store.inbox().append(TestStore.event("t1", "k" + i, payload)).join().event();
        it.store.inbox().finish(TestStore.finish(event, EventState.DEAD_LETTERED));
      }
      assertThat(
              it.store.deadLetters().list(ThreadReader.OPERATOR, "", FAR, 1000).stream()
                  .mapToLong(letter -> letter.payload().length())
                  .sum())
          .isBetween(DeadLetters.LIST_UNITS_MAX, DeadLetters.LIST_UNITS_MAX + payload.length());
      for (List<DeadLetter> some =
              it.store.deadLetters().list(ThreadReader.OPERATOR, "", FAR, 1000);
          !some.isEmpty();
          some = it.store.deadLetters().list(ThreadReader.OPERATOR, "", FAR, 1000)) {
        for (DeadLetter letter : some) {
          assertThat(it.store.deadLetters().replay(letter.id())).isTrue();
        }
      }
      assertThat(it.store.inbox().counts()).containsEntry("pending", 8L);
    }
  }
}
