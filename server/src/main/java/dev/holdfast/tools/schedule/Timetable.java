package dev.holdfast.tools.schedule;

import com.cronutils.model.Cron;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import dev.holdfast.store.ledgers.Schedule;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * When a wake-up is due. Local times that a change of the clocks leaves out come later by as much;
 * those that it repeats come the first time only.
 */
public sealed interface Timetable {
  /**
   * The first due time.
   *
   * @throws IllegalArgumentException with a sentence for the model when there is none
   */
  Instant first(Instant now);

  /** The due time after {@code due} that is still to come; empty when there is none. */
  Optional<Instant> next(Instant due, Instant now);

  /**
   * The due time to wait for when the clock has been set: an earlier one than {@code due}, if there
   * is one.
   */
  Instant aimed(Instant due, Instant now);

  /**
   * @throws IllegalArgumentException with a sentence for the model when the texts mean nothing
   */
  static Timetable of(Schedule.Kind kind, String spec, String zone) {
    ZoneId area = zone(zone);
    return switch (kind) {
      case AT -> new At(instant(spec, area));
      case EVERY -> new Every(period(spec));
      case CRON -> new CronLine(execution(spec), area);
    };
  }

  /** One moment. */
  record At(Instant moment) implements Timetable {
    private static final Duration AHEAD_MAX = Duration.ofDays(3660);

    @Override
    public Instant first(Instant now) {
      if (!moment.isAfter(now)) {
        throw new IllegalArgumentException("That time has passed: it is " + now + " now (UTC).");
      }
      if (Duration.between(now, moment).compareTo(AHEAD_MAX) > 0) {
        throw new IllegalArgumentException("That is more than ten years ahead.");
      }
      return moment;
    }

    @Override
    public Optional<Instant> next(Instant due, Instant now) {
      return Optional.empty();
    }

    @Override
    public Instant aimed(Instant due, Instant now) {
      return due;
    }
  }

  /** Again and again, by the same steps. */
  record Every(Duration period) implements Timetable {
    @Override
    public Instant first(Instant now) {
      return now.plus(period);
    }

    @Override
    public Optional<Instant> next(Instant due, Instant now) {
      long passed = now.isBefore(due) ? 0 : Duration.between(due, now).dividedBy(period);
      return Optional.of(due.plus(period.multipliedBy(passed + 1)));
    }

    @Override
    public Instant aimed(Instant due, Instant now) {
      Instant soonest = now.plus(period);
      return due.isAfter(soonest) ? soonest : due;
    }
  }

  /** By the five fields of a cron line, in local time. */
  record CronLine(ExecutionTime execution, ZoneId zone) implements Timetable {
    /** A minute's line has as many in an hour that the clocks repeat, and some zones shift more. */
    private static final int STEPS_MAX = 2000;

    @Override
    public Instant first(Instant now) {
      return after(now)
          .orElseThrow(() -> new IllegalArgumentException("No date fits that cron line."));
    }

    @Override
    public Optional<Instant> next(Instant due, Instant now) {
      return after(due.isAfter(now) ? due : now);
    }

    @Override
    public Instant aimed(Instant due, Instant now) {
      return after(now).filter(soonest -> soonest.isBefore(due)).orElse(due);
    }

    /**
     * The line is followed in local time, where there are neither gaps nor overlaps, and each local
     * time is then looked up in the zone.
     */
    private Optional<Instant> after(Instant moment) {
      LocalDateTime local = moment.atZone(zone).toLocalDateTime();
      for (int step = 0; step < STEPS_MAX; step++) {
        Optional<ZonedDateTime> next = execution.nextExecution(local.atZone(ZoneOffset.UTC));
        if (next.isEmpty()) {
          return Optional.empty();
        }
        local = next.get().toLocalDateTime();
        Instant found = local.atZone(zone).toInstant();
        if (found.isAfter(moment)) {
          return Optional.of(found);
        }
      }
      return Optional.empty();
    }
  }

  private static ZoneId zone(String zone) {
    try {
      return ZoneId.of(zone);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "There is no time zone " + zone + "; write one like Europe/Berlin or UTC.", e);
    }
  }

  private static Instant instant(String text, ZoneId zone) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeParseException _) {
      try {
        return LocalDateTime.parse(text).atZone(zone).toInstant();
      } catch (DateTimeParseException e) {
        throw new IllegalArgumentException(
            "at must be a time like 2026-03-01T09:00 or 2026-03-01T08:00:00Z.", e);
      }
    }
  }

  private static Duration period(String text) {
    long factor =
        switch (text.isEmpty() ? ' ' : text.charAt(text.length() - 1)) {
          case 's' -> 1;
          case 'm' -> 60;
          case 'h' -> 3600;
          case 'd' -> 86_400;
          default -> 0;
        };
    if (factor == 0 || !text.matches("[0-9]{1,7}.")) {
      throw new IllegalArgumentException("every must be a number and s, m, h or d, like 90m.");
    }
    long seconds = factor * Long.parseLong(text.substring(0, text.length() - 1));
    if (seconds < 1 || seconds > Duration.ofDays(366).toSeconds()) {
      throw new IllegalArgumentException("every must be more than zero and at most 366 days.");
    }
    return Duration.ofSeconds(seconds);
  }

  private static ExecutionTime execution(String line) {
    try {
      Cron cron =
          new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX)).parse(line);
      return ExecutionTime.forCron(cron);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "cron must be five fields: minute, hour, day of month, month, day of week.", e);
    }
  }
}
