package dev.holdfast.store.messages;

import static dev.holdfast.store.engine.StoreRefusal.Cause.FULL;
import static dev.holdfast.store.engine.StoreRefusal.Cause.STOPPING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.FailureCode;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.StoreRefusal;
import dev.holdfast.time.ManualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InboxTest {
  @TempDir Path folder;

  @Test
  void anAcceptedEventIsThereAfterARestart() throws Exception {
    Event event;
    try (TestStore first = new TestStore(folder)) {
      event = first.append("t1", "k1");
      assertThat(first.find(event)).isEqualTo(event);
    }
    try (TestStore second = new TestStore(folder)) {
      assertThat(second.store.inbox().open(0, 10)).containsExactly(event);
      assertThat(second.store.inbox().openOf(event.threadId(), 0, 10)).containsExactly(event);
      assertThat(second.store.inbox().findByDedupeKey("k1")).containsExactly(event);
      assertThat(second.store.inbox().counts()).containsEntry("accepted", 1L);
      assertThat(second.equationHolds()).isTrue();
    }
  }

  @Test
  void oneKeySentBy64AtOnceIsOneEvent() throws Exception {
    try (TestStore it = new TestStore(folder);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      CyclicBarrier together = new CyclicBarrier(64);
      List<Future<Appended>> answers = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        answers.add(
            threads.submit(
                () -> {
                  together.await();
                  return it.store.inbox().append(TestStore.event("t1", "same")).join();
                }));
      }
      List<Appended> got = new ArrayList<>();
      for (Future<Appended> answer : answers) {
        got.add(answer.get());
      }
      assertThat(got.stream().filter(answer -> !answer.duplicate())).hasSize(1);
      assertThat(got.stream().map(answer -> answer.event().id()).collect(Collectors.toSet()))
          .hasSize(1);
      assertThat(it.store.inbox().counts()).containsEntry("accepted", 1L);
    }
  }

  @Test
  void theSameKeyOfAnotherSourceIsAnotherEvent() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      NewEvent one = TestStore.event("t1", "k");
      NewEvent two =
          new NewEvent("webhook:other", one.threadId(), "k", one.payload(), one.receivedAt());
      assertThat(it.store.inbox().append(one).join().duplicate()).isFalse();
      assertThat(it.store.inbox().append(two).join().duplicate()).isFalse();
      assertThat(it.store.inbox().findByDedupeKey("k")).hasSize(2);
    }
  }

  @Test
  void runsAreCountedAndParkingAndReleasingAreNotHeldAgainstTheEvent() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Inbox inbox = it.store.inbox();
      Event event = it.append("t1", "k1");
      assertThat(inbox.start(event.seq(), 3)).isEqualTo(1);
      inbox.park(event.seq(), "the model is unavailable", true);
      assertThat(it.find(event))
          .satisfies(
              parked -> {
                assertThat(parked.state()).isEqualTo(EventState.PARKED);
                assertThat(parked.attempts()).isZero();
                assertThat(parked.told()).isTrue();
              });
      assertThat(inbox.start(event.seq(), 3)).isEqualTo(1);
      inbox.release(event.seq());
      assertThat(it.find(event).state()).isEqualTo(EventState.PENDING);
      assertThat(inbox.counts()).containsEntry("pending", 1L).containsEntry("parked", 0L);
      assertThat(it.equationHolds()).isTrue();
    }
  }

  @Test
  void aRunThatWasCutOffWaitsAgainAndItsAttemptCounts() throws Exception {
    Event event;
    try (TestStore it = new TestStore(folder)) {
      event = it.append("t1", "k1");
      it.store.inbox().start(event.seq(), 3);
    }
    try (TestStore it = new TestStore(folder)) {
      assertThat(it.find(event).state()).isEqualTo(EventState.PENDING);
      assertThat(it.store.inbox().start(event.seq(), 3)).isEqualTo(2);
    }
  }

  @Test
  void aRunThatIsOneTooManyIsNotCounted() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Inbox inbox = it.store.inbox();
      Event event = it.append("t1", "k1");
      for (int run = 1; run <= 3; run++) {
        assertThat(inbox.start(event.seq(), 3)).isEqualTo(run);
      }
      assertThat(inbox.start(event.seq(), 3)).isEqualTo(4);
      assertThat(inbox.start(event.seq(), 3)).isEqualTo(4);
      assertThat(it.find(event).attempts()).isEqualTo(3);
    }
  }

  @Test
  void aFinishedEventCannotBeStartedAndASecondFinishChangesNothing() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Inbox inbox = it.store.inbox();
      Event event = it.append("t1", "k1");
      inbox.start(event.seq(), 3);
      inbox.finish(
          TestStore.finish(event, EventState.ANSWERED, TestStore.reply(event, "a.1", false)));
      inbox.finish(
          TestStore.finish(event, EventState.CANCELLED, TestStore.reply(event, "a.2", false)));
      assertThat(it.find(event).state()).isEqualTo(EventState.ANSWERED);
      assertThat(it.store.outbox().ofEvent(event.id())).hasSize(1);
      assertThat(it.store.stories().of(event.id())).hasSize(1);
      assertThatThrownBy(() -> inbox.start(event.seq(), 3))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.failure().code()).isEqualTo(FailureCode.INVALID_REQUEST));
      assertThat(it.equationHolds()).isTrue();
    }
  }

  @Test
  void oneBadOperationDoesNotTakeTheOthersOfItsCommitWithIt() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      List<CompletableFuture<Appended>> all = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        NewEvent good = TestStore.event("t1", "k" + i);
        all.add(it.store.inbox().append(i == 100 ? withoutPayload(good) : good));
      }
      long failed =
          all.stream().filter(answer -> answer.handle((_, e) -> e != null).join()).count();
      assertThat(failed).isEqualTo(1);
      assertThat(it.store.inbox().counts()).containsEntry("accepted", 199L);
      assertThat(it.store.inbox().open(0, 1000)).hasSize(199);
      assertThat(it.fatals).isEmpty();
    }
  }

  @SuppressWarnings("NullAway") // the bug of a caller
  private static NewEvent withoutPayload(NewEvent event) {
    return new NewEvent(
        event.source(), event.threadId(), event.dedupeKey(), null, event.receivedAt());
  }

  @Test
  void aFullInboxRefusesNewEventsAndStillKnowsOldOnes() throws Exception {
    InboxConfig three = new InboxConfig(3, 512, Duration.ofMillis(2), Duration.ofDays(7), 3);
    try (TestStore it = new TestStore(folder, three, new ManualTime())) {
      Event first = it.append("t1", "k1");
      it.append("t1", "k2");
      it.append("t2", "k3");
      CompletableFuture<Appended> fourth = it.store.inbox().append(TestStore.event("t2", "k4"));
      assertThatThrownBy(fourth::join)
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> {
                assertThat(e.failure().code()).isEqualTo(FailureCode.OVERLOADED);
                assertThat(e.failure().retryAfter()).isPositive();
              });
      assertThat(it.store.refusal()).get().extracting(StoreRefusal::cause).isEqualTo(FULL);
      assertThat(it.store.inbox().append(TestStore.event("t1", "k1")).join())
          .isEqualTo(new Appended(first, true));
      it.store.inbox().finish(TestStore.finish(first, EventState.SILENT));
      assertThat(it.store.refusal()).isEmpty();
      it.append("t2", "k4");
    }
  }

  @Test
  void oldFinishedEventsAreForgottenAndTheEquationStillHolds() throws Exception {
    ManualTime time = new ManualTime();
    InboxConfig hour = new InboxConfig(1000, 512, Duration.ofMillis(2), Duration.ofHours(1), 3);
    try (TestStore it = new TestStore(folder, hour, time)) {
      Event done = appendAt(it, "k1", time);
      Event open = appendAt(it, "k2", time);
      Event dead = appendAt(it, "k3", time);
      it.store
          .inbox()
          .finish(TestStore.finish(done, EventState.ANSWERED, TestStore.reply(done, "a.1", true)));
      it.store.inbox().finish(TestStore.finish(dead, EventState.DEAD_LETTERED));
      assertThat(it.purge()).isZero();
      time.jumpWall(Duration.ofDays(4000));
      assertThat(it.purge()).as("a jump of the clock forgets nothing").isZero();
      time.jumpWall(Duration.ofDays(-4000));
      time.advance(Duration.ofHours(2));
      assertThat(it.purge()).isEqualTo(1);
      assertThat(it.store.inbox().find(done.id())).isEmpty();
      assertThat(it.store.outbox().ofEvent(done.id())).isEmpty();
      assertThat(it.store.stories().of(done.id())).isEmpty();
      assertThat(it.store.inbox().find(open.id())).isPresent();
      assertThat(it.store.inbox().find(dead.id())).isPresent();
      assertThat(it.store.inbox().counts())
          .containsEntry("accepted", 3L)
          .containsEntry("answered", 1L);
      assertThat(appendAt(it, "k4", time).seq()).isEqualTo(4);
    }
    try (TestStore it = new TestStore(folder, hour, time)) {
      assertThat(it.store.inbox().counts()).containsEntry("accepted", 4L);
      assertThat(it.equationHolds()).isTrue();
    }
  }

  private static Event appendAt(TestStore it, String key, ManualTime time) {
    return it.store
        .inbox()
        .append(new NewEvent("webhook:ci", "webhook:ci:t1", key, "{}", time.now()))
        .join()
        .event();
  }

  @Test
  void idsGrowEvenWhenTheClockGoesBack() {
    ManualTime time = new ManualTime();
    Ids ids = new Ids(time);
    List<String> made = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      if (i == 500) {
        time.jumpWall(Duration.ofDays(-3650));
      }
      made.add(ids.next());
    }
    assertThat(made).isSorted().doesNotHaveDuplicates();
    assertThat(made.getFirst().charAt(14)).isEqualTo('7');
  }

  @Test
  void aThreadIsListedWithItsEvents() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Event one = it.append("a", "k1");
      Event two = it.append("a", "k2");
      it.append("b", "k3");
      it.store.inbox().finish(TestStore.finish(one, EventState.SILENT));
      List<ChatThreads.ThreadRow> rows = it.store.chatThreads().list(ThreadReader.OPERATOR, "", 10);
      assertThat(rows.stream().map(ChatThreads.ThreadRow::threadId))
          .containsExactlyInAnyOrder("webhook:ci:a", "webhook:ci:b");
      ChatThreads.ThreadRow a = it.store.chatThreads().find("webhook:ci:a").orElseThrow();
      assertThat(rows).contains(a);
      assertThat(a.events()).isEqualTo(2);
      assertThat(a.open()).isEqualTo(1);
      assertThat(it.store.chatThreads().find("webhook:ci:b")).isPresent();
      assertThat(it.store.inbox().ofThread("webhook:ci:a", 10).stream().map(Event::seq))
          .containsExactly(two.seq(), one.seq());
    }
  }

  @Test
  void threadsAreListedByTheirLastMessageAndNoneComesTwiceWhilePagesAreTurned() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Instant start = Instant.parse("2026-01-01T00:00:00Z");
      for (int i = 0; i < 7; i++) {
        append(it, "t" + i, "k" + i, start.plusSeconds(i / 2)); // some at the same moment
      }
      List<String> seen = new ArrayList<>();
      String place = "";
      for (int page = 0; page < 4; page++) {
        List<ChatThreads.ThreadRow> rows =
            it.store.chatThreads().list(ThreadReader.OPERATOR, place, 2);
        rows.forEach(row -> seen.add(row.threadId()));
        place = rows.getLast().place();
        append(it, "t6", "again" + page, start.plusSeconds(100 + page)); // moves to the front
        append(it, "new" + page, "n" + page, start.plusSeconds(100 + page));
      }
      assertThat(seen)
          .containsExactly(
              "webhook:ci:t6",
              "webhook:ci:t5",
              "webhook:ci:t4",
              "webhook:ci:t3",
              "webhook:ci:t2",
              "webhook:ci:t1",
              "webhook:ci:t0");
      assertThat(it.store.chatThreads().list(ThreadReader.OPERATOR, "", 1).getFirst().threadId())
          .isEqualTo("webhook:ci:new3");
      assertThatThrownBy(
              () -> it.store.chatThreads().list(ThreadReader.OPERATOR, "webhook:ci:t1", 2))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static void append(TestStore it, String thread, String key, Instant at) {
    it.store
        .inbox()
        .append(new NewEvent("webhook:ci", "webhook:ci:" + thread, key, "{}", at))
        .join();
  }

  @Test
  void aRefusalOfTheIntakeSaysSo() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      it.append("a", "k1");
      it.store.stopIntake();
      assertThat(it.store.refusal()).get().extracting(StoreRefusal::cause).isEqualTo(STOPPING);
      assertThatThrownBy(() -> it.append("a", "k2")).hasRootCauseInstanceOf(StoreException.class);
      assertThat(Set.of(it.store.inbox().open(0, 10).size())).containsExactly(1);
    }
  }

  @Test
  void aPageOfLargeMessagesIsShortAndNoneIsLeftOut() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Inbox inbox = it.store.inbox();
      String payload = "{\"text\":\"" + "x".repeat(1 << 20) + "\"}";
      for (int i = 0; i < 12; i++) {
        inbox.append(TestStore.event("t1", "k" + i, payload)).join();
      }
      List<Long> seqs = new ArrayList<>();
      List<Event> page = inbox.open(0, 500);
      while (!page.isEmpty()) {
        assertThat(page.stream().mapToLong(event -> event.payload().length()).sum())
            .isLessThan(Inbox.PAGE_UNITS_MAX + payload.length());
        page.forEach(event -> seqs.add(event.seq()));
        page = inbox.open(seqs.getLast(), 500);
      }
      assertThat(seqs).hasSize(12).isSorted().doesNotHaveDuplicates();
      assertThat(inbox.openOf("webhook:ci:t1", 0, 500)).hasSizeLessThan(12);
    }
  }
}
