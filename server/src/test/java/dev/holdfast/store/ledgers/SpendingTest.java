package dev.holdfast.store.ledgers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.store.Store;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.Connections;
import dev.holdfast.store.ledgers.Usage.Spent;
import dev.holdfast.store.ledgers.Usage.Whose;
import dev.holdfast.time.ManualTime;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SpendingTest {
  private static final Instant DAY = Instant.parse("2026-01-31T00:00:00Z");

  @TempDir Path folder;

  private static ModelCallRow call(String event, String thread, Instant at, Random random) {
    return new ModelCallRow(
        event,
        thread,
        at,
        "p",
        "m",
        "ok",
        random.nextInt(1000),
        random.nextInt(1000),
        random.nextInt(10),
        random.nextInt(10),
        random.nextInt(1000) / 1000.0,
        1,
        2);
  }

  private static Instant midnight(LocalDate day) {
    return day.atStartOfDay(ZoneOffset.UTC).toInstant();
  }

  /** What the rows come to. */
  private Spent plain(Store store, Whose whose, String id, Instant since, String eventId)
      throws Exception {
    store.usage().told("flush " + Math.random(), since); // what was added is in front of it
    String where =
        switch (whose) {
          case ALL -> "'' = ?";
          case PERSON -> "person = ?";
          case THREAD -> "thread_id = ?";
        };
    try (Connection sql =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve(Connections.FILE));
        PreparedStatement sum =
            sql.prepareStatement(
                "select count(distinct nullif(event_id, ?)), sum(input_tokens + output_tokens"
                    + " + cache_read_tokens + cache_write_tokens), sum(cost_usd) from model_calls"
                    + " where at >= ? and "
                    + where)) {
      sum.setString(1, eventId);
      sum.setLong(2, since.toEpochMilli());
      sum.setString(3, id);
      try (ResultSet row = sum.executeQuery()) {
        return new Spent(whose == Whose.ALL ? 0 : row.getLong(1), row.getLong(2), row.getDouble(3));
      }
    }
  }

  private void assertPlain(Store store, Whose whose, String id, Instant since, String event)
      throws Exception {
    Spent kept = store.usage().spent(whose, id, since, event);
    Spent plain = plain(store, whose, id, since, event);
    String about = whose + " " + id + " since " + since + " but for " + event;
    assertThat(kept.tokens()).as(about).isEqualTo(plain.tokens());
    assertThat(kept.costUsd()).as(about).isCloseTo(plain.costUsd(), within(1e-6));
    if (whose != Whose.ALL) {
      assertThat(kept.messages()).as(about).isEqualTo(plain.messages());
    }
  }

  /** The rows are gone behind its back: whoever adds them up again finds nothing. */
  @Test
  void aSumIsNotReadAgainForEachQuestion() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Usage usage = it.store.usage();
      Random random = new Random(1);
      usage.add(call("e1", "t", DAY, random), "amy");
      Spent before = usage.spent(Whose.ALL, "", DAY, "");
      Spent hers = usage.spent(Whose.PERSON, "amy", DAY, "");
      assertThat(before.tokens()).isPositive();
      assertThat(hers.messages()).isEqualTo(1);
      TestStore.sql(folder, "delete from model_calls");
      ModelCallRow more = call("e2", "t", DAY, random);
      usage.add(more, "amy");
      assertThat(usage.spent(Whose.ALL, "", DAY, "").costUsd())
          .isCloseTo(before.costUsd() + more.costUsd(), within(1e-9));
      assertThat(usage.spent(Whose.PERSON, "amy", DAY, "").messages()).isEqualTo(2);
      assertThat(usage.spent(Whose.PERSON, "amy", DAY, "e1").messages()).isEqualTo(1);
    }
  }

  /** Days and months go by, the clock is set back, the server restarts, calls end late. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whatIsKeptIsWhatTheRowsComeTo(long seed) throws Exception {
    Random random = new Random(seed);
    ManualTime time = new ManualTime();
    TestStore it = new TestStore(folder, TestStore.INBOX, time);
    try {
      for (int step = 0; step < 80; step++) {
        switch (random.nextInt(12)) {
          case 0 -> time.advance(Duration.ofHours(random.nextInt(60)));
          case 1 -> time.jumpWall(Duration.ofHours(-random.nextInt(30)));
          case 2 -> {
            it.close();
            it = new TestStore(folder, TestStore.INBOX, time);
          }
          default -> time.advance(Duration.ofMinutes(random.nextInt(90)));
        }
        for (int i = random.nextInt(4); i > 0; i--) {
          Instant at = time.now().minusSeconds(random.nextInt(600));
          String event = "e" + (step / 3 + random.nextInt(2));
          it.store.usage().add(call(event, "t" + random.nextInt(2), at, random), "p" + i % 2);
        }
        LocalDate today = LocalDate.ofInstant(time.now(), ZoneOffset.UTC);
        String event = "e" + step / 3;
        assertPlain(it.store, Whose.ALL, "", midnight(today), event);
        assertPlain(it.store, Whose.ALL, "", midnight(today.withDayOfMonth(1)), event);
        assertPlain(it.store, Whose.PERSON, "p" + random.nextInt(3), midnight(today), event);
        assertPlain(it.store, Whose.THREAD, "t" + random.nextInt(2), midnight(today), event);
      }
    } finally {
      it.close();
    }
  }

  /** Nothing is counted twice or left out, however adding and the first question fall together. */
  @Test
  void whatIsAddedWhileASumIsReadIsCountedOnce() throws Exception {
    try (TestStore it = new TestStore(folder);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Usage usage = it.store.usage();
      List<Future<?>> all = new ArrayList<>();
      for (int n = 0; n < 4; n++) {
        int number = n;
        all.add(
            threads.submit(
                () -> {
                  Random random = new Random(number);
                  for (int i = 0; i < 500; i++) {
                    String event = number + "-" + i / 2;
                    usage.add(call(event, "t", DAY.plusSeconds(i), random), "p" + i % 40);
                  }
                }));
      }
      for (int n = 0; n < 4; n++) {
        int number = n;
        all.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 40; i++) {
                    usage.spent(Whose.PERSON, "p" + i, DAY, "");
                    usage.spent(Whose.ALL, "", DAY.plusSeconds(i * 10L + number), "");
                  }
                  return "";
                }));
      }
      for (Future<?> one : all) {
        one.get();
      }
      for (int i = 0; i < 40; i++) {
        assertPlain(it.store, Whose.PERSON, "p" + i, DAY, "");
        assertPlain(it.store, Whose.ALL, "", DAY.plusSeconds(i * 10L), "");
      }
    }
  }

  @Test
  void whatIsForgottenForWantOfRoomIsReadAgain() throws Exception {
    try (TestStore it = new TestStore(folder);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Usage usage = it.store.usage();
      Random random = new Random(3);
      usage.add(call("e1", "t", DAY, random), "first");
      assertThat(usage.spent(Whose.PERSON, "first", DAY, "").messages()).isEqualTo(1);
      List<Future<Spent>> others = new ArrayList<>();
      for (int i = 0; i < Spending.OWNERS_MAX; i++) {
        String other = "other" + i;
        others.add(threads.submit(() -> usage.spent(Whose.PERSON, other, DAY, "")));
      }
      for (Future<Spent> other : others) {
        assertThat(other.get().tokens()).isZero();
      }
      usage.add(call("e2", "t", DAY, random), "first");
      assertThat(usage.spent(Whose.PERSON, "first", DAY, "").messages()).isEqualTo(2);
      assertPlain(it.store, Whose.PERSON, "first", DAY, "");
    }
  }
}
