package dev.holdfast.store.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.engine.FailStop;
import dev.holdfast.time.ManualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThreadLogTest {
  private static final String ID = "webhook:ci:t1";

  @TempDir Path root;
  private final List<String> fatals = new ArrayList<>();
  private final DamagedLines damaged = new DamagedLines();
  private final LogTurns turns = new LogTurns();

  private ThreadFiles files() {
    return files(new ThreadFilesConfig(65_536, 3));
  }

  private ThreadFiles files(ThreadFilesConfig limits) {
    return new ThreadFiles(
        ID,
        new FolderClaim(root.resolve("t")),
        new ThreadFiles.Host(
            new FailStop((code, text) -> fatals.add(code + text)),
            new ManualTime(),
            new AtomicLong(10_000_000),
            (_, _) -> {},
            limits,
            damaged,
            turns,
            _ -> {}));
  }

  @Test
  void theLogKeepsItsLinesApartFromATornOne() throws Exception {
    ThreadFiles files = files();
    files.log("{\"id\":\"1\"}");
    Files.writeString(
        root.resolve("t/log.jsonl"),
        "{\"id\":\"to",
        StandardCharsets.UTF_8,
        StandardOpenOption.APPEND);
    assertThat(files.readLog(10)).containsExactly("{\"id\":\"1\"}");
    files().log("{\"id\":\"2\"}");
    assertThat(files.readLog(10)).containsExactly("{\"id\":\"1\"}", "{\"id\":\"2\"}");
    assertThat(files.readLog(1)).containsExactly("{\"id\":\"2\"}");
  }

  @Test
  void whatSeveralThreadsWriteAtTheSameTimeAllStandsInTheLog() throws Exception {
    CountDownLatch together = new CountDownLatch(4);
    List<Thread> writers = new ArrayList<>();
    for (int writer = 0; writer < 4; writer++) {
      int first = writer * 100;
      writers.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    together.countDown();
                    try {
                      together.await();
                      for (String line : said(first, first + 100)) {
                        files().log(line);
                      }
                    } catch (IOException | InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                  }));
    }
    for (Thread writer : writers) {
      writer.join();
    }
    assertThat(files().readLog(1000)).containsExactlyInAnyOrderElementsOf(said(0, 400));
    assertThat(damaged.count()).isZero();
  }

  private static String said(int n) {
    return said(n, "grüße \\\"%d\\\", {\\n}".formatted(n));
  }

  private static String said(int n, String text) {
    return "{\"id\":\"i%d\",\"at\":\"2026-01-01T00:00:00Z\",\"role\":\"user\",\"event\":\"e%d\",\"sender\":\"ann\",\"text\":\"%s\"}"
        .formatted(n, n, text);
  }

  private static List<String> said(int from, int to) {
    return IntStream.range(from, to).mapToObj(ThreadLogTest::said).toList();
  }

  private Path log() {
    return root.resolve("t/log.jsonl");
  }

  /** Row F24: each byte of a line becomes each of some others; what is shown was said so. */
  @Test
  void aChangedByteInTheLogIsNeverShownAsAMessage() throws Exception {
    ThreadFiles files = files();
    for (String line : said(0, 3)) {
      files.log(line);
    }
    byte[] whole = Files.readAllBytes(log());
    for (int i = 0; i < whole.length; i++) {
      for (int change : new int[] {0x01, 0x02, 0x20, 0x80, whole[i] ^ ' ', whole[i] ^ '"'}) {
        byte[] changed = whole.clone();
        changed[i] ^= (byte) change;
        Files.write(log(), changed);
        List<String> shown = files.readLog(10);
        assertThat(shown).as("byte %d ^ %d", i, change).isSubsetOf(said(0, 3));
        int lost = whole[i] == '\n' ? 2 : 1;
        assertThat(shown.size()).as("byte %d ^ %d", i, change).isBetween(3 - lost, 3);
      }
    }
    assertThat(damaged.count()).isPositive();
  }

  @Test
  void aDamagedLineIsCountedOnceHoweverOftenItIsLookedAt() throws Exception {
    ThreadFiles files = files();
    for (String line : said(0, 3)) {
      files.log(line);
    }
    byte[] bytes = Files.readAllBytes(log());
    bytes[20] ^= 1;
    Files.write(log(), bytes);
    assertThat(files.readLog(10)).isEqualTo(said(1, 3));
    assertThat(files.readLog(10)).isEqualTo(said(1, 3));
    assertThat(damaged.count()).isEqualTo(1);
  }

  @Test
  void linesFromBeforeTheChecksumAreStillRead() throws Exception {
    files().log(said(0));
    Files.writeString(log(), said(1) + "\n" + said(2) + "\n");
    files().log(said(3));
    assertThat(files().readLog(10)).isEqualTo(said(1, 4));
  }

  @Test
  void aLogThatGrowsToItsLimitGoesOnInANewFileAndIsReadAcross() throws Exception {
    ThreadFiles files = files();
    String filler = "x".repeat(5000);
    for (int i = 0; i < 40; i++) {
      files.log(said(i, filler));
      if (i % 7 == 0) {
        assertThat(files().readLog(1000)).as("after line %d", i).hasSize(i + 1);
      }
    }
    assertThat(Files.size(log())).isLessThan(65_536 + 6000);
    assertThat(root.resolve("t/log.1.jsonl.gz")).exists();
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(root.resolve("t/log.1.jsonl.gz"))))
        .isEqualTo("rw-------");
    List<String> lines = files.readLog(30);
    assertThat(lines).hasSize(30);
    assertThat(lines.getFirst()).startsWith("{\"id\":\"i10\"");
    assertThat(lines.getLast()).startsWith("{\"id\":\"i39\"");
    assertThat(files.readLog(1)).containsExactly(said(39, filler));
  }

  @Test
  void aLogNeverOutgrowsItsLimitsAndTheNewestStays() throws Exception {
    ThreadFiles files = files();
    String filler = "x".repeat(20_000);
    for (int i = 0; i < 60; i++) {
      files.log(said(i, filler));
    }
    try (Stream<Path> all = Files.list(root.resolve("t"))) {
      assertThat(all.map(path -> path.getFileName().toString()).filter(name -> name.endsWith("gz")))
          .hasSize(3);
    }
    List<String> lines = files.readLog(1000);
    assertThat(lines).hasSizeBetween(10, 20).last().asString().startsWith("{\"id\":\"i59\"");
    assertThat(lines).doesNotHaveDuplicates();
  }

  /** A crash between the two steps of a rotation leaves the lines in both files. */
  @Test
  void aRotationThatWasCutOffShowsNothingTwice() throws Exception {
    ThreadFiles files = files();
    String filler = "x".repeat(10_000);
    byte[] before = new byte[0];
    for (int i = 0; !Files.exists(root.resolve("t/log.1.jsonl.gz")); i++) {
      before = Files.exists(log()) ? Files.readAllBytes(log()) : before;
      files.log(said(i, filler));
    }
    assertThat(log()).doesNotExist();
    List<String> whole = files.readLog(1000);
    Files.write(log(), before);
    assertThat(files().readLog(1000))
        .hasSize(whole.size())
        .containsExactlyInAnyOrderElementsOf(whole);
    files().log(said(999));
    assertThat(files().readLog(1000)).hasSize(whole.size() + 1).endsWith(said(999));
  }

  @Test
  void aDamagedEarlierPartOfALogCostsNoMoreThanItself() throws Exception {
    ThreadFiles files = files();
    String filler = "x".repeat(10_000);
    for (int i = 0; i < 10; i++) {
      files.log(said(i, filler));
    }
    Path part = root.resolve("t/log.1.jsonl.gz");
    byte[] zipped = Files.readAllBytes(part);
    List<String> whole = files.readLog(1000);
    for (int i = 0; i < zipped.length; i++) {
      byte[] changed = zipped.clone();
      changed[i] ^= 0x10;
      Files.write(part, changed);
      List<String> shown = files.readLog(1000);
      assertThat(shown).as("byte %d", i).isSubsetOf(whole).endsWith(said(9, filler));
      Files.write(part, Arrays.copyOf(zipped, i));
      assertThat(files.readLog(1000)).as("cut at %d", i).isSubsetOf(whole);
    }
  }

  @Test
  void ofVeryLongLinesTheNewestAreReadAsFarAsTheyFitIntoMemory() throws Exception {
    ThreadFiles files = files(new ThreadFilesConfig(1 << 22, 50));
    String filler = "x".repeat(1 << 20);
    for (int i = 0; i < 18; i++) {
      files.log(said(i, filler));
    }
    List<String> lines = files.readLog(1000);
    assertThat(lines.stream().mapToLong(String::length).sum())
        .isBetween(LogPage.UNITS_MAX / 2, LogPage.UNITS_MAX + 2L * filler.length());
    assertThat(lines).last().asString().startsWith("{\"id\":\"i17\"");
    assertThat(lines).isEqualTo(files.readLog(lines.size()));
    assertThat(files.readLog(2)).hasSize(2);
  }

  @Test
  void aPageEndsBeforeTheLineThatItIsTold() throws Exception {
    ThreadFiles files = files();
    for (String line : said(0, 40)) {
      files.log(line);
    }
    assertThat(files.readLog(new LogPage(3, 1 << 20, "i20"))).isEqualTo(said(17, 20));
    assertThat(files.readLog(new LogPage(3, 1 << 20, "i0"))).isEmpty();
    assertThat(files.readLog(new LogPage(3, 1 << 20, "nobody's"))).isEmpty();
    int units = said(19).length() + 1; // one line is not enough
    assertThat(files.readLog(new LogPage(100, units, "i20"))).isEqualTo(said(18, 20));
  }

  @Test
  void allOfALogInSeveralPartsIsReadPageByPage() throws Exception {
    ThreadFiles files = files(new ThreadFilesConfig(65_536, 50));
    List<String> all = IntStream.range(0, 60).mapToObj(n -> said(n, n + "x".repeat(5000))).toList();
    for (String line : all) {
      files.log(line);
    }
    assertThat(pages(files, 7, 1 << 20)).isEqualTo(all);
    assertThat(pages(files, 1000, 7000)).isEqualTo(all);
  }

  /** All lines, as whoever reads further and further back gets them. */
  private static List<String> pages(ThreadFiles files, int lines, long units) throws IOException {
    List<String> read = new ArrayList<>();
    List<String> page = files.readLog(new LogPage(lines, units, ""));
    while (!page.isEmpty() && read.size() < 1000) {
      read.addAll(0, page);
      String before = page.getFirst().split("\"", -1)[3];
      page = files.readLog(new LogPage(lines, units, before));
    }
    return read;
  }
}
