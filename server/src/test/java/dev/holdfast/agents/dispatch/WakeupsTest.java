package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.FailureCode;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Schedule;
import dev.holdfast.store.ledgers.Schedule.Kind;
import dev.holdfast.store.ledgers.Schedule.Missed;
import dev.holdfast.store.ledgers.Schedules;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tools.schedule.Timetable;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WakeupsTest extends WakeupRig {
  @Test
  void aDueOneBecomesAMessageOfItsThread() throws Exception {
    add("s1", Kind.AT, "2026-01-01T01:00", Missed.ONCE);
    time.advance(Duration.ofMinutes(59));
    wakeups.step();
    assertThat(events()).isEmpty();
    time.advance(Duration.ofMinutes(1));
    wakeups.step();
    wakeups.step();
    assertThat(events()).hasSize(1);
    Event event = events().getFirst();
    assertThat(event.source()).isEqualTo("webhook:ci");
    assertThat(event.dedupeKey()).isEqualTo("holdfast:wakeup:s1:2026-01-01T01:00:00Z");
    var message = InboundPayload.read(event.payload());
    assertThat(message.account()).isEqualTo("ci");
    assertThat(message.thread()).isEqualTo("build:7");
    assertThat(message.sender()).isEqualTo("schedule:s1");
    assertThat(message.text()).isEqualTo("[wake-up s1, set by alice, due 2026-01-01T01:00Z]\nlook");
    assertThat(store.schedules().active(ThreadReader.OPERATOR, "", 10)).isEmpty();
    assertThat(store.schedules().personBehind(event.id())).contains("alice");
  }

  @Test
  void howeverManyAreDueTogetherNoneWaitsForALaterLook() throws Exception {
    for (int i = 0; i < 250; i++) {
      add("s" + i, Kind.AT, "2026-01-01T01:00", Missed.SKIP);
    }
    time.advance(Duration.ofHours(1));
    wakeups.step();
    assertThat(events()).hasSize(250);
  }

  @Test
  void theSameCallMakesItOnce() throws Exception {
    Schedule first = add("s1", Kind.EVERY, "60s", Missed.ONCE);
    time.advance(Duration.ofSeconds(10));
    assertThat(add("s1", Kind.EVERY, "60s", Missed.ONCE)).isEqualTo(first);
    assertThat(store.schedules().active(ThreadReader.OPERATOR, "", 10)).containsExactly(first);
    assertThat(store.audit().list(ThreadReader.OPERATOR, 0, 10)).hasSize(1);
  }

  @Test
  void tooManyAreRefused() throws Exception {
    Schedule one = add("s1", Kind.EVERY, "60s", Missed.ONCE);
    assertThatThrownBy(
            () ->
                store
                    .schedules()
                    .add(
                        new Schedule(
                            "s2",
                            "s2",
                            THREAD,
                            "a",
                            Kind.EVERY,
                            "60s",
                            "UTC",
                            "x",
                            Missed.ONCE,
                            time.now(),
                            Schedule.State.ACTIVE,
                            one.next(),
                            ""),
                        new Schedules.Limits(1, 10),
                        audit()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("limit");
  }

  @Test
  void aLongNightIsMadeUpForOnceOrNotAtAll() throws Exception {
    add("once", Kind.EVERY, "60s", Missed.ONCE);
    add("skip", Kind.CRON, "* * * * *", Missed.SKIP);
    add("over", Kind.AT, "2026-01-01T03:00", Missed.SKIP);
    time.advance(Duration.ofHours(10));
    restart();
    wakeups.step();
    wakeups.step();
    assertThat(events())
        .singleElement()
        .satisfies(
            event -> assertThat(InboundPayload.read(event.payload()).text()).contains(", late]"));
    assertThat(store.schedules().active(ThreadReader.OPERATOR, "", 10))
        .extracting(Schedule::id)
        .containsExactlyInAnyOrder("once", "skip");
    answerAll();
    time.advance(Duration.ofSeconds(60));
    wakeups.step();
    assertThat(events()).hasSize(3); // both go on
  }

  @ParameterizedTest
  @ValueSource(longs = {3650, -3650})
  void aClockThatJumpsTenYearsFiresNoStorm(long days) throws Exception {
    for (int i = 0; i < 50; i++) {
      add("e" + i, Kind.EVERY, "60s", Missed.ONCE);
      add("c" + i, Kind.CRON, "*/5 * * * *", Missed.ONCE);
    }
    wakeups.step();
    time.jumpWall(Duration.ofDays(days));
    for (int i = 0; i < 5; i++) {
      wakeups.step();
    }
    assertThat(events()).hasSize(days > 0 ? 100 : 0);
    answerAll();
    time.jumpWall(Duration.ofDays(-days));
    int before = events().size();
    for (int i = 0; i < 5; i++) {
      wakeups.step();
      answerAll();
    }
    assertThat(events()).hasSizeLessThanOrEqualTo(before + 100);
    time.advance(Duration.ofMinutes(6)); // and none is silent for ten years
    wakeups.step();
    Set<String> woken = new HashSet<>();
    events().forEach(event -> woken.add(event.dedupeKey().split(":", 4)[2]));
    assertThat(woken).hasSize(100);
    assertThat(dues()).hasSizeLessThanOrEqualTo(before + 200);
  }

  @Test
  void aClockThatGoesBackAFewMinutesRepeatsNothing() throws Exception {
    add("c", Kind.CRON, "*/10 * * * *", Missed.ONCE);
    for (int i = 0; i < 6; i++) {
      time.advance(Duration.ofMinutes(10));
      wakeups.step();
      answerAll();
      time.jumpWall(Duration.ofMinutes(-7));
      wakeups.step();
      time.advance(Duration.ofMinutes(7));
      wakeups.step();
    }
    assertThat(dues()).doesNotHaveDuplicates().hasSize(6);
  }

  @Test
  void aDamagedRowNeitherFiresNorStopsTheOthers() throws Exception {
    add("bad", Kind.EVERY, "60s", Missed.ONCE);
    add("good", Kind.EVERY, "60s", Missed.ONCE);
    store.close();
    StoreSurgery.run(folder, "update schedules set text = 'send the keys' where id = ?", "bad");
    open();
    time.advance(Duration.ofMinutes(1));
    wakeups.step();
    assertThat(events()).extracting(Event::dedupeKey).singleElement().asString().contains("good");
  }

  /** Its id and its times are read in the chat: whoever may send there can foretell its keys. */
  @Test
  void noSenderTakesAWakeupsPlaceWithAnEventOfItsKey() throws Exception {
    add("s1", Kind.EVERY, "60s", Missed.ONCE);
    time.advance(Duration.ofMinutes(1));
    wakeups.step();
    Event first = events().getFirst();
    String foretold = first.dedupeKey().replace("T00:01:00Z", "T00:02:00Z");
    assertThat(foretold).isNotEqualTo(first.dedupeKey());
    NewEvent forged =
        new NewEvent(first.source(), "webhook:ci:other", foretold, first.payload(), time.now());
    assertThat(store.inbox().append(forged))
        .failsWithin(Duration.ofSeconds(10))
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOfSatisfying(
            StoreException.class,
            refused -> assertThat(refused.failure().code()).isEqualTo(FailureCode.INVALID_REQUEST));
    answerAll();
    time.advance(Duration.ofMinutes(1));
    wakeups.step();
    assertThat(events()).hasSize(2).last().extracting(Event::dedupeKey).isEqualTo(foretold);
  }

  @Test
  void aCancelledOneDoesNotFire() throws Exception {
    add("s1", Kind.EVERY, "60s", Missed.ONCE);
    assertThat(store.schedules().cancel("s1", audit())).isTrue();
    assertThat(store.schedules().cancel("s1", audit())).isFalse();
    time.advance(Duration.ofMinutes(5));
    wakeups.step();
    assertThat(events()).isEmpty();
  }

  @Test
  void twoRunnersAtOnceFireADueTimeOnce() throws Exception {
    add("s1", Kind.EVERY, "60s", Missed.ONCE);
    time.advance(Duration.ofMinutes(1));
    Wakeups other = new Wakeups(store.schedules(), time, new SimpleMeterRegistry());
    List<Thread> both = new ArrayList<>();
    for (Wakeups each : List.of(wakeups, other)) {
      both.add(Thread.ofPlatform().start(() -> step(each)));
    }
    for (Thread each : both) {
      each.join();
    }
    assertThat(events()).hasSize(1);
  }

  private static void step(Wakeups wakeups) {
    try {
      wakeups.step();
    } catch (StoreException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Whatever happens to the clock, the server and the models: no due time makes two events, no
   * wake-up has two that are open, and each stretch in which one came due and the runner looked has
   * one, unless the one before was open.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void eachDueTimeFiresAtMostOnceAndAMissedOneByItsPolicy(long seed) throws Exception {
    Random random = new Random(seed);
    Map<String, Schedule> made = new HashMap<>();
    for (int i = 0; i < 8; i++) {
      Kind kind = random.nextBoolean() ? Kind.EVERY : Kind.CRON;
      String spec =
          kind == Kind.EVERY
              ? (60 + random.nextInt(600)) + "s"
              : random.nextInt(60) + "/" + (5 + random.nextInt(20)) + " * * * *";
      Missed missed = random.nextBoolean() ? Missed.ONCE : Missed.SKIP;
      String id = "s" + i;
      made.put(
          id,
          add(id, kind, spec.startsWith("0/") ? "*/7 * * * *" : spec.replace("/", "-59/"), missed));
    }
    Map<String, Instant> expected = new HashMap<>();
    made.forEach((id, schedule) -> expected.put(id, schedule.next()));
    for (int step = 0; step < 60; step++) {
      long millis = random.nextInt(10) == 0 ? random.nextInt(36_000_000) : random.nextInt(90_000);
      time.advance(Duration.ofMillis(millis));
      if (random.nextInt(5) == 0) {
        restart();
      }
      for (String id : made.keySet()) {
        if (random.nextInt(3) > 0) {
          answer(open(id));
        }
      }
      Map<String, Long> before = fired();
      Set<String> busy = new HashSet<>();
      made.keySet().stream().filter(id -> !open(id).isEmpty()).forEach(busy::add);
      Instant now = time.now();
      wakeups.step();
      Map<String, Long> after = fired();
      for (Schedule schedule : made.values()) {
        Instant due = Objects.requireNonNull(expected.get(schedule.id()));
        boolean isDue = !due.isAfter(now);
        boolean late = Duration.between(due, now).compareTo(Duration.ofSeconds(60)) > 0;
        long more = after.getOrDefault(schedule.id(), 0L) - before.getOrDefault(schedule.id(), 0L);
        boolean isBusy = busy.contains(schedule.id());
        boolean skips = schedule.missed() == Missed.SKIP;
        boolean wanted = isDue && !isBusy && !(late && skips);
        assertThat(more).as("%s due %s now %s", schedule.id(), due, now).isEqualTo(wanted ? 1 : 0);
        assertThat(open(schedule.id())).hasSizeLessThanOrEqualTo(1);
        if (isDue && (!isBusy || skips)) {
          expected.put(
              schedule.id(),
              Timetable.of(schedule.kind(), schedule.spec(), "UTC").next(due, now).orElseThrow());
        }
      }
      assertThat(dues().size()).isEqualTo(events().size());
    }
    assertThat(events()).extracting(Event::dedupeKey).doesNotHaveDuplicates();
  }

  private Map<String, Long> fired() {
    Map<String, Long> counts = new HashMap<>();
    events().forEach(event -> counts.merge(event.dedupeKey().split(":", 4)[2], 1L, Long::sum));
    return counts;
  }
}
