package dev.holdfast.tools.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.api.ToolResult;
import dev.holdfast.tools.files.Backups.RolledBack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Configured folders, which all threads use at once. */
class SharedFolderTest {
  private static final int WRITERS = 8;
  private static final int EDITS = 15;

  @TempDir Path folder;

  @Test
  void manyThreadsThatEditOneFileLoseNothing() throws Exception {
    FileWorld world = new FileWorld(folder);
    world.roots = List.of(world.outside);
    world.restart();
    Path file = Files.writeString(world.outside.resolve("f"), "END");
    List<Future<Integer>> writers = new ArrayList<>();
    try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int writer = 0; writer < WRITERS; writer++) {
        String name = "w" + writer;
        writers.add(each.submit(() -> edits(world, name, file)));
      }
    }
    for (Future<Integer> writer : writers) {
      assertThat(writer.get()).isEqualTo(EDITS);
    }
    assertThat(Files.readString(file).split(" ")).hasSize(WRITERS * EDITS + 1);
    assertThat(world.audit).hasSize(WRITERS * EDITS);
    assertThat(FileWorld.namesIn(world.outside)).containsExactly("f", "secret.txt");
  }

  private static int edits(FileWorld world, String name, Path file) throws InterruptedException {
    int done = 0;
    for (int i = 0; i < EDITS; i++) {
      ToolResult result =
          world.callAs(
              name + "." + i,
              "edit_file",
              "path",
              file.toString(),
              "old",
              "END",
              "new",
              name + "." + i + " END");
      done += result.isError() ? 0 : 1;
    }
    return done;
  }

  @Test
  void aFileIsMovedToAnotherDiskAndBack() throws Exception {
    Path memory = Path.of("/dev/shm");
    assumeThat(Files.isWritable(memory)).isTrue();
    assumeThat(Files.getFileStore(memory)).isNotEqualTo(Files.getFileStore(folder));
    Path shared = Files.createTempDirectory(memory, "holdfast");
    try {
      FileWorld world = new FileWorld(folder);
      world.roots = List.of(shared);
      world.restart();
      world.put("a", "A");
      String to = shared.resolve("x/b").toString();
      ToolResult moved = world.call("move_file", "from", "a", "to", to);
      assertThat(moved.text()).isEqualTo("Moved a to " + to);
      assertThat(shared.resolve("x/b")).hasContent("A");
      assertThat(world.names()).isEmpty();
      assertThat(world.backups().rollback("event.1.1", "op", false))
          .isEqualTo(new RolledBack.Undone(2));
      assertThat(world.scratch.resolve("a")).hasContent("A");
      assertThat(FileWorld.namesIn(shared)).isEmpty();
    } finally {
      try (Stream<Path> files = Files.walk(shared)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
