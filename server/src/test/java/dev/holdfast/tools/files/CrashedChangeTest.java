package dev.holdfast.tools.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.FailureKind;
import dev.holdfast.api.ToolResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A change that a crash or a failure cut off, and the same call run again. */
class CrashedChangeTest extends FileWorldCase {
  private static final String KEY = "event.1.1";

  @Test
  void anEditThatWasInPlaceWhenTheServerWentDownIsNotDoneTwice() throws Exception {
    Path file = world.put("n", "1");
    crashesIn("edit_file", "path", "n", "old", "1", "new", "11");
    assertThat(file).hasContent("11");
    ToolResult again = again("edit_file", "path", "n", "old", "1", "new", "11");
    assertThat(again.isError()).as(again.text()).isFalse();
    assertThat(again.text()).isEqualTo("Edited n: 1 replaced (lines 1)");
    assertThat(file).hasContent("11");
    assertThat(world.audit).hasSize(1);
    assertThat(again("edit_file", "path", "n", "old", "1", "new", "11").text())
        .isEqualTo(again.text());
    assertThat(file).hasContent("11");
    assertThat(world.audit).hasSize(1);
  }

  @Test
  void anEditThatWasOnlyPreparedIsDoneOnce() throws Exception {
    Path file = world.put("n", "1");
    crashesIn("edit_file", "path", "n", "old", "1", "new", "11");
    Files.writeString(file, "1"); // as if the power had failed before the rename
    Files.writeString(world.scratch.resolve(ChangeUndo.temporary(KEY)), "half a fi");
    assertThat(again("edit_file", "path", "n", "old", "1", "new", "11").isError()).isFalse();
    assertThat(file).hasContent("11");
    assertThat(world.names()).containsExactly("n");
    assertThat(world.audit).hasSize(1);
  }

  @Test
  void aDeletedAndAMovedFileAreFoundToBeSo() throws Exception {
    world.put("a", "A");
    world.put("b", "B");
    crashesIn("delete_file", "path", "a");
    assertThat(again("delete_file", "path", "a").text()).isEqualTo("Deleted a");
    String key = "event.1.2";
    world.auditCrashes = true;
    assertThatThrownBy(() -> world.callAs(key, "move_file", "from", "b", "to", "x/b"))
        .isInstanceOf(FileWorld.Crash.class);
    world.auditCrashes = false;
    world.restart();
    assertThat(world.callAs(key, "move_file", "from", "b", "to", "x/b").text())
        .isEqualTo("Moved b to x/b");
    assertThat(world.names()).containsExactly("x", "x/b");
  }

  @Test
  void halfOfAMoveBetweenTwoDisksIsTakenBackAndDoneAgain() throws Exception {
    world.put("a", "A");
    crashesIn("move_file", "from", "a", "to", "x/b");
    world.put("a", "A"); // the new file is in place, the old one not yet gone
    assertThat(again("move_file", "from", "a", "to", "x/b").text()).isEqualTo("Moved a to x/b");
    assertThat(world.names()).containsExactly("x", "x/b");
  }

  @Test
  void whatSomebodyElseChangedMeanwhileIsNotTouchedAndTheModelIsTold() throws Exception {
    Path file = world.put("n", "1");
    crashesIn("edit_file", "path", "n", "old", "1", "new", "11");
    Files.writeString(file, "other 1");
    ToolResult again = again("edit_file", "path", "n", "old", "1", "new", "11");
    assertThat(again.isError()).isTrue();
    assertThat(again.text())
        .contains("outcome unknown")
        .contains("n has since been changed by somebody else");
    assertThat(file).hasContent("other 1");
  }

  @Test
  void aWriteThatWasDoneIsNotDoneAgainOverWhatCameAfter() throws Exception {
    assertThat(again("write_file", "path", "n", "content", "1").isError()).isFalse();
    Files.writeString(world.scratch.resolve("n"), "2");
    assertThat(again("write_file", "path", "n", "content", "1").isError()).isFalse();
    assertThat(world.scratch.resolve("n")).hasContent("2");
  }

  @Test
  void anotherCallOfTheSameKeyIsAnotherExecution() throws Exception {
    again("write_file", "path", "n", "content", "1");
    ToolResult other = again("write_file", "path", "n", "content", "2");
    assertThat(other.text()).startsWith("Replaced");
    assertThat(other.facts().get("execution")).startsWith(KEY + "-");
    assertThat(world.scratch.resolve("n")).hasContent("2");
    assertThat(world.kept()).hasSize(2);
  }

  @Test
  void aChangeThatTheAuditDidNotTakeIsTakenBack() throws Exception {
    Path file = world.put("n", "1");
    world.put("gone", "G");
    world.put("from", "F");
    world.auditRefuses = true;
    for (ToolResult result :
        List.of(
            world.call("edit_file", "path", "n", "old", "1", "new", "11"),
            world.call("write_file", "path", "n", "content", "2"),
            world.call("write_file", "path", "x/y/new", "content", "2"),
            world.call("delete_file", "path", "gone"),
            world.call("move_file", "from", "from", "to", "x/to"))) {
      assertThat(result.isError()).isTrue();
      assertThat(result.text()).contains("the disk is full");
      assertThat(result.failure()).extracting(f -> f.kind()).isEqualTo(FailureKind.TRANSIENT);
    }
    assertThat(file).hasContent("1");
    assertThat(world.names()).containsExactly("from", "gone", "n");
    assertThat(world.kept()).isEmpty();
    world.auditRefuses = false;
    assertThat(world.callAs("event.1.1", "edit_file", "path", "n", "old", "1", "new", "11").text())
        .startsWith("Edited");
  }

  @Test
  void anInterruptedThreadBeginsNoChange() throws Exception {
    world.put("n", "1");
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> world.call("write_file", "path", "n", "content", "2"))
        .isInstanceOf(InterruptedException.class);
    assertThat(world.scratch.resolve("n")).hasContent("1");
    assertThat(world.kept()).isEmpty();
  }

  @Test
  void aDamagedManifestIsNotBelieved() throws Exception {
    Path file = world.put("n", "1");
    crashesIn("edit_file", "path", "n", "old", "1", "new", "11");
    byte[] good = Files.readAllBytes(world.manifest(KEY));
    for (int at = 0; at < good.length; at += 7) {
      byte[] bad = good.clone();
      bad[at] ^= 1;
      Files.write(world.manifest(KEY), bad);
      ToolResult again = again("edit_file", "path", "n", "old", "1", "new", "11");
      assertThat(again.isError()).as("byte " + at).isTrue();
      Files.write(world.manifest(KEY), java.util.Arrays.copyOf(good, at));
      assertThat(again("edit_file", "path", "n", "old", "1", "new", "11").isError()).isTrue();
    }
    assertThat(file).hasContent("11");
    assertThat(new String(good, StandardCharsets.UTF_8)).contains("\"stage\":\"prepared\"");
  }

  @Test
  void anExecutionsNameIsNoPath() throws Exception {
    for (String key :
        List.of("../../token", "/etc/x", "a/b", ".", "..", "", "x".repeat(500), "a\0b")) {
      assertThat(BackupFolder.folderName(key)).matches("~[0-9a-f]{64}");
      world.callAs(key, "write_file", "path", "n", "content", key);
      assertThat(world.backups().rollback(key, "op", false))
          .isEqualTo(new Backups.RolledBack.Undone(1));
    }
    assertThat(world.data.resolve("token")).hasContent("SECRET");
    assertThat(world.kept()).hasSize(8);
  }

  @Test
  void leftoversOfACrashAreSweptAtTheNextStart() throws Exception {
    world.put("d/n", "1");
    crashesIn("edit_file", "path", "d/n", "old", "1", "new", "11");
    Files.writeString(world.scratch.resolve("d").resolve(ChangeUndo.temporary(KEY)), "half");
    Files.createDirectories(world.data.resolve("backups/.new-x"));
    Files.writeString(world.data.resolve("backups/.new-x/0"), "half");
    Files.createDirectories(world.data.resolve("backups/.old-y"));
    Files.createDirectories(world.data.resolve("backups/without"));
    world.unfinished.add("event");
    world.restart();
    world.backups().clearLeftovers();
    world.backups().sweep();
    assertThat(world.kept()).containsExactly(KEY);
    assertThat(world.names()).containsExactly("d", "d/n");
  }

  /** The server goes down when the change is in place and nobody was told. */
  private void crashesIn(String tool, String... arguments) throws Exception {
    world.auditCrashes = true;
    assertThatThrownBy(() -> world.callAs(KEY, tool, arguments))
        .isInstanceOf(FileWorld.Crash.class);
    world.auditCrashes = false;
    world.restart();
  }

  private ToolResult again(String tool, String... arguments) throws InterruptedException {
    return world.callAs(KEY, tool, arguments);
  }
}
