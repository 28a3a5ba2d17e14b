package dev.holdfast.store.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.FailStop;
import dev.holdfast.time.ManualTime;
import java.io.IOException;
import java.io.SyncFailedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThreadFilesTest {
  private static final String ID = "webhook:ci:t1";

  @TempDir Path root;
  private final List<String> fatals = new ArrayList<>();
  private final List<Boolean> unsaved = new ArrayList<>();
  private final DamagedLines damaged = new DamagedLines();

  private ThreadFiles files(Path folder) {
    return new ThreadFiles(
        ID,
        new FolderClaim(folder),
        new ThreadFiles.Host(
            new FailStop((code, text) -> fatals.add(code + text)),
            new ManualTime(),
            new AtomicLong(1_000_000),
            (_, any) -> unsaved.add(any),
            new ThreadFilesConfig(65_536, 3),
            damaged,
            new LogTurns(),
            _ -> {}));
  }

  private ThreadFiles files() {
    return files(root.resolve("t"));
  }

  private static ContextEntry entry(int n) {
    Instant at = Instant.parse("2026-01-01T00:00:00Z").plusSeconds(n);
    String json =
        "{\"type\":\"user\",\"id\":\"i%d\",\"at\":\"%s\",\"event\":\"e%d\",\"text\":\"grüße %d\"}"
            .formatted(n, at, n, n);
    return new ContextEntry("user", "i" + n, "e" + n, at, json);
  }

  private static List<ContextEntry> entries(int count) {
    List<ContextEntry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      entries.add(entry(i));
    }
    return entries;
  }

  private ThreadFiles written(int count) throws IOException {
    ThreadFiles files = files();
    for (ContextEntry entry : entries(count)) {
      files.append(entry);
    }
    files.sync();
    return files;
  }

  private Path context() {
    return root.resolve("t/context.jsonl");
  }

  @Test
  void whatIsAppendedIsLoadedAgain() throws Exception {
    ThreadFiles files = written(5);
    assertThat(files.loadContext()).isEqualTo(new ThreadFiles.Loaded(entries(5), 0, false));
    assertThat(files().loadContext()).isEqualTo(new ThreadFiles.Loaded(entries(5), 0, false));
    files.append(entry(5));
    assertThat(files().loadContext().entries()).isEqualTo(entries(6));
  }

  @Test
  void aThreadWithoutAFolderHasAnEmptyContextAndMakesNone() throws Exception {
    assertThat(files().loadContext()).isEqualTo(new ThreadFiles.Loaded(List.of(), 0, false));
    assertThat(files().readLog(10)).isEmpty();
    assertThat(root.resolve("t")).doesNotExist();
  }

  @Test
  void onlyTheOwnerMayRead() throws Exception {
    written(1);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(context())))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve("t"))))
        .isEqualTo("rwx------");
  }

  @Test
  void aFileCutAtAnyByteOfItsLastThreeLinesLosesOnlyTheLineThatWasCut() throws Exception {
    written(6);
    byte[] whole = Files.readAllBytes(context());
    int start = whole.length;
    for (int lines = 0; lines < 4; start--) {
      if (whole[start - 1] == '\n') {
        lines++;
      }
    }
    for (int length = start; length <= whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      Files.write(context(), cut);
      int expected = wholeLines(cut, length < whole.length && whole[length] == '\n');
      ThreadFiles.Loaded loaded = files().loadContext();
      assertThat(loaded.entries()).as("cut at %d", length).isEqualTo(entries(expected));
      assertThat(loaded.quarantined()).isZero();

      Files.write(context(), cut);
      ThreadFiles appending = files(); // without a load before it
      appending.append(entry(expected));
      appending.sync();
      assertThat(files().loadContext())
          .as("cut at %d, then appended", length)
          .isEqualTo(new ThreadFiles.Loaded(entries(expected + 1), 0, false));
    }
  }

  private static int wholeLines(byte[] bytes, boolean onlyTheLineEndIsMissing) {
    int lines = onlyTheLineEndIsMissing ? 1 : 0;
    for (byte one : bytes) {
      if (one == '\n') {
        lines++;
      }
    }
    return lines;
  }

  @Test
  void aChangedByteAnywhereIsFoundAndTheOtherLinesLoad() throws Exception {
    written(3);
    byte[] whole = Files.readAllBytes(context());
    for (int i = 0; i < whole.length; i++) {
      byte[] changed = whole.clone();
      changed[i] ^= 0x01;
      Files.write(context(), changed);
      ThreadFiles.Loaded loaded = files().loadContext();
      List<ContextEntry> left = loaded.entries().stream().filter(entry -> !entry.isLost()).toList();
      assertThat(left).as("byte %d", i).isSubsetOf(entries(3));
      int lost = whole[i] == '\n' ? 2 : 1;
      assertThat(left.size()).as("byte %d", i).isBetween(3 - lost, 3);
      boolean noticed = loaded.quarantined() > 0 || loaded.tornTail();
      assertThat(noticed || left.size() == 3).as("byte %d", i).isTrue();
      assertThat(loaded.entries().size() - left.size())
          .as("one mark in place of what was set aside, byte %d", i)
          .isEqualTo(loaded.quarantined() > 0 ? 1 : 0);
      assertThat(files().loadContext())
          .as("repaired, byte %d", i)
          .isEqualTo(new ThreadFiles.Loaded(loaded.entries(), 0, false));
    }
    assertThat(root.resolve("t/context.quarantine.jsonl")).exists();
  }

  @Test
  void replacingKeepsTheOldContextAndATemporaryFileIsIgnored() throws Exception {
    ThreadFiles files = written(4);
    Files.writeString(root.resolve("t/context.jsonl.tmp"), "half a fi");
    files.replaceContext(entries(1));
    files.append(entry(1));
    files.sync();
    assertThat(files.loadContext().entries()).isEqualTo(entries(2));
    files.replaceContext(List.of());
    assertThat(files().loadContext().entries()).isEmpty();
    assertThat(root.resolve("t/context.1.jsonl.gz")).exists();
    assertThat(root.resolve("t/context.2.jsonl.gz")).exists();
    assertThat(root.resolve("t/context.jsonl.tmp")).doesNotExist();
    assertThat(fatals).isEmpty();
  }

  @Test
  void aFolderOfAnotherThreadIsRefused() throws Exception {
    written(1);
    ThreadFiles other =
        new ThreadFiles(
            "webhook:ci:other",
            new FolderClaim(root.resolve("t")),
            new ThreadFiles.Host(
                new FailStop((_, _) -> {}),
                new ManualTime(),
                new AtomicLong(1000),
                (_, _) -> {},
                TestStore.FILES,
                damaged,
                new LogTurns(),
                _ -> {}));
    assertThatThrownBy(other::loadContext).hasMessageContaining("belongs to another thread");
    assertThatThrownBy(() -> other.append(entry(1))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> other.log("{\"id\":\"1\"}")).isInstanceOf(IOException.class);
    assertThat(files().loadContext().entries()).hasSize(1);
  }

  /** A changed letter of the owner's name must not lock the owner out. */
  @Test
  void aDamagedOwnerIsWrittenAgain() throws Exception {
    String id = "webhook:ci:t1";
    ThreadFolders folders =
        new ThreadFolders(root, new FailStop((_, _) -> {}), new ManualTime(), TestStore.FILES);
    folders.of(id).append(entry(1));
    Path meta = folders.of(id).folder().resolve("meta.json");
    String whole = Files.readString(meta);
    for (String damaged : List.of(whole.replace("t1", "t9"), whole.replace("{", "["), "")) {
      Files.writeString(meta, damaged);
      assertThat(folders.of(id).loadContext().entries()).as(damaged).hasSize(1);
      assertThat(Files.readString(meta)).as(damaged).contains(id);
    }
  }

  @Test
  void noMoreEarlierContextsAreKeptThanAllowed() throws Exception {
    ThreadFiles files = files();
    for (int i = 0; i < 8; i++) {
      files.append(entry(i));
      files.replaceContext(List.of(entry(i)));
    }
    for (int i = 1; i <= 5; i++) {
      assertThat(root.resolve("t/context." + i + ".jsonl.gz")).doesNotExist();
    }
    for (int i = 6; i <= 8; i++) {
      assertThat(root.resolve("t/context." + i + ".jsonl.gz")).exists();
    }
  }

  @Test
  void anInterruptDoesNotCutAnythingShort() throws Exception {
    Thread.currentThread().interrupt();
    try {
      ThreadFiles files = written(3);
      files.replaceContext(entries(2));
      files.log("{\"id\":\"1\"}");
      assertThat(files.loadContext().entries()).hasSize(2);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(fatals).isEmpty();
  }

  @Test
  void noIdLeadsOutOfItsFolderAndSimilarIdsDoNotMeet() throws Exception {
    try (TestStore it = new TestStore(root.resolve("data"))) {
      Path threads = root.resolve("data/threads");
      List<String> ids =
          List.of(
              "web:main:../../../etc/passwd",
              "web:main:a/b",
              "web:main:a.b",
              "web:main:A.b",
              "web:main:",
              "..:x:y",
              "web:main:" + "z".repeat(2000),
              "x",
              "web:main:\u0000\n",
              "web:main:-rf");
      List<Path> folders = new ArrayList<>();
      for (String id : ids) {
        ThreadFiles files = it.store.threads().of(id);
        files.append(entry(1));
        files.sync();
        folders.add(files.folder().toRealPath());
      }
      assertThat(folders).doesNotHaveDuplicates();
      assertThat(folders).allMatch(folder -> folder.startsWith(threads.toAbsolutePath()));
      assertThat(folders)
          .allMatch(folder -> threads.toAbsolutePath().relativize(folder).getNameCount() == 3);
    }
  }

  /** A killed process may have left lines that only the page cache has. */
  @Test
  void whatAnotherRunHasLeftIsSyncedBeforeAnythingIsBuiltOnIt() throws Exception {
    Path device = Files.createSymbolicLink(root.resolve("lines"), Path.of("/dev/null"));
    LineFile lines = new LineFile(device, LineFile.Torn.FENCE, new AtomicLong(1000));
    assertThatThrownBy(lines::sync)
        .as("no sync of a device")
        .isInstanceOf(SyncFailedException.class);
    LineFile missing = new LineFile(root.resolve("none"), LineFile.Torn.FENCE, new AtomicLong(9));
    missing.sync();
    assertThat(root.resolve("none")).doesNotExist();
  }

  @Test
  void aFolderThatSomebodyHasDeletedIsMadeAgainAndHasWhatCameMeanwhile() throws Exception {
    ThreadFolders folders =
        new ThreadFolders(root, new FailStop((_, _) -> {}), new ManualTime(), TestStore.FILES);
    folders.of(ID).log("{\"id\":\"1\"}");
    Path folder = folders.of(ID).folder();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
    folders.of(ID).log("{\"id\":\"2\"}");
    folders.of(ID).log("{\"id\":\"3\"}");
    assertThat(folders.of(ID).readLog(10))
        .satisfiesExactly(
            line -> assertThat(line).contains("\"2\""), line -> assertThat(line).contains("\"3\""));
    assertThat(folder.resolve("meta.json")).exists();
    assertThat(
            new ThreadFolders(root, new FailStop((_, _) -> {}), new ManualTime(), TestStore.FILES)
                .of(ID)
                .readLog(10))
        .hasSize(2);
  }
}
