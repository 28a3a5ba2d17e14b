package dev.holdfast.incidents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.Secrets;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.Finish;
import dev.holdfast.store.messages.InboxConfig;
import dev.holdfast.store.messages.StoryLine;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is told of an unclean stop, on a real store that nobody has marked as closed cleanly. */
@Timeout(120)
class StartReportTest {
  private static final int ATTEMPTS_MAX = 3;

  @TempDir Path folder;
  private final ManualTime time = new ManualTime();
  private TestStore store;
  private Incidents incidents;

  @BeforeEach
  void open() throws Exception {
    InboxConfig inbox = new InboxConfig(1000, 64, Duration.ofMillis(1), Duration.ofDays(7), 3);
    store = new TestStore(folder, inbox, time);
    incidents =
        Incidents.open(
            store.store.engine(),
            store.store.audit(),
            folder,
            new Secrets(),
            time,
            new SimpleMeterRegistry());
  }

  @AfterEach
  void close() {
    store.store.close();
  }

  /** Of no tasks. */
  private InterruptedWork.Findings work = findings(true);

  private static InterruptedWork.Findings findings(boolean settled, String... facts) {
    return new InterruptedWork.Findings(List.of(facts), List.of(facts), List.of(facts), settled);
  }

  /** As after a crash: there is no clean marker. */
  private void crash() throws Exception {
    close();
    open();
  }

  private Event running(String thread, int runs) throws Exception {
    Event event = store.store.inbox().append(TestStore.event(thread, thread)).join().event();
    for (int run = 0; run < runs; run++) {
      int _ = store.store.inbox().start(event.seq(), 10);
    }
    return event;
  }

  private Incident report() throws Exception {
    new StartReport(incidents, store.store, () -> work, ATTEMPTS_MAX, time).run();
    return incidents.list(false, "", 1).getFirst();
  }

  @Test
  void aCleanStopIsNoIncident() throws Exception {
    store.store.close();
    store.store.markClean();
    open();
    new StartReport(incidents, store.store, () -> work, ATTEMPTS_MAX, time).run();
    assertThat(incidents.list(false, "", 10)).isEmpty();
  }

  @Test
  void withNothingInterruptedItSaysSo() throws Exception {
    crash();
    Incident told = report();
    assertThat(told.kind()).isEqualTo(IncidentKind.UNCLEAN_START);
    assertThat(told.summary()).contains("no event was being worked on");
    assertThat(told.details().facts())
        .anyMatch(fact -> fact.contains("last sign of life"))
        .anyMatch(fact -> fact.contains("the whole database was checked and is intact"));
    assertThat(told.details().affected()).isEmpty();
  }

  @Test
  void eachInterruptedEventIsFollowedToItsEnd() throws Exception {
    Event answered = running("a", 1);
    Event unsafe = running("b", 1);
    Event deadly = running("c", ATTEMPTS_MAX);
    Event waits = running("d", 0);
    crash();
    assertThat(store.store.lastRun().cutCount()).isEqualTo(3);
    assertThat(store.store.lastRun().waiting()).isEqualTo(1);
    Incident told = report(); // nobody works on them here: it ends by its limit
    assertThat(told.times()).isEqualTo(1);
    assertThat(told.details().affected())
        .extracting(AffectedEvent::eventId)
        .containsExactlyInAnyOrder(answered.id(), unsafe.id(), deadly.id())
        .doesNotContain(waits.id());
    assertThat(doneOf(told, answered)).contains("resumes from its last checkpoint");
    assertThat(doneOf(told, deadly)).contains("the server went down in each of its runs");

    finish(answered, EventState.ANSWERED);
    finish(deadly, EventState.DEAD_LETTERED);
    store
        .store
        .stories()
        .add(
            new StoryLine(
                unsafe.id(), time.now(), StartReport.TOOL_INTERRUPTED, "{\"tool\":\"shell\"}"));
    finish(unsafe, EventState.ANSWERED);
    time.advance(Duration.ofSeconds(1)); // events are worked on before the report is begun
    Incident after = report();
    assertThat(doneOf(after, answered)).contains("was answered");
    assertThat(doneOf(after, deadly)).contains("dead letter");
    assertThat(doneOf(after, unsafe)).contains("the outcome of the tool shell is unknown");
    assertThat(after.details().lookAt())
        .anyMatch(look -> look.contains("shell did for event " + unsafe.id()));
    assertThat(after.details().commands())
        .contains("holdfast trace " + unsafe.id(), "holdfast dlq list --kind event");
  }

  private void finish(Event event, EventState outcome) throws Exception {
    int _ = store.store.inbox().start(event.seq(), 10);
    assertThat(
            store
                .store
                .inbox()
                .finish(new Finish(List.of(event.seq()), outcome, "", List.of(), List.of())))
        .isNotEmpty();
  }

  private static String doneOf(Incident incident, Event event) {
    return incident.details().affected().stream()
        .filter(each -> each.eventId().equals(event.id()))
        .findFirst()
        .orElseThrow()
        .done();
  }

  @Test
  void whatOtherWorkWasInterruptedIsFollowedToo() throws Exception {
    crash();
    work = findings(false, "Task a waits.");
    Incident told = report(); // ends by its limit
    assertThat(told.times()).isEqualTo(1);
    assertThat(told.details().facts()).contains("Task a waits.");
    work = findings(true, "Task a has succeeded.");
    Incident after = report();
    assertThat(after.details().facts()).contains("Task a has succeeded.");
    assertThat(after.details().lookAt()).contains("Task a has succeeded.");
    assertThat(after.details().commands()).contains("Task a has succeeded.");
  }

  @Test
  void ofManyEventsTheFirstAreListedAndAllAreCounted() throws Exception {
    List<Event> many = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      many.add(running("t" + i, 1));
    }
    crash();
    for (Event event : many) {
      finish(event, EventState.ANSWERED);
    }
    Incident told = report();
    assertThat(told.summary()).contains("60 events were interrupted");
    assertThat(told.details().affected()).hasSize(IncidentDetails.AFFECTED_MAX);
    assertThat(told.details().affectedCount()).isEqualTo(60);
    assertThat(IncidentText.of(told)).contains("And 10 more.");
  }
}
