package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.config.Secret;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.messages.CutEvent;
import dev.holdfast.store.messages.DamagedRow;
import dev.holdfast.store.messages.DeadLetter;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.Stories;
import dev.holdfast.store.messages.StoryLine;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.ManualTime;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a start does with a folder that is not as it was left. */
class StoreOpeningTest {
  @TempDir Path root;

  private Path data() {
    return root.resolve("data");
  }

  private Path file(String name) {
    return data().resolve(name);
  }

  /** The folder of a server that was killed: some commits only in the log, no marker. */
  private Event killed() throws Exception {
    try (TestStore it = new TestStore(root.resolve("alive"))) {
      Event event = it.append("t1", "k1");
      copyFolder(root.resolve("alive"), data());
      return event;
    }
  }

  private static void copyFolder(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (String name :
        List.of(
            "holdfast.db",
            "holdfast.db-wal",
            "holdfast.run",
            "holdfast.commits",
            "clean_shutdown")) {
      if (Files.exists(from.resolve(name))) {
        Files.copy(from.resolve(name), to.resolve(name), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private void refusedWith(int exitCode, String... words) {
    assertThatThrownBy(() -> new TestStore(data()).close())
        .isInstanceOfSatisfying(
            StartRefusedException.class, e -> assertThat(e.exitCode()).isEqualTo(exitCode))
        .hasMessageContainingAll(words);
  }

  @Test
  void aKilledServersFolderOpensUncleanAndHasAllThatWasAccepted() throws Exception {
    Event event = killed();
    try (TestStore it = new TestStore(data())) {
      assertThat(it.store.wasClean()).isFalse();
      assertThat(it.find(event)).isEqualTo(event);
    }
  }

  /** As after a stop on a full disk. */
  @Test
  void aRunCountsUnlessAStopCutItOffThoughThatCouldNotBeWritten() throws Exception {
    TestStore first = new TestStore(data());
    Event event = first.append("t1", "k1");
    int _ = first.store.inbox().start(event.seq(), 10);
    first.store.markStopped();
    first.close(); // without the clean marker
    TestStore stopped = new TestStore(data());
    assertThat(stopped.store.wasClean()).isFalse();
    assertThat(stopped.store.lastRun().cut()).extracting(CutEvent::attempts).containsExactly(1);
    assertThat(stopped.find(event).attempts()).isZero();
    assertThat(stopped.store.stories().of(event.id()).getLast().json()).contains("stop");
    int _ = stopped.store.inbox().start(event.seq(), 10);
    stopped.close(); // as a crash leaves it
    Files.writeString(file("stop_mark"), "of another run");
    try (TestStore killed = new TestStore(data())) {
      assertThat(killed.find(event).attempts()).isEqualTo(1);
      assertThat(killed.store.stories().of(event.id()))
          .filteredOn(line -> line.what().equals(Stories.CUT_OFF))
          .extracting(StoryLine::json)
          .containsExactly("{\"by\":\"stop\"}", "{\"by\":\"crash\"}");
    }
  }

  @Test
  void aCleanStopIsKnownOnceAndAForgedOrStaleMarkerIsNot() throws Exception {
    TestStore first = new TestStore(data());
    assertThat(first.store.wasClean()).as("a new folder").isTrue();
    first.closeCleanly();
    String marker = Files.readString(file("clean_shutdown"));
    assertThat(file("holdfast.db-wal")).doesNotExist();

    TestStore second = new TestStore(data());
    assertThat(second.store.wasClean()).isTrue();
    assertThat(file("clean_shutdown")).doesNotExist();
    second.close();

    Files.writeString(file("clean_shutdown"), marker);
    TestStore stale = new TestStore(data());
    assertThat(stale.store.wasClean()).as("a marker of the run before").isFalse();
    stale.close();

    Files.writeString(file("clean_shutdown"), UUID.randomUUID().toString());
    TestStore forged = new TestStore(data());
    assertThat(forged.store.wasClean()).as("a marker of nobody").isFalse();
    forged.close();

    Files.createDirectory(file("clean_shutdown"));
    TestStore unreadable = new TestStore(data());
    assertThat(unreadable.store.wasClean()).isFalse();
    unreadable.close();
  }

  @Test
  void aDatabaseRestoredBesideTheLogOfAnotherIsRefused() throws Exception {
    TestStore yesterday = new TestStore(data());
    yesterday.append("t1", "old");
    yesterday.closeCleanly();
    Files.copy(file("holdfast.db"), root.resolve("backup"));
    Files.delete(file("holdfast.db"));
    Files.delete(file("clean_shutdown"));
    killed();
    Files.copy(root.resolve("backup"), file("holdfast.db"), StandardCopyOption.REPLACE_EXISTING);
    byte[] before = Files.readAllBytes(file("holdfast.db"));
    refusedWith(65, "holdfast.db-wal", "does not belong");
    assertThat(Files.readAllBytes(file("holdfast.db"))).isEqualTo(before);
  }

  @Test
  void aLogThatIsGoneIsRefusedUntilTheOperatorGivesItUp() throws Exception {
    killed();
    Files.delete(file("holdfast.db-wal"));
    refusedWith(65, "holdfast.db-wal", "missing");
    Files.delete(file("holdfast.run"));
    refusedWith(65, "holdfast.db", "copied from a running server");
    Files.writeString(file("holdfast.run"), "accept-loss\n");
    new TestStore(data()).close();
    new TestStore(data()).close();
  }

  @Test
  void aDatabaseThatIsGoneOrEmptyIsRefusedWhereAServerHasRun() throws Exception {
    for (boolean clean : List.of(true, false)) {
      for (boolean gone : List.of(true, false)) {
        for (String alone : List.of("", "clean_shutdown", "holdfast.run", "holdfast.db-wal")) {
          anEarlierRun(clean);
          if (!alone.isEmpty() && !Files.exists(file(alone))) {
            continue;
          }
          leaveOnly(alone);
          Files.deleteIfExists(file("holdfast.db"));
          if (!gone) {
            Files.createFile(file("holdfast.db"));
          }
          refusedWith(65, "holdfast.db is " + (gone ? "missing" : "empty"), "accept-loss");
          assertThatThrownBy(() -> DataFolder.at(data()).inspect(false))
              .isInstanceOf(StartRefusedException.class)
              .hasMessageContaining("holdfast.db is");
          assertThat(Files.exists(file("holdfast.db"))).isEqualTo(!gone);
          Files.writeString(file("holdfast.run"), "accept-loss\n");
          TestStore it = new TestStore(data());
          assertThat(it.store.inbox().open(0, 10)).isEmpty();
          it.append("t1", "k1");
          it.close();
        }
      }
    }
  }

  @Test
  void aRestoreThatWasCutOffWhileItSaidSoIsToldAsOne() throws Exception {
    emptied(data());
    Files.createDirectories(data());
    Files.createFile(file("holdfast.run"));
    refusedWith(65, "restore was cut off", "restore the backup again");
  }

  private void anEarlierRun(boolean clean) throws Exception {
    emptied(root.resolve("alive"));
    emptied(data());
    TestStore it = new TestStore(root.resolve("alive"));
    it.append("t1", "k1");
    if (clean) {
      it.closeCleanly();
    }
    copyFolder(root.resolve("alive"), data());
    it.close();
  }

  /** {@code name} empty: all. */
  private void leaveOnly(String name) throws IOException {
    try (Stream<Path> files = Files.list(data())) {
      for (Path path : files.toList()) {
        if (!name.isEmpty() && !path.endsWith(name)) {
          Files.delete(path);
        }
      }
    }
  }

  private static void emptied(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path path : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  /** What an operator may put there beforehand. */
  @Test
  void aFolderInWhichNoServerHasRunIsBegun() throws Exception {
    Files.createDirectories(data().resolve("memory"));
    Files.createDirectories(data().resolve("skills/one"));
    Files.writeString(file("token"), "m3J-Zk_q0aYx7m3J-Zk_q0aYx7m3J-Zk_q0aYx7m3J1");
    Files.createFile(file("holdfast.db"));
    try (TestStore it = new TestStore(data())) {
      it.append("t1", "k1");
    }
  }

  @Test
  void aDatabaseThatWasCopiedWithoutTheRestIsRefusedUnlessItWasStopped() throws Exception {
    try (TestStore it = new TestStore(root.resolve("alive"))) {
      it.append("t1", "k1");
      Files.createDirectories(data());
      Files.copy(root.resolve("alive/holdfast.db"), file("holdfast.db"));
      it.closeCleanly();
    }
    refusedWith(65, "holdfast.db", "copied from a running server", "accept-loss");
    Files.copy(
        root.resolve("alive/holdfast.db"),
        file("holdfast.db"),
        StandardCopyOption.REPLACE_EXISTING);
    try (TestStore it = new TestStore(data())) {
      assertThat(it.store.inbox().open(0, 10)).hasSize(1);
    }
  }

  @Test
  void aChangedByteInTheLogIsFoundUnlessItCouldBeTheEndOfAPowerCut() throws Exception {
    Path log = file("holdfast.db-wal");
    List<String> keys = new ArrayList<>();
    try (TestStore it = new TestStore(root.resolve("alive"))) {
      for (int i = 0; i < 10; i++) {
        it.append("t1", "k" + i);
        keys.add("k" + i);
      }
      copyFolder(root.resolve("alive"), data());
    }
    byte[] whole = Files.readAllBytes(log);
    for (int at = 0; at < whole.length - 12 * 4120; at += 1009) {
      byte[] changed = whole.clone();
      changed[at] ^= 0x10;
      Files.write(log, changed);
      refusedWith(65, "holdfast.db-wal", "damaged");
    }
    for (int at = whole.length - 12 * 4120; at < whole.length; at += 509) {
      byte[] changed = whole.clone();
      changed[at] ^= 0x10;
      Files.write(log, changed);
      refusedWith(65, "holdfast.db", "holdfast.run");
    }
    Files.write(log, Arrays.copyOf(whole, whole.length - 100));
    Files.delete(file("holdfast.commits")); // a power cut may take what was not synced
    try (TestStore it = new TestStore(data())) {
      List<String> kept = it.store.inbox().open(0, 100).stream().map(Event::dedupeKey).toList();
      assertThat(keys).startsWith(kept.toArray(String[]::new));
      assertThat(kept).hasSizeGreaterThanOrEqualTo(9);
      assertThat(it.equationHolds()).isTrue();
    }
  }

  /** Row F23: SQLite itself takes a log that was cut for one that ends there. */
  @Test
  void aLogThatWasCutAnywhereIsRefusedUntilTheOperatorGivesItUp() throws Exception {
    Path alive = root.resolve("alive");
    try (TestStore it = new TestStore(alive)) {
      for (int i = 0; i < 12; i++) {
        it.append("t" + i % 2, "k" + i);
      }
      copyFolder(alive, data());
    }
    byte[] log = Files.readAllBytes(file("holdfast.db-wal"));
    copyFolder(data(), root.resolve("whole"));
    for (int length = 0; length < log.length; length += 4120) {
      copyFolder(root.resolve("whole"), data());
      Files.write(file("holdfast.db-wal"), Arrays.copyOf(log, length));
      refusedWith(65, "holdfast.db", "holdfast.run");
    }
    Files.write(file("holdfast.db-wal"), Arrays.copyOf(log, log.length - 4120));
    Files.writeString(file("holdfast.run"), "accept-loss\n");
    try (TestStore it = new TestStore(data())) {
      assertThat(it.store.inbox().open(0, 100)).hasSizeLessThan(12);
    }
    new TestStore(data()).close();
  }

  @Test
  void aMarkOfTheCommitsThatIsDamagedOrOfAnotherRunRefusesNothing() throws Exception {
    Event event = killed();
    byte[] mark = Files.readAllBytes(file("holdfast.commits"));
    copyFolder(data(), root.resolve("whole"));
    for (int i = 0; i < mark.length; i++) {
      copyFolder(root.resolve("whole"), data());
      byte[] changed = mark.clone();
      changed[i] ^= 0x40;
      Files.write(file("holdfast.commits"), i % 2 == 0 ? changed : Arrays.copyOf(mark, i));
      try (TestStore it = new TestStore(data())) {
        assertThat(it.find(event)).isEqualTo(event);
      }
    }
  }

  @Test
  void aLostIndexOfTheLogIsBuiltAgain() throws Exception {
    Event event = killed();
    Files.deleteIfExists(file("holdfast.db-shm"));
    try (TestStore it = new TestStore(data())) {
      assertThat(it.find(event)).isEqualTo(event);
    }
  }

  @Test
  void aNewerSchemaIsRefusedUnchanged() throws Exception {
    new TestStore(data()).closeCleanly();
    TestStore.sql(data(), "pragma user_version = 99");
    refusedWith(65, "holdfast.db", "newer Holdfast", "99");
  }

  /** The start may be tried again in the same process. */
  @Test
  void aStartThatIsRefusedLeavesNothingRunningOrOpen() throws Exception {
    new TestStore(data()).closeCleanly();
    TestStore.sql(data(), "update meta set value = '99' where name like 'tables.%'");
    for (int i = 0; i < 2; i++) {
      refusedWith(65, "newer Holdfast");
      assertThat(Thread.getAllStackTraces().keySet())
          .extracting(Thread::getName)
          .noneMatch(name -> name.startsWith("holdfast-store"));
      assertThat(file("holdfast.db-wal")).doesNotExist();
    }
    TestStore.sql(data(), "pragma user_version = 99");
    refusedWith(65, "newer Holdfast");
    assertThat(file("holdfast.db-wal")).doesNotExist();
  }

  @Test
  void aDamagedDatabaseIsRefusedByName() throws Exception {
    TestStore it = new TestStore(data());
    for (int i = 0; i < 500; i++) {
      it.append("t" + i, "k" + i);
    }
    it.close();
    damage(file("holdfast.db"), 4096 * 3, 4096 * 6);
    refusedWith(65, "holdfast.db", "; restore a backup");
    Files.writeString(file("holdfast.db"), "this is no database at all, only some text in a file");
    refusedWith(65, "holdfast.db", "; restore a backup");
  }

  @Test
  void aRefusedStartLeavesADamagedDatabaseAndItsLogAsTheyWere() throws Exception {
    killed();
    damage(file("holdfast.db"), 4096 * 3, (int) Files.size(file("holdfast.db")));
    byte[] before = Files.readAllBytes(file("holdfast.db"));
    byte[] log = Files.readAllBytes(file("holdfast.db-wal"));
    assertThat(log).isNotEmpty();
    for (int i = 0; i < 2; i++) {
      refusedWith(65, "holdfast.db is damaged", "; restore a backup");
      assertThat(Files.readAllBytes(file("holdfast.db"))).isEqualTo(before);
      assertThat(Files.readAllBytes(file("holdfast.db-wal"))).isEqualTo(log);
    }
  }

  private static void damage(Path path, int from, int to) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(from);
      for (int i = from; i < to; i++) {
        file.write(0x5a);
      }
    }
  }

  @Test
  void aChangedByteOfAnOpenEventIsQuarantinedCountedAndNeverServed() throws Exception {
    List<Consumer<Path>> hurts =
        List.of(
            folder ->
                TestStore.sql(folder, "update payloads set payload = 'x' || payload where seq = 1"),
            folder -> TestStore.sql(folder, "update events set dedupe_key = 'k3' where seq = 1"),
            folder ->
                TestStore.sql(
                    folder, "update events set received_at = received_at + 1 where seq = 1"),
            folder -> TestStore.sql(folder, "update events set id = id || 'x' where seq = 1"),
            folder -> TestStore.sql(folder, "update events set crc = crc + 1 where seq = 1"),
            folder -> TestStore.sql(folder, "update events set thread = 77 where seq = 1"),
            folder -> TestStore.sql(folder, "delete from payloads where seq = 1"));
    int n = 0;
    for (Consumer<Path> hurt : hurts) {
      Path folder = root.resolve("hurt" + n++);
      TestStore first = new TestStore(folder);
      first.append("t1", "k1");
      Event good = first.append("t1", "k2");
      first.close();
      hurt.accept(folder);
      try (TestStore it = new TestStore(folder)) {
        assertThat(it.store.inbox().open(0, 10)).containsExactly(good);
        TestStore.await(
            () ->
                it.store.deadLetters().counts(ThreadReader.OPERATOR).getOrDefault("event", 0L)
                    == 1);
        assertThat(it.store.inbox().open(0, 10)).containsExactly(good);
        assertThat(it.store.inbox().counts())
            .containsEntry("dead_lettered", 1L)
            .containsEntry("pending", 1L);
        assertThat(it.equationHolds()).isTrue();
        assertThat(it.registry.get("holdfast.quarantined.rows").gauge().value()).isEqualTo(1);
        assertThat(it.fatals).isEmpty();
        DeadLetter letter =
            it.store.deadLetters().list(ThreadReader.OPERATOR, "", Instant.MAX, 10).getFirst();
        assertThat(it.store.deadLetters().replay(letter.id())).isFalse();
      }
    }
  }

  @Test
  void aChangedByteOfAFinishedEventIsToldAsDamagedAfterARestartToo() throws Exception {
    TestStore first = new TestStore(data());
    Event event = first.append("t1", "k1");
    first.store.inbox().finish(TestStore.finish(event, EventState.ANSWERED));
    first.close();
    TestStore.sql(data(), "update payloads set payload = 'x' || payload where seq = 1");
    try (TestStore it = new TestStore(data())) {
      List<DamagedRow> heard = new CopyOnWriteArrayList<>();
      it.store.onDamaged(heard::add);
      assertThat(it.store.inbox().find(event.id())).isEmpty();
      TestStore.await(() -> heard.contains(new DamagedRow("event", event.id(), false)));
      assertThat(it.store.inbox().damaged(event.id()).orElseThrow().payload()).isEmpty();
      TestStore.await(() -> it.store.damagedRows() == 1);
      assertThat(it.store.deadLetters().counts(ThreadReader.OPERATOR).getOrDefault("event", 0L))
          .isZero();
    }
    try (TestStore it = new TestStore(data())) {
      assertThat(it.store.damagedRows()).isEqualTo(1);
      assertThat(it.store.inbox().find(event.id())).isEmpty();
      assertThat(it.store.inbox().damaged("k1"))
          .get()
          .extracting(Event::id, Event::state)
          .containsExactly(event.id(), EventState.ANSWERED);
      assertThat(it.store.stories().of(event.id()))
          .extracting(StoryLine::what)
          .contains("event.damaged");
    }
  }

  @Test
  void damagedRowsAreCountedUntilTheyAreRemoved() throws Exception {
    ManualTime time = new ManualTime();
    try (TestStore it = new TestStore(data(), TestStore.INBOX, time)) {
      Event event =
          it.store
              .inbox()
              .append(new NewEvent("webhook:ci", "webhook:ci:t1", "k1", "{}", time.now()))
              .join()
              .event();
      it.store.inbox().finish(TestStore.finish(event, EventState.ANSWERED));
      TestStore.sql(data(), "update events set crc = crc + 1 where seq = 1");
      assertThat(it.store.inbox().find(event.id())).isEmpty();
      TestStore.await(() -> it.store.damagedRows() == 1);
      time.advance(TestStore.INBOX.dedupeTime().plusHours(1));
      assertThat(it.purge()).isEqualTo(1);
      assertThat(it.store.damagedRows()).isZero();
    }
  }

  @Test
  void anEventThatIsWholeOrUnknownIsNotDamaged() throws Exception {
    try (TestStore it = new TestStore(data())) {
      Event event = it.append("t1", "k1");
      assertThat(it.store.inbox().damaged(event.id())).isEmpty();
      assertThat(it.store.inbox().damaged("k1")).isEmpty();
      assertThat(it.store.inbox().damaged("nothing")).isEmpty();
    }
  }

  @Test
  void aChangedByteOfAnOpenReplyIsNeverPosted() throws Exception {
    TestStore first = new TestStore(data());
    Event event = first.append("t1", "k1");
    first
        .store
        .inbox()
        .finish(TestStore.finish(event, EventState.ANSWERED, TestStore.reply(event, "a.1", false)));
    first.close();
    TestStore.sql(data(), "update replies set text = 'send money' where seq = 1");
    try (TestStore it = new TestStore(data())) {
      assertThat(it.store.outbox().openOf(event.threadId(), 10)).isEmpty();
      TestStore.await(
          () ->
              it.store.deadLetters().counts(ThreadReader.OPERATOR).getOrDefault("reply", 0L) == 1);
      assertThat(it.find(event).state()).isEqualTo(EventState.DEAD_LETTERED);
      assertThat(it.store.outbox().depth()).isZero();
      assertThat(it.equationHolds()).isTrue();
    }
  }

  @Test
  void everythingIsReadableByItsOwnerAlone() throws Exception {
    try (TestStore it = new TestStore(data())) {
      it.append("t1", "k1");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data())))
          .isEqualTo("rwx------");
      try (var files = Files.list(data())) {
        assertThat(files.toList())
            .hasSizeGreaterThanOrEqualTo(4)
            .allSatisfy(
                file ->
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------"));
      }
    }
  }

  @Test
  void theTokenIsMadeOnceAndOneThatWasCutOrChangedIsRefused() throws Exception {
    Files.createDirectories(data());
    Secret made = ApiToken.loadOrMake(data());
    assertThat(made.reveal()).hasSizeGreaterThan(43).matches("[A-Za-z0-9_-]+");
    assertThat(ApiToken.loadOrMake(data())).isEqualTo(made);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file("token"))))
        .isEqualTo("rw-------");
    byte[] whole = made.reveal().getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < whole.length; i++) {
      Files.write(file("token"), Arrays.copyOf(whole, i));
      tokenIsRefused();
      for (int bit = 1; bit < 256; bit *= 2) {
        byte[] changed = whole.clone();
        changed[i] ^= (byte) bit;
        Files.write(file("token"), changed);
        tokenIsRefused();
      }
    }
    Files.delete(file("token"));
    assertThat(ApiToken.loadOrMake(data())).isNotEqualTo(made);
  }

  private void tokenIsRefused() {
    assertThatThrownBy(() -> ApiToken.loadOrMake(data()))
        .isInstanceOfSatisfying(
            StartRefusedException.class, e -> assertThat(e.exitCode()).isEqualTo(65))
        .hasMessageContainingAll("token is damaged", "delete it");
  }

  @Test
  void aTokenFromBeforeTheCheckStillOpens() throws Exception {
    Files.createDirectories(data());
    String old = "m3J-Zk_q0aYx7m3J-Zk_q0aYx7m3J-Zk_q0aYx7m3J1";
    Files.writeString(file("token"), old + "\n");
    assertThat(ApiToken.loadOrMake(data()).reveal()).isEqualTo(old);
    for (int i = 0; i < old.length(); i++) {
      Files.writeString(file("token"), old.substring(0, i));
      tokenIsRefused();
    }
  }
}
