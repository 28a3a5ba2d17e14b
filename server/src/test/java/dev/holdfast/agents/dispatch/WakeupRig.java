package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.store.Store;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.ledgers.Schedule;
import dev.holdfast.store.ledgers.Schedule.Kind;
import dev.holdfast.store.ledgers.Schedule.Missed;
import dev.holdfast.store.ledgers.Schedules;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.Finish;
import dev.holdfast.time.ManualTime;
import dev.holdfast.tools.schedule.Timetable;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Wake-ups on a real store, with a clock moved by hand. */
abstract class WakeupRig {
  static final Schedules.Limits LIMITS = new Schedules.Limits(1000, 10_000);
  static final String THREAD = "webhook:ci:build:7";

  @TempDir Path folder;
  final ManualTime time = new ManualTime();
  Store store;
  Wakeups wakeups;
  SimpleMeterRegistry meters = new SimpleMeterRegistry();

  @BeforeEach
  void open() throws Exception {
    meters = new SimpleMeterRegistry();
    store = TestStore.open(folder, time, meters);
    wakeups = new Wakeups(store.schedules(), time, meters);
  }

  @AfterEach
  void close() {
    store.close();
  }

  void restart() throws Exception {
    close();
    open();
  }

  Schedule add(String key, Kind kind, String spec, Missed missed) throws Exception {
    Instant now = time.now();
    Schedule wanted =
        new Schedule(
            key,
            key,
            THREAD,
            "alice",
            kind,
            spec,
            "UTC",
            "look",
            missed,
            now,
            Schedule.State.ACTIVE,
            Timetable.of(kind, spec, "UTC").first(now),
            "");
    return store.schedules().add(wanted, LIMITS, audit());
  }

  static AuditEntry audit() {
    return new AuditEntry("schedule.added", "", "", THREAD, "alice", "{}");
  }

  List<Event> events() {
    return store.inbox().ofThread(THREAD, 10_000).reversed();
  }

  List<String> dues() {
    return events().stream().map(event -> event.dedupeKey().split(":", 4)[3]).toList();
  }

  List<Event> open(String id) {
    return store.inbox().openOf(THREAD, 0, 10_000).stream()
        .filter(event -> event.dedupeKey().startsWith(Incoming.WAKEUP_KEY + id + ":"))
        .toList();
  }

  void answer(List<Event> events) throws StoreException {
    for (Event event : events) {
      store
          .inbox()
          .finish(new Finish(List.of(event.seq()), EventState.ANSWERED, "", List.of(), List.of()));
    }
  }

  void answerAll() throws StoreException {
    answer(store.inbox().openOf(THREAD, 0, 10_000));
  }

  double count(String outcome) {
    return meters.counter("holdfast.wakeups", "outcome", outcome).count();
  }
}
