package dev.holdfast.tools.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.ToolResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a path can try to lead out of the folders of tools. */
class AllowedFoldersTest extends FileWorldCase {
  private static final int RACED_CALLS = 900;

  @Test
  void noTextOfAPathLeadsOut() throws Exception {
    for (String path :
        List.of(
            "../meta.json",
            "a/../../meta.json",
            "./..",
            "..",
            "a/..",
            "",
            "/",
            "/etc/passwd",
            "//etc/passwd",
            world.outside.resolve("secret.txt").toString(),
            world.data.resolve("token").toString(),
            world.data.toString(),
            world.scratch + "x/file",
            world.scratch + "/../meta.json",
            world.scratch.resolveSibling("context.jsonl").toString(),
            "/proc/self/environ",
            "/proc/self/root/etc/passwd",
            "/proc/self/cwd/x",
            "/dev/fd/0",
            "nul\0byte",
            "new\nline",
            "half\ud800character",
            "x".repeat(256),
            "ü".repeat(128),
            "d/".repeat(65) + "x",
            ("x".repeat(200) + "/").repeat(30) + "x")) {
      refused(path);
    }
    assertThat(FileWorld.namesIn(world.outside)).containsExactly("secret.txt");
    assertThat(world.names()).isEmpty();
  }

  @Test
  void theThreadsOwnFolderMayBeNamedInFullToo() throws Exception {
    String path = world.scratch.resolve("a.txt").toString();
    assertThat(world.call("write_file", "path", path, "content", "x").text()).contains("a.txt");
    assertThat(world.call("read_file", "path", "//" + path + "//").text()).isEqualTo("1\tx\n");
  }

  @Test
  void noLinkIsFollowedAtAnyStep() throws Exception {
    Files.createSymbolicLink(world.scratch.resolve("out"), world.outside);
    Files.createSymbolicLink(world.scratch.resolve("file"), world.outside.resolve("secret.txt"));
    Files.createSymbolicLink(world.scratch.resolve("dangling"), world.outside.resolve("made"));
    Files.createDirectories(world.scratch.resolve("in"));
    Files.createSymbolicLink(world.scratch.resolve("in/up"), Path.of("../.."));
    Files.createSymbolicLink(world.scratch.resolve("in/self"), Path.of("self"));
    for (String path :
        List.of(
            "out/secret.txt",
            "out/new",
            "file",
            "dangling",
            "in/up/meta.json",
            "in/self",
            "in/self/x")) {
      refused(path);
    }
    assertThat(world.call("list_files", "path", "out").isError()).isTrue();
    assertThat(world.call("search_files", "path", "out", "pattern", ".").isError()).isTrue();
    assertThat(world.outside.resolve("secret.txt")).hasContent("SECRET");
    assertThat(FileWorld.namesIn(world.outside)).containsExactly("secret.txt");
  }

  @Test
  void aSecondNameOfAFileOutsideIsNotTouched() throws Exception {
    Files.createLink(world.scratch.resolve("hard"), world.outside.resolve("secret.txt"));
    refused("hard");
    assertThat(world.outside.resolve("secret.txt")).hasContent("SECRET");
    assertThat(world.kept()).isEmpty();
  }

  @Test
  @Timeout(60)
  void pipesAndDevicesAreRefusedWithoutWaiting() throws Exception {
    Path pipe = world.scratch.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    refused("pipe");
    try (var socket =
        java.nio.channels.ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)) {
      socket.bind(java.net.UnixDomainSocketAddress.of(world.scratch.resolve("socket")));
      refused("socket");
    }
    world.roots = List.of(Path.of("/dev"));
    world.restart();
    refused("/dev/null");
    assertThat(Files.exists(pipe)).isTrue();
  }

  @Test
  void aConfiguredFolderMayBeUsedButNotTheServersOwn() throws Exception {
    world.roots = List.of(folder, folder.resolve("missing"));
    world.restart();
    String shared = world.outside.resolve("new/file").toString();
    assertThat(world.call("write_file", "path", shared, "content", "x").text())
        .isEqualTo("Wrote new file " + shared + ": 1 bytes");
    assertThat(world.call("read_file", "path", shared).text()).isEqualTo("1\tx\n");
    refused(world.data.resolve("token").toString());
    refused(world.data.resolve("backups/event.1.1/manifest.json").toString());
    refused(world.scratch.resolveSibling("meta.json").toString());
    refused(folder.resolve("outside/../data/token").toString());
    assertThat(world.call("list_files", "path", world.data.toString()).isError()).isTrue();
    assertThat(world.call("search_files", "path", folder.toString(), "pattern", "SECRET").text())
        .contains("secret.txt:1: SECRET")
        .doesNotContain("token:1")
        .contains("not searched");
    assertThat(world.data.resolve("token")).hasContent("SECRET");
  }

  @Test
  void whatTheConfigurationIsReadFromIsReachedByNoName() throws Exception {
    Path secret = Files.writeString(world.outside.resolve("key"), "SECRET");
    Path linked = Files.createSymbolicLink(folder.resolve("linked"), secret);
    world.roots = List.of(folder);
    world.hidden = List.of(linked, folder.resolve("later"));
    world.restart();
    hasNoUse(secret);
    Files.writeString(folder.resolve("later"), "SECRET");
    hasNoUse(folder.resolve("later"));
    Path moved = Files.move(secret, world.outside.resolve("old"));
    Files.writeString(secret, "SECRET of today");
    hasNoUse(moved);
    hasNoUse(secret);
    Files.createLink(world.outside.resolve("second"), moved);
    hasNoUse(world.outside.resolve("second"));
    Files.delete(world.outside.resolve("second"));
    assertThat(
            world.call("search_files", "path", world.outside.toString(), "pattern", "today").text())
        .contains("No hits");
    assertThat(world.names()).isEmpty();
  }

  private void hasNoUse(Path secret) throws Exception {
    String path = secret.toString();
    for (ToolResult result :
        List.of(
            world.call("read_file", "path", path),
            world.call("move_file", "from", path, "to", "mine"),
            world.call("edit_file", "path", path, "old", "SECRET", "new", "x"),
            world.call("write_file", "path", path, "content", "x"),
            world.call("delete_file", "path", path))) {
      assertThat(result.isError()).as(path + ": " + result.text()).isTrue();
      assertThat(result.text()).doesNotContain("SECRET");
    }
    assertThat(secret).content().startsWith("SECRET");
  }

  @Test
  void theKernelsOwnFilesAreNotReachedEvenWhenTheWholeDiskIs() throws Exception {
    world.roots = List.of(Path.of("/"));
    world.restart();
    long self = ProcessHandle.current().pid();
    for (String path :
        List.of(
            "/proc/" + self + "/environ",
            "/proc/self/environ",
            "/proc/" + self + "/root/etc/passwd",
            "/proc/version",
            "/sys/kernel/mm/transparent_hugepage/enabled",
            world.data.resolve("token").toString())) {
      assertThat(world.call("read_file", "path", path).isError()).as(path).isTrue();
    }
    assertThat(world.call("read_file", "path", "/etc/passwd").isError()).isFalse();
  }

  @Test
  void aFolderWithinTheDataFolderIsNoFolderForTools() {
    world.roots = List.of(world.data.resolve("threads"));
    assertThatThrownBy(world::restart)
        .isInstanceOf(FileFailedException.class)
        .hasMessageContaining("is in the data folder");
  }

  @Test
  void anotherThreadsFolderIsNotReached() throws Exception {
    Path other = Files.createDirectories(world.data.resolve("threads/web/cd/u~4567/scratch"));
    Files.writeString(other.resolve("note"), "SECRET");
    refused(other.resolve("note").toString());
    refused("../../../cd/u~4567/scratch/note");
  }

  /**
   * A folder is swapped for a link to the outside and back, as fast as it goes, while every tool
   * works in it. Nothing outside may be read, written, made or deleted; the race must be seen to
   * hit.
   */
  @Test
  @Timeout(120)
  void aFolderThatIsSwappedForALinkDoesNotLeadOut() throws Exception {
    Files.writeString(world.outside.resolve("f"), "SECRET");
    Path real = Files.createDirectories(world.scratch.resolve("d"));
    Path aside = world.scratch.resolve("aside");
    Files.writeString(real.resolve("f"), "mine");
    Path link = world.scratch.resolve("link");
    AtomicBoolean over = new AtomicBoolean();
    Thread swapper =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!over.get()) {
                    swap(real, aside, link);
                  }
                });
    int worked = 0;
    int links = 0;
    for (int i = 0; i < RACED_CALLS; i++) {
      ToolResult result =
          switch (i % 6) {
            case 0 -> world.call("read_file", "path", "d/f");
            case 1 -> world.call("write_file", "path", "d/f", "content", "mine " + i);
            case 2 -> world.call("write_file", "path", "d/sub/g" + i % 7, "content", "mine");
            case 3 -> world.call("search_files", "path", "d", "pattern", "SECRET");
            case 4 -> world.call("delete_file", "path", "d/sub/g" + i % 7);
            default -> world.call("list_files", "path", "d");
          };
      assertThat(result.text()).doesNotContain("SECRET").doesNotContain("secret");
      if (result.isError()) {
        links += result.text().contains("links are not followed") ? 1 : 0;
      } else {
        worked++;
      }
    }
    over.set(true);
    swapper.join();
    assertThat(FileWorld.namesIn(world.outside)).containsExactly("f", "secret.txt");
    assertThat(world.outside.resolve("f")).hasContent("SECRET");
    assertThat(worked).as("calls that met the folder").isPositive();
    assertThat(links).as("calls that met the link").isPositive();
  }

  private static void swap(Path real, Path aside, Path link) {
    try {
      if (Files.notExists(aside, LinkOption.NOFOLLOW_LINKS)) {
        Files.move(real, aside);
      }
      Files.createSymbolicLink(link, real.resolveSibling("../../../../../../outside"));
      Files.move(link, real, StandardCopyOption.ATOMIC_MOVE);
      LockSupport.parkNanos(50_000);
      Files.delete(real);
      Files.move(aside, real);
      LockSupport.parkNanos(50_000);
    } catch (IOException _) {
      clear(real); // the tools have made the folder anew meanwhile
      clear(link);
    }
  }

  private static void clear(Path file) {
    try (Stream<Path> all = Files.walk(file)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException | UncheckedIOException _) {
      // It is tried again.
    }
  }

  /** A plain file is swapped for a link to one outside, and for a second name of it. */
  @Test
  @Timeout(120)
  void aFileThatIsSwappedForALinkIsNeitherReadNorWritten() throws Exception {
    Path file = world.put("f", "mine");
    Path secret = world.outside.resolve("secret.txt");
    AtomicBoolean over = new AtomicBoolean();
    Thread swapper =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 0; !over.get(); i++) {
                    swapFile(file, secret, i % 2 == 0);
                  }
                });
    int failed = 0;
    for (int i = 0; i < RACED_CALLS; i++) {
      ToolResult result =
          switch (i % 4) {
            case 0 -> world.call("read_file", "path", "f");
            case 1 -> world.call("write_file", "path", "f", "content", "mine " + i);
            case 2 -> world.call("edit_file", "path", "f", "old", "mine", "new", "mine ");
            default -> world.call("move_file", "from", "f", "to", "g" + i);
          };
      assertThat(result.text()).doesNotContain("SECRET");
      failed += result.isError() ? 1 : 0;
    }
    over.set(true);
    swapper.join();
    assertThat(secret).hasContent("SECRET");
    assertThat(FileWorld.namesIn(world.outside)).containsExactly("secret.txt");
    assertThat(failed).isPositive();
    for (String kept : world.kept()) {
      Path blob = world.data.resolve("backups").resolve(kept).resolve("0");
      if (Files.exists(blob)) {
        assertThat(Files.readString(blob)).doesNotContain("SECRET");
      }
    }
  }

  /**
   * A second name of a file outside that is gone again when its names are counted: the file has one
   * name then, and that one is outside.
   */
  @Test
  @Timeout(120)
  void aSecondNameThatIsTakenAwayMeanwhileLetsNothingBeRead() throws Exception {
    Path name = world.scratch.resolve("f");
    Path secret = world.outside.resolve("secret.txt");
    AtomicBoolean over = new AtomicBoolean();
    Thread swapper =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!over.get()) {
                    try {
                      Files.createLink(name, secret);
                      Files.delete(name);
                    } catch (IOException _) {
                      // It is tried again.
                    }
                  }
                });
    int opened = 0;
    try (SafeFolder folder = SafeFolder.of(world.scratch.toRealPath())) {
      for (int i = 0; i < 50_000; i++) {
        try (SafeFile _ = folder.file("f")) {
          opened++;
        } catch (FileFailedException _) {
          // As it should be.
        }
      }
    } finally {
      over.set(true);
      swapper.join();
    }
    assertThat(opened).isZero();
  }

  private static void swapFile(Path file, Path secret, boolean soft) {
    Path next = file.resolveSibling("next");
    try {
      Files.deleteIfExists(next);
      if (soft) {
        Files.createSymbolicLink(next, secret);
      } else {
        Files.createLink(next, secret);
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
      Files.deleteIfExists(next); // two names of one file: the move did nothing
      Files.deleteIfExists(file);
      Files.writeString(file, "mine");
    } catch (IOException _) {
      // The tools change it too.
    }
  }

  /** Neither to be read nor written, edited, deleted, moved away or moved to. */
  private void refused(String path) throws Exception {
    world.put("here", "x");
    assertThat(world.call("read_file", "path", path).isError()).as("read " + path).isTrue();
    assertThat(world.call("write_file", "path", path, "content", "x").isError())
        .as("write " + path)
        .isTrue();
    assertThat(world.call("edit_file", "path", path, "old", "S", "new", "x").isError())
        .as("edit " + path)
        .isTrue();
    assertThat(world.call("delete_file", "path", path).isError()).as("delete " + path).isTrue();
    assertThat(world.call("move_file", "from", path, "to", "stolen").isError())
        .as("move " + path)
        .isTrue();
    assertThat(world.call("move_file", "from", "here", "to", path).isError())
        .as("move to " + path)
        .isTrue();
    assertThat(world.scratch.resolve("here")).exists();
    Files.delete(world.scratch.resolve("here"));
  }
}
