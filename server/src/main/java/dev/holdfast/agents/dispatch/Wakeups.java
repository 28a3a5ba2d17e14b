package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Schedule;
import dev.holdfast.store.ledgers.Schedules;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.time.Time;
import dev.holdfast.tools.schedule.Timetable;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires wake-ups: a due one becomes an event of its thread in the transaction that moves it on. So
 * whatever cuts this off, no due time makes two events, and a missed one is still due. No wake-up
 * has two events that are open: an outage of models ends in one answer and one that makes up for
 * the rest, not in a burst.
 */
public final class Wakeups {
  private static final Logger LOG = LoggerFactory.getLogger(Wakeups.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(5);

  /** One that fires later than this was missed. */
  private static final Duration LATE = Duration.ofSeconds(60);

  /** A wall clock that is this far from the steady one has been set. */
  private static final Duration JUMP = Duration.ofSeconds(2);

  private static final Duration TIDYING = Duration.ofHours(1);
  private static final int AT_ONCE = 100;
  private static final int PAGES_MAX = 100;
  private static final int PERSON_MAX = 100;

  private final Schedules schedules;
  private final Time time;
  private final MeterRegistry meters;
  private Instant wall;
  private long nanos;
  private long tidied;

  public Wakeups(Schedules schedules, Time time, MeterRegistry meters) {
    this.schedules = schedules;
    this.time = time;
    this.meters = meters;
    this.wall = Instant.MIN; // the clock may have been set while the server was down
    this.nanos = time.nanos();
    this.tidied = nanos;
    for (String outcome : List.of("fired", "late", "skipped")) {
      meters.counter("holdfast.wakeups", "outcome", outcome);
    }
  }

  /** Runs until interrupted. */
  public void run() throws InterruptedException {
    while (true) {
      Duration pause = PERIOD;
      try {
        step();
      } catch (StoreException e) {
        LOG.warn("schedules: waiting, the store refuses writes: {}", e.failure().message());
        pause = AFTER_REFUSAL;
      }
      time.sleep(pause);
    }
  }

  /** One look at what is due. */
  void step() throws StoreException {
    if (clockWasSet()) {
      aimAll();
    }
    wall = time.now();
    nanos = time.nanos();
    settleDue();
    if (time.nanos() - tidied > TIDYING.toNanos()) {
      tidied = time.nanos();
      schedules.forgetEnded();
    }
  }

  /** All of them: one that had to wait for a later look could count as missed by then. */
  private void settleDue() throws StoreException {
    boolean more = true;
    for (int page = 0; page < PAGES_MAX && more; page++) {
      List<Schedule> due = schedules.due(time.now(), AT_ONCE);
      for (Schedule schedule : due) {
        settle(schedule);
      }
      more = due.size() == AT_ONCE;
    }
  }

  private boolean clockWasSet() {
    if (wall.equals(Instant.MIN)) {
      return true;
    }
    Instant expected = wall.plusNanos(time.nanos() - nanos);
    return Duration.between(expected, time.now()).abs().compareTo(JUMP) > 0;
  }

  /** After the clock went back, what is far ahead would be silent for as long. */
  private void aimAll() throws StoreException {
    String after = "";
    List<Schedule> page = schedules.page(after, AT_ONCE);
    while (!page.isEmpty()) {
      for (Schedule schedule : page) {
        Instant aimed = undone(schedule);
        if (!aimed.equals(schedule.next())) {
          schedules.aim(schedule, aimed);
        }
      }
      page = schedules.page(page.getLast().id(), AT_ONCE);
    }
  }

  /** The earlier due time that the clock makes possible again, unless it was dealt with before. */
  private Instant undone(Schedule schedule) {
    Optional<Timetable> timetable = timetable(schedule);
    if (timetable.isEmpty()) {
      return schedule.next();
    }
    Instant aimed = timetable.get().aimed(schedule.next(), time.now());
    while (aimed.isBefore(schedule.next()) && schedules.isDone(schedule.id(), aimed)) {
      aimed = timetable.get().next(aimed, aimed).orElse(schedule.next());
    }
    return aimed.truncatedTo(ChronoUnit.MILLIS);
  }

  private void settle(Schedule schedule) throws StoreException {
    Instant now = time.now();
    boolean isBusy = !schedule.openEventId().isEmpty();
    boolean late = Duration.between(schedule.next(), now).compareTo(LATE) > 0;
    Optional<Timetable> timetable = timetable(schedule);
    Optional<Instant> next = timetable.flatMap(table -> table.next(schedule.next(), now));
    Schedules.Step step = new Schedules.Step(schedule, now, next);
    if (schedules.isDone(schedule.id(), schedule.next())) {
      schedules.aim(schedule, next.orElse(Instant.MAX)); // the clock went back over it
    } else if (timetable.isEmpty()
        || ((late || isBusy) && schedule.missed() == Schedule.Missed.SKIP)) {
      if (schedules.skip(step)) {
        count("skipped", schedule);
      }
    } else if (schedules.fire(step, event(schedule, now, late))) {
      count(late ? "late" : "fired", schedule);
    }
  }

  private void count(String outcome, Schedule schedule) {
    LOG.info("schedule {}: {}, due {}", schedule.id(), outcome, schedule.next());
    meters.counter("holdfast.wakeups", "outcome", outcome).increment();
  }

  /** Empty when this program cannot read it any more: then it ends. */
  private static Optional<Timetable> timetable(Schedule schedule) {
    try {
      return Optional.of(Timetable.of(schedule.kind(), schedule.spec(), schedule.zone()));
    } catch (IllegalArgumentException e) {
      LOG.error("schedule {}: no longer readable: {}", schedule.id(), e.getMessage());
      return Optional.empty();
    }
  }

  /** A name that cannot pass for the rest of the line. */
  private static String plain(String name) {
    String line = name.replaceAll("[\\p{Cntrl}\\[\\]]", " ");
    return line.length() <= PERSON_MAX ? line : line.substring(0, PERSON_MAX);
  }

  /** As if the thread's channel had brought it; the ids of threads are made of those parts. */
  private static NewEvent event(Schedule schedule, Instant now, boolean late) {
    String[] parts = schedule.threadId().split(":", 3);
    String account = parts.length > 1 ? parts[1] : "";
    String platformId = parts.length > 2 ? parts[2] : "";
    String key = Incoming.WAKEUP_KEY + schedule.id() + ":" + schedule.next();
    String text =
        "[wake-up "
            + schedule.id()
            + ", set by "
            + plain(schedule.person())
            + ", due "
            + schedule.next().atZone(ZoneId.of(schedule.zone())).toOffsetDateTime()
            + (late ? ", late" : "")
            + "]\n"
            + schedule.text();
    InboundMessage message =
        new InboundMessage(
            account, platformId, Incoming.WAKEUP_SENDER + schedule.id(), text, List.of(), key);
    return new NewEvent(
        parts[0] + ":" + account, schedule.threadId(), key, InboundPayload.write(message), now);
  }
}
