package dev.holdfast.tools.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.libc.FileCalls;
import dev.holdfast.store.Store;
import dev.holdfast.store.TestStore;
import dev.holdfast.time.ManualTime;
import dev.holdfast.tools.files.Sha256;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A person edits a MEMORY.md in the moment in which it is replaced. */
class MemoryEditsTest {
  private static final int TRIALS = 400;
  private static final Memory.Scope SCOPE = new Memory.Scope.OfThread("web:main:t");
  private static final byte[] OLD = "- one\n- two\n".getBytes(UTF_8);
  private static final byte[] NEW = "- two\n".getBytes(UTF_8);

  @TempDir Path folder;
  @AutoClose private Store store;
  private Memory memory;
  private Path file;

  /** How a person saves a line. */
  private enum Editor {
    /** As {@code echo >>} does. */
    APPEND {
      @Override
      void save(Path file, String line) throws IOException {
        Files.writeString(file, line, StandardOpenOption.APPEND);
      }
    },
    /** As most editors do. */
    RENAME {
      @Override
      void save(Path file, String line) throws IOException {
        Path draft = file.resolveSibling("draft");
        Files.writeString(draft, "- one\n- two\n" + line);
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
      }
    };

    abstract void save(Path file, String line) throws IOException;
  }

  @BeforeEach
  void open() throws Exception {
    store = TestStore.open(folder, new ManualTime(), new SimpleMeterRegistry());
    memory = new Memory(store, folder, 1000);
    Path owner = store.threads().of("web:main:t").folder();
    Files.createDirectories(owner);
    file = owner.resolve(Memory.FILE);
  }

  private boolean replace() throws IOException {
    return memory.replace(SCOPE, OLD, NEW, "sweep", Instant.EPOCH);
  }

  private List<String> versions() throws IOException {
    Path versions = file.resolveSibling(MemoryVersions.FOLDER);
    if (!Files.exists(versions)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(versions)) {
      return all.sorted().map(MemoryEditsTest::text).toList();
    }
  }

  private static String text(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatAPersonSavesAtTheSameMomentIsNotLost(Editor editor) throws Exception {
    long took = 1_000_000;
    int replaced = 0;
    for (int i = 0; i < TRIALS; i++) {
      Files.write(file, OLD);
      String line = "- mine " + i + "\n";
      long delay = ThreadLocalRandom.current().nextLong(took);
      AtomicBoolean go = new AtomicBoolean();
      Thread person =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!go.get()) {
                      Thread.onSpinWait();
                    }
                    long end = System.nanoTime() + delay;
                    while (System.nanoTime() < end) {
                      Thread.onSpinWait();
                    }
                    save(editor, line);
                  });
      go.set(true);
      long begun = System.nanoTime(); // where two writers meet
      boolean isReplaced = replace();
      took = Math.max(100_000, System.nanoTime() - begun);
      person.join();
      replaced += isReplaced ? 1 : 0;
      String now = Files.readString(file);
      assertThat(now.contains(line) || versions().stream().anyMatch(old -> old.contains(line)))
          .as("trial %d: replaced %s, now %s, versions %s", i, isReplaced, now, versions())
          .isTrue();
      if (!isReplaced) {
        assertThat(now).isEqualTo(new String(OLD, UTF_8) + line);
      }
      assertThat(file.resolveSibling("MEMORY.md.tmp")).doesNotExist();
    }
    assertThat(replaced).as("some were early and some late").isBetween(1, TRIALS);
  }

  @Test
  void whatIsWrittenLateToTheOldFileIsInItsVersion() throws Exception {
    Files.write(file, OLD);
    try (OutputStream open = Files.newOutputStream(file, StandardOpenOption.APPEND)) {
      assertThat(replace()).isTrue();
      open.write("- late\n".getBytes(UTF_8));
    }
    assertThat(file).hasBinaryContent(NEW);
    assertThat(versions()).containsExactly("- one\n- two\n- late\n");
  }

  @Test
  void aFileThatIsNotAsExpectedStaysAndIsNoVersion() throws Exception {
    Files.writeString(file, "- other\n");
    assertThat(replace()).isFalse();
    assertThat(file).hasContent("- other\n");
    assertThat(versions()).isEmpty();
    assertThat(memory.history(SCOPE)).isEmpty();
  }

  @Test
  void aCrashAfterTheReplacementLeavesItsVersionAndNoHalf() throws Exception {
    Files.write(file, OLD);
    store.texts().keep(file, version(1, "sweep"));
    Path half = file.resolveSibling("MEMORY.md.tmp");
    Files.write(half, NEW);
    assertThat(FileCalls.exchange(half.toString(), file.toString())).isZero();
    memory.settle(SCOPE, "sweep", Sha256.of(NEW), Instant.EPOCH);
    assertThat(half).doesNotExist();
    assertThat(file).hasBinaryContent(NEW);
    assertThat(versions()).containsExactly(new String(OLD, UTF_8));
  }

  @Test
  void aCrashBeforeTheReplacementLeavesOneVersion() throws Exception {
    Files.write(file, OLD);
    store.texts().keep(file, version(1, "sweep"));
    assertThat(replace()).isTrue();
    assertThat(versions()).containsExactly(new String(OLD, UTF_8));
  }

  /** Returns what is left beside the file: what a person has made of it just before the swap. */
  private Path crashInTheMomentOfAnEdit() throws IOException {
    Files.write(file, OLD);
    store.texts().keep(file, version(1, "sweep"));
    Path half = file.resolveSibling("MEMORY.md.tmp");
    Files.write(half, NEW);
    Editor.RENAME.save(file, "- mine\n");
    assertThat(FileCalls.exchange(half.toString(), file.toString())).isZero();
    return half;
  }

  @Test
  void aRestoreKeepsWhatACrashLeftInTheMomentOfAnEdit() throws Exception {
    Path half = crashInTheMomentOfAnEdit();
    memory.restore(SCOPE, OLD, Instant.EPOCH);
    assertThat(half).doesNotExist();
    assertThat(file).hasBinaryContent(OLD);
    assertThat(versions()).contains("- one\n- two\n- mine\n", new String(NEW, UTF_8));
  }

  @Test
  void aCrashInTheMomentOfAnEditKeepsTheEdit() throws Exception {
    Path half = crashInTheMomentOfAnEdit();
    memory.settle(SCOPE, "sweep", Sha256.of(NEW), Instant.EPOCH);
    assertThat(half).doesNotExist();
    assertThat(file).hasBinaryContent(NEW);
    assertThat(versions()).containsExactly("- one\n- two\n", "- one\n- two\n- mine\n");
  }

  @Test
  void aCrashBeforeTheReplacementLeavesNoHalf() throws Exception {
    Files.write(file, OLD);
    store.texts().keep(file, version(1, "sweep"));
    for (String half : List.of("- tw", new String(NEW, UTF_8))) {
      Files.writeString(file.resolveSibling("MEMORY.md.tmp"), half);
      memory.settle(SCOPE, "sweep", Sha256.of(NEW), Instant.EPOCH);
      assertThat(file.resolveSibling("MEMORY.md.tmp")).doesNotExist();
    }
    assertThat(versions()).containsExactly(new String(OLD, UTF_8));
  }

  @Test
  void aCrashInTheMomentOfAnEditKeepsTheEditAlsoIfTheFileIsEditedAgain() throws Exception {
    Path _ = crashInTheMomentOfAnEdit();
    Editor.APPEND.save(file, "- later\n");
    assertThat(memory.replace(SCOPE, Files.readAllBytes(file), OLD, "sweep", Instant.EPOCH))
        .isTrue();
    assertThat(versions()).contains("- one\n- two\n- mine\n", new String(NEW, UTF_8) + "- later\n");
  }

  @ParameterizedTest
  @EnumSource
  void whatAPersonSavesWhileALineIsRememberedIsNotLost(Editor editor) throws Exception {
    Files.write(file, OLD);
    for (int i = 0; i < 30; i++) {
      String line = "- mine " + i + "\n";
      Thread person = Thread.ofPlatform().start(() -> save(editor, line));
      assertThat(remember(i)).isEqualTo(Memory.Added.ADDED);
      person.join();
      String now = Files.readString(file);
      assertThat(now.contains(line) || versions().stream().anyMatch(old -> old.contains(line)))
          .as("trial %d: now %s, versions %s", i, now, versions())
          .isTrue();
      Files.write(file, OLD);
    }
  }

  private void save(Editor editor, String line) {
    try {
      editor.save(file, line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Memory.Added remember(int i) throws IOException {
    return remember(i, Instant.EPOCH);
  }

  private Memory.Added remember(int i, Instant now) throws IOException {
    return memory.add(SCOPE, "k" + i, LocalDate.EPOCH, "tea " + i, Memory.REMEMBER, now);
  }

  @Test
  void rememberedLinesLeaveOneVersionAfterAWhile() throws Exception {
    Files.write(file, OLD);
    assertThat(replace()).isTrue();
    for (int i = 0; i < 3; i++) {
      assertThat(remember(i)).isEqualTo(Memory.Added.ADDED);
    }
    assertThat(memory.history(SCOPE)).hasSize(4);
    assertThat(remember(3, Instant.EPOCH.plusSeconds(601))).isEqualTo(Memory.Added.ADDED);
    assertThat(memory.history(SCOPE).stream().map(MemoryVersion::by))
        .containsExactly("sweep", "remember");
  }

  @Test
  void whatIsWrittenLateToAnOpenFileIsKeptHoweverMuchIsRememberedMeanwhile() throws Exception {
    Files.write(file, OLD);
    String before = Files.readString(file);
    try (OutputStream open = Files.newOutputStream(file, StandardOpenOption.APPEND)) {
      for (int i = 0; i < 20; i++) {
        assertThat(remember(i)).isEqualTo(Memory.Added.ADDED);
      }
      open.write("- late\n".getBytes(UTF_8));
    }
    assertThat(remember(20, Instant.EPOCH.plusSeconds(601))).isEqualTo(Memory.Added.ADDED);
    assertThat(versions()).hasSize(2).contains(before + "- late\n");
  }

  private Path version(int number, String by) {
    return file.resolveSibling(
        MemoryVersions.FOLDER + "/" + new MemoryVersion(number, Instant.EPOCH, by, 0).fileName());
  }

  @Test
  void bytesThatAreNoTextStayWhenALineIsAdded() throws Exception {
    byte[] mine = {'-', ' ', (byte) 0xff, (byte) 0xfe, '\n'};
    Files.write(file, mine);
    assertThat(memory.add(SCOPE, "k", LocalDate.EPOCH, "tea", "promotion", Instant.EPOCH))
        .isEqualTo(Memory.Added.ADDED);
    assertThat(Files.readAllBytes(file)).startsWith(mine);
    assertThat(memory.version(SCOPE, 1)).hasValue(mine);
  }

  @Test
  void aRestoreKeepsAllOfALargeFile() throws Exception {
    byte[] large = new byte[3_000_000];
    Arrays.fill(large, (byte) '-');
    Files.write(file, large);
    memory.restore(SCOPE, NEW, Instant.EPOCH);
    assertThat(file).hasBinaryContent(NEW);
    assertThat(version(1, "restore")).hasBinaryContent(large);
  }

  @Test
  void aRestoreKeepsALink() throws Exception {
    Path elsewhere = folder.resolve("elsewhere");
    Files.write(elsewhere, OLD);
    Files.createSymbolicLink(file, elsewhere);
    memory.restore(SCOPE, NEW, Instant.EPOCH);
    assertThat(elsewhere).hasBinaryContent(OLD);
    assertThat(file).hasBinaryContent(NEW);
    assertThat(Files.readSymbolicLink(version(1, "restore"))).isEqualTo(elsewhere);
  }
}
