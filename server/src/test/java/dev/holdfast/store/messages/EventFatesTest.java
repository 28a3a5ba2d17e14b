package dev.holdfast.store.messages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.TestStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventFatesTest {
  @TempDir Path folder;

  @Test
  void onlyWhatWasAcceptedBetweenTheMarksIsCounted() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Inbox inbox = it.store.inbox();
      Event before = it.append("t0", "k0");
      MessageMark mark = inbox.mark();
      Event answered = it.append("t1", "k1");
      Event open = it.append("t2", "k2");
      MessageMark end = inbox.mark();
      it.append("t3", "k3");
      inbox.finish(
          TestStore.finish(before, EventState.ANSWERED, TestStore.reply(before, "a", false)));
      inbox.finish(
          TestStore.finish(answered, EventState.ANSWERED, TestStore.reply(answered, "a", false)));
      EventFates fates = inbox.fates(mark, end);
      assertThat(fates.states()).isEqualTo(Map.of(EventState.ANSWERED, 1L, EventState.PENDING, 1L));
      assertThat(fates.accepted()).isEqualTo(2);
      assertThat(fates.open()).isEqualTo(1);
      assertThat(fates.threads()).isEqualTo(2);
      assertThat(fates.openReplies()).isEqualTo(1);
      assertThat(fates.answeredTwice()).isZero();
      assertThat(fates.resent()).isZero();
      assertThat(fates.told()).isEmpty();
      it.store.outbox().plan(List.of(TestStore.reply(open, "n", true)));
      assertThat(inbox.fates(mark, new MessageMark(end.event(), inbox.mark().reply())).told())
          .singleElement()
          .satisfies(told -> assertThat(told.times()).isEqualTo(1));
    }
  }

  @Test
  void twoEndsOfOneEventAreFound() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      MessageMark mark = it.store.inbox().mark();
      Event event = it.append("t1", "k1");
      it.store
          .inbox()
          .finish(
              TestStore.finish(
                  event,
                  EventState.ANSWERED,
                  TestStore.reply(event, "a", true),
                  TestStore.reply(event, "b", true)));
      EventFates fates = it.store.inbox().fates(mark, it.store.inbox().mark());
      assertThat(fates.answeredTwice()).isEqualTo(1);
      assertThat(fates.openReplies()).isZero();
    }
  }
}
