package dev.holdfast.tools.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.store.ledgers.Schedule.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimetableTest {
  private static final String BERLIN = "Europe/Berlin";

  /** The due times after each other, from just behind {@code from} up to {@code to}. */
  private static List<Instant> between(Timetable table, String from, String to) {
    List<Instant> found = new ArrayList<>();
    Instant end = Instant.parse(to);
    Instant at = Instant.parse(from);
    for (Optional<Instant> next = table.next(at, at);
        next.isPresent() && !next.get().isAfter(end);
        next = table.next(at, at)) {
      at = next.get();
      found.add(at);
    }
    return found;
  }

  @Test
  void aDailyTimeThatTheClocksLeaveOutComesAnHourLaterOnce() {
    Timetable daily = Timetable.of(Kind.CRON, "30 2 * * *", BERLIN);
    assertThat(between(daily, "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z"))
        .containsExactly(
            Instant.parse("2026-03-29T01:30:00Z"), Instant.parse("2026-03-30T00:30:00Z"));
  }

  @Test
  void aDailyTimeThatTheClocksRepeatComesOnce() {
    Timetable daily = Timetable.of(Kind.CRON, "30 2 * * *", BERLIN);
    assertThat(between(daily, "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z"))
        .containsExactly(
            Instant.parse("2026-10-25T00:30:00Z"), Instant.parse("2026-10-26T01:30:00Z"));
  }

  @Test
  void noMomentComesTwiceWhenAnHourIsLeftOut() {
    Timetable often = Timetable.of(Kind.CRON, "*/5 * * * *", BERLIN);
    List<Instant> night = between(often, "2026-03-28T23:00:00Z", "2026-03-29T03:00:00Z");
    assertThat(night).doesNotHaveDuplicates().isSorted().hasSize(48);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2026-03-29T02:30", "2026-03-29T01:30:00Z", "2026-03-29T03:30:00+02:00"})
  void aMomentIsReadInItsZoneOrByItsOffset(String text) {
    assertThat(
            Timetable.of(Kind.AT, text, BERLIN).first(Instant.EPOCH.plus(Duration.ofDays(20_000))))
        .isEqualTo(Instant.parse("2026-03-29T01:30:00Z"));
  }

  @Test
  void whatIsOverOrNeverComesIsRefusedWithASentence() {
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    assertThatThrownBy(() -> Timetable.of(Kind.AT, "2025-01-01T00:00", "UTC").first(now))
        .hasMessageContaining("passed");
    assertThatThrownBy(() -> Timetable.of(Kind.AT, "2999-01-01T00:00", "UTC").first(now))
        .hasMessageContaining("ten years");
    assertThatThrownBy(() -> Timetable.of(Kind.CRON, "0 0 30 2 *", "UTC").first(now))
        .hasMessageContaining("cron");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "* * * *",
        "* * * * * *",
        "99 * * * *",
        "a b c d e",
        "*/0 * * * *",
        "1-0-1 * * * *",
        "\u0000 * * * *",
        "${7*7} * * * *",
        "T(java.lang.Runtime) * * * *"
      })
  void nonsenseInACronLineIsRefusedWithASentence(String line) {
    assertThatThrownBy(() -> Timetable.of(Kind.CRON, line, "UTC"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("cron must be five fields");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "-5m", "5w", "99999999d", "0s", "1e9s", "367d"})
  void nonsenseInAPeriodIsRefusedWithASentence(String text) {
    assertThatThrownBy(() -> Timetable.of(Kind.EVERY, text, "UTC"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("every must be");
  }

  @Test
  void anUnknownZoneIsRefusedWithASentence() {
    assertThatThrownBy(() -> Timetable.of(Kind.EVERY, "5m", "../../etc/passwd"))
        .hasMessageContaining("no time zone");
  }

  @Test
  void aClockTenYearsAheadLeavesOneDueTimeNotThousands() {
    Timetable often = Timetable.of(Kind.EVERY, "60s", "UTC");
    Instant due = Instant.parse("2026-01-01T00:00:30Z");
    Instant now = due.plus(Duration.ofDays(3650)).plusSeconds(7);
    assertThat(often.next(due, now)).contains(due.plus(Duration.ofDays(3650)).plusSeconds(60));
  }

  @Property(tries = 300)
  void theNextOneIsStillToComeAndNoEarlierOneIsLeftOut(
      @ForAll @LongRange(min = 0, max = 4_000_000_000L) long dueSecond,
      @ForAll @LongRange(min = -400_000_000L, max = 400_000_000L) long passed,
      @ForAll @IntRange(max = 59) int minute,
      @ForAll @IntRange(max = 23) int hour) {
    Instant due = Instant.ofEpochSecond(dueSecond);
    Instant now = due.plusSeconds(passed);
    for (Timetable table :
        List.of(
            Timetable.of(Kind.EVERY, (60 + minute) + "s", "UTC"),
            Timetable.of(Kind.CRON, minute + " " + hour + " * * *", "America/New_York"))) {
      Instant next = table.next(due, now).orElseThrow();
      assertThat(next).isAfter(now).isAfter(due);
      Instant later = due.isAfter(now) ? due : now;
      assertThat(Duration.between(later, next)).isLessThanOrEqualTo(Duration.ofHours(50));
    }
  }
}
