package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.store.TestStore;
import dev.holdfast.store.backup.BackupReader;
import dev.holdfast.store.backup.RestoredCopy;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.messages.Event;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupTest {
  @TempDir Path root;
  private Path data;
  private Path other;
  private Path file;
  private CommandLineOf line;

  @BeforeEach
  void folders() {
    data = root.resolve("data");
    other = root.resolve("other");
    file = root.resolve("backup.zip");
    line = new CommandLineOf(root);
  }

  private int backup() {
    return line.run("backup", file.toString(), "--data", data.toString());
  }

  private int restore(String... more) {
    String[] args = {"restore", file.toString(), "--data", other.toString()};
    return line.run(Stream.concat(Arrays.stream(args), Arrays.stream(more)).toArray(String[]::new));
  }

  private void someFiles() throws IOException {
    Path thread = Files.createDirectories(data.resolve("threads/web/ab/t~0123456789ab"));
    Files.writeString(thread.resolve("context.jsonl"), "{\"type\":\"user\"}\n");
    Files.writeString(thread.resolve("context.jsonl.tmp"), "half");
    Files.createDirectories(thread.resolve("attachments"));
    Files.write(thread.resolve("attachments/a b.png"), new byte[100_000]);
    Files.createSymbolicLink(thread.resolve("link"), Path.of("/etc/passwd"));
    Files.createDirectories(data.resolve("skills/one"));
    Files.writeString(data.resolve("skills/one/SKILL.md"), "# one");
    Files.createDirectories(data.resolve("tmp"));
    Files.writeString(data.resolve("tmp/x"), "x");
    Files.writeString(data.resolve("token"), "secret\n");
    Files.writeString(data.resolve("holdfast.pid"), "1 2001-01-01T00:00:00Z\n");
  }

  @Test
  void whatIsRestoredIsACopyUnlessItIsPromotedAndNoBackupSaysSo() throws Exception {
    try (TestStore it = new TestStore(data)) {
      it.append("t", "k");
    }
    assertThat(backup()).as(line.err()).isZero();
    assertThat(restore()).as(line.err()).isZero();
    assertThat(line.err()).contains("holdfast promote");
    assertThat(RestoredCopy.in(other).isHeld()).isTrue();

    data = other;
    file = root.resolve("of-a-copy.zip");
    other = root.resolve("promoted");
    assertThat(backup()).as(line.err()).isZero();
    assertThat(restore("--promote")).as(line.err()).isZero();
    assertThat(line.err()).doesNotContain("holdfast promote");
    assertThat(RestoredCopy.in(other).isHeld()).isFalse();

    RestoredCopy copy = RestoredCopy.in(data);
    assertThat(copy.promote()).isTrue();
    assertThat(copy.promote()).isFalse();
    copy.awaitPromotion();
    assertThat(RestoredCopy.in(data).isHeld()).as("in the next run").isFalse();
  }

  private static List<String> events(TestStore it) {
    return it.store.inbox().open(0, 1000).stream().map(Event::dedupeKey).toList();
  }

  @Test
  void aRunningServersDataComesBackAsOfTheBackup() throws Exception {
    try (TestStore it = new TestStore(data)) {
      for (int i = 0; i < 20; i++) {
        it.append("t" + i % 3, "k" + i);
      }
      someFiles();
      assertThat(backup()).as(line.err()).isZero();
      assertThat(line.out()).contains("backed up and verified", "backup.zip");
      it.append("t1", "later");
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    try (Stream<Path> beside = Files.list(root)) {
      assertThat(beside.map(path -> String.valueOf(path.getFileName())))
          .containsExactlyInAnyOrder("data", "backup.zip");
    }
    assertThat(restore("--json")).as(line.err()).isZero();
    assertThat(line.out()).contains("\"files\" : 5", "\"bytes\"");
    assertThat(other.resolve("threads/web/ab/t~0123456789ab/context.jsonl"))
        .hasContent("{\"type\":\"user\"}");
    assertThat(other.resolve("threads/web/ab/t~0123456789ab/attachments/a b.png")).hasSize(100_000);
    assertThat(other.resolve("skills/one/SKILL.md")).hasContent("# one");
    assertThat(other.resolve("token")).hasContent("secret");
    assertThat(other.resolve("threads/web/ab/t~0123456789ab/link")).doesNotExist();
    assertThat(other.resolve("tmp")).doesNotExist();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(other)))
        .isEqualTo("rwx------");
    try (TestStore it = new TestStore(other)) {
      assertThat(events(it)).hasSize(20).contains("k0", "k19");
      assertThat(it.store.wasClean()).isFalse();
      assertThat(it.equationHolds()).isTrue();
    }
  }

  @Test
  void aStoppedServersDataCanBeBackedUpWhetherItWasKilledOrNot() throws Exception {
    for (boolean clean : new boolean[] {true, false}) {
      data = root.resolve("data" + clean);
      file = root.resolve("file" + clean);
      other = root.resolve("other" + clean);
      TestStore it = new TestStore(data);
      it.append("t", "k");
      if (clean) {
        it.closeCleanly();
      } else {
        killedCopy(it, root.resolve("killed"));
        data = root.resolve("killed");
      }
      assertThat(backup()).as(line.err()).isZero();
      assertThat(restore()).as(line.err()).isZero();
      try (TestStore back = new TestStore(other)) {
        assertThat(events(back)).containsExactly("k");
      }
      it.close();
    }
  }

  private static void killedCopy(TestStore it, Path to) throws IOException {
    Files.createDirectories(to);
    for (String name :
        List.of("holdfast.db", "holdfast.db-wal", "holdfast.run", "holdfast.commits")) {
      Files.copy(it.folder.resolve(name), to.resolve(name));
    }
    Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void dataThatLacksCommitsIsNotBackedUp() throws Exception {
    try (TestStore it = new TestStore(data)) {
      it.append("t", "k");
      killedCopy(it, root.resolve("killed"));
    }
    data = root.resolve("killed");
    Files.delete(data.resolve("holdfast.db-wal"));
    assertThat(backup()).isEqualTo(65);
    assertThat(line.err()).contains("holdfast.db-wal is missing");
    assertThat(file).doesNotExist();
  }

  @Test
  void dataOfANewerVersionIsNotBackedUp() throws Exception {
    new TestStore(data).closeCleanly();
    TestStore.sql(data, "pragma user_version = 99");
    assertThat(backup()).isEqualTo(65);
    assertThat(line.err()).contains("newer Holdfast");
    assertThat(file).doesNotExist();
  }

  @Test
  void cachesOfProgramsWhoseHomeItIsAreNotBackedUp() throws Exception {
    new TestStore(data).closeCleanly();
    Path cache = Files.createDirectories(data.resolve(".cache/holdfast"));
    Files.write(cache.resolve("commands.aot"), new byte[100_000]);
    assertThat(backup()).as(line.err()).isZero();
    assertThat(restore()).as(line.err()).isZero();
    assertThat(other.resolve(".cache")).doesNotExist();
  }

  @Test
  void nothingIsOverwritten() throws Exception {
    assertThat(backup()).isEqualTo(1);
    assertThat(line.err()).contains("holds no data");
    try (TestStore it = new TestStore(data)) {
      it.append("t", "k");
      assertThat(line.run("backup", data.resolve("b").toString(), "--data", data.toString()))
          .isEqualTo(1);
      assertThat(backup()).isZero();
      assertThat(backup()).isEqualTo(1);
      assertThat(line.err()).contains("exists");
    }
    Files.createDirectories(other);
    Files.writeString(other.resolve("mine"), "mine");
    assertThat(restore()).isEqualTo(1);
    assertThat(line.err()).contains("not empty", "mine");
    assertThat(other.resolve("mine")).hasContent("mine");
    assertThat(other.resolve("holdfast.db")).doesNotExist();
    Files.delete(other.resolve("mine"));
    assertThat(restore()).isZero();
    assertThat(restore()).isEqualTo(1);
  }

  @Test
  void aChangedOrCutBackupRestoresNothing() throws Exception {
    try (TestStore it = new TestStore(data)) {
      it.append("t", "k");
      someFiles();
      assertThat(backup()).isZero();
    }
    byte[] whole = Files.readAllBytes(file);
    for (int at = 0; at < whole.length; at += whole.length / 60) {
      byte[] changed = whole.clone();
      changed[at] ^= 0x04;
      Files.write(file, changed);
      int code = restore("--check");
      if (code == 0) {
        // A byte that nobody reads, such as a time of the archive's own.
        assertThat(restore()).isZero();
        assertThat(other.resolve("token")).hasContent("secret");
        empty(other);
      } else {
        assertThat(code).as("byte " + at).isEqualTo(65);
        assertThat(restore()).as("byte " + at).isEqualTo(65);
        assertThat(other).as("byte " + at).doesNotExist();
      }
    }
    Files.write(file, Arrays.copyOf(whole, whole.length / 2));
    assertThat(restore()).isEqualTo(65);
    assertThat(other).doesNotExist();
    file = root.resolve("missing");
    assertThat(restore()).isEqualTo(1);
    assertThat(line.err()).contains("does not exist", "holdfast backup");
    assertThat(restore("--check")).isEqualTo(1);
  }

  private static void empty(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path path : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  void aForgedBackupLeadsNowhere() throws Exception {
    for (String path :
        List.of(
            "../escaped",
            "/tmp/escaped",
            "a/../../escaped",
            "holdfast.run",
            "holdfast.db-wal",
            "clean_shutdown",
            "a//b",
            "a\\\\b")) {
      Files.deleteIfExists(file);
      try (OutputStream out = Files.newOutputStream(file);
          ZipOutputStream zip = new ZipOutputStream(out)) {
        String manifest =
            "{\"format\":1,\"program\":\"x\",\"made_at\":\"2026-01-01T00:00:00Z\",\"files\":["
                + entry("holdfast.db")
                + ","
                + entry(path)
                + "]}";
        put(zip, "data/holdfast.db", "");
        put(zip, "data/" + path.replace("\\\\", "\\"), "");
        put(zip, "manifest.json", manifest);
        put(zip, "manifest.sha256", sha256(manifest));
      }
      assertThat(restore()).as(path).isEqualTo(65);
      assertThat(other).doesNotExist();
      assertThat(root.resolve("escaped")).doesNotExist();
    }
  }

  private static String entry(String path) {
    return "{\"path\":\"" + path + "\",\"bytes\":0,\"sha256\":\"" + sha256("") + "\"}";
  }

  private static void put(ZipOutputStream zip, String name, String content) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(content.getBytes(StandardCharsets.UTF_8));
    zip.closeEntry();
  }

  private static String sha256(String text) {
    try {
      return java.util.HexFormat.of()
          .formatHex(
              java.security.MessageDigest.getInstance("SHA-256")
                  .digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aDatabaseThatIsGoneOrEmptyIsNotBackedUp() throws Exception {
    try (TestStore it = new TestStore(data)) {
      it.append("t", "k");
      it.closeCleanly();
    }
    Files.write(data.resolve("holdfast.db"), new byte[0]);
    assertThat(backup()).isEqualTo(65);
    Files.delete(data.resolve("holdfast.db"));
    assertThat(backup()).isEqualTo(65);
    assertThat(line.err()).contains("holdfast.db is missing");
    assertThat(file).doesNotExist();
  }

  @Test
  void aBackupIntoNoFolderSaysSo() throws Exception {
    try (TestStore it = new TestStore(data)) {
      it.append("t", "k");
      file = root.resolve("none/backup.zip");
      assertThat(backup()).isEqualTo(1);
      assertThat(line.err()).contains(root.resolve("none") + " is not a folder", "make it");
    }
  }

  @Test
  void aRestoreThatIsCutOffBeforeItsFirstFileCanBeRepeatedAndIsNoNewFolder() throws Exception {
    try (TestStore it = new TestStore(data)) {
      it.append("t", "k");
      assertThat(backup()).isZero();
    }
    BackupReader.announce(other);
    assertThatThrownBy(() -> new TestStore(other).close())
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("restore was cut off");
    Files.createFile(other.resolve("holdfast.lock"));
    Files.createFile(other.resolve("holdfast.pid.tmp"));
    assertThat(restore()).as(line.err()).isZero();
    try (TestStore it = new TestStore(other)) {
      assertThat(events(it)).containsExactly("k");
    }
  }

  @Test
  void aRestoreThatFailsSaysWhatToDoAndIsNotInTheWayOfTheNext() throws Exception {
    try (TestStore it = new TestStore(data)) {
      it.append("t", "k");
      someFiles();
      // Longer than a name may be while it is written.
      Files.writeString(data.resolve("skills/one/" + "n".repeat(253)), "x");
      assertThat(backup()).isZero();
    }
    for (int i = 0; i < 2; i++) {
      assertThat(restore()).isEqualTo(74);
      assertThat(line.err()).contains("nothing was restored", "name too long", "restore again");
    }
    assertThat(other.resolve("holdfast.run")).doesNotExist();
    assertThat(other.resolve("skills")).doesNotExist();
  }

  @Test
  void aFolderThatIsHalfRestoredSaysSoToTheNextRestore() throws Exception {
    try (TestStore it = new TestStore(data)) {
      it.append("t", "k");
      assertThat(backup()).isZero();
    }
    BackupReader.announce(other);
    Files.writeString(other.resolve("token"), "x");
    assertThat(restore()).isEqualTo(1);
    assertThat(line.err()).contains("restore that was cut off", "empty it");
  }

  @Test
  void aFolderThatIsHalfRestoredDoesNotStart() throws Exception {
    Files.createDirectories(other);
    Files.writeString(other.resolve("holdfast.run"), "restoring\n");
    assertThatThrownBy(() -> new TestStore(other).close())
        .isInstanceOfSatisfying(
            StartRefusedException.class, e -> assertThat(e.exitCode()).isEqualTo(65))
        .hasMessageContaining("restore was cut off");
    assertThat(other.resolve("holdfast.db")).doesNotExist();
  }
}
