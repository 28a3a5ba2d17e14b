package dev.holdfast.tools.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ToolResult;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.tools.files.Backups.RolledBack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BackupsTest extends FileWorldCase {
  private static final RolledBack UNDONE = new RolledBack.Undone(1);

  @Test
  void aNewFileGoesWithTheFoldersThatWereMadeForIt() throws Exception {
    world.put("old/x", "x");
    String one = done(world.call("write_file", "path", "old/a/b/new", "content", "1"));
    String two = done(world.call("write_file", "path", "old/a/second", "content", "2"));
    world.restart();
    assertThat(rollback(one)).isEqualTo(UNDONE);
    assertThat(world.names()).containsExactly("old", "old/a", "old/a/second", "old/x");
    assertThat(rollback(two)).isEqualTo(UNDONE);
    assertThat(world.names()).containsExactly("old", "old/a", "old/x");
  }

  @Test
  void aChangedFileIsWhatItWasWithItsRights() throws Exception {
    Path file = world.put("f", "before");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-----"));
    String execution = done(world.call("edit_file", "path", "f", "old", "before", "new", "after"));
    world.restart();
    assertThat(rollback(execution)).isEqualTo(UNDONE);
    assertThat(file).hasContent("before");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rwxr-----");
    assertThat(rollback(execution)).isEqualTo(new RolledBack.AlreadyUndone());
    ToolResult again =
        world.callAs(execution, "edit_file", "path", "f", "old", "before", "new", "after");
    assertThat(again.text()).contains("undone by op");
    assertThat(file).hasContent("before");
  }

  @Test
  void aDeletedFileComesBackWithItsFolder() throws Exception {
    Path file = world.put("d/f", "precious");
    String execution = done(world.call("delete_file", "path", "d/f"));
    Files.delete(file.getParent());
    world.restart();
    assertThat(rollback(execution)).isEqualTo(UNDONE);
    assertThat(file).hasContent("precious");
  }

  @Test
  void aMovedFileGoesBack() throws Exception {
    world.put("a", "A");
    String execution = done(world.call("move_file", "from", "a", "to", "x/b"));
    world.restart();
    assertThat(rollback(execution)).isEqualTo(new RolledBack.Undone(2));
    assertThat(world.names()).containsExactly("a");
    assertThat(world.scratch.resolve("a")).hasContent("A");
  }

  @Test
  void whatWasChangedSinceIsNotReplacedUnlessForced() throws Exception {
    Path file = world.put("f", "1");
    String execution = done(world.call("write_file", "path", "f", "content", "2"));
    Files.writeString(file, "3");
    assertThat(rollback(execution))
        .isEqualTo(new RolledBack.Conflict("f", "it has since been changed by somebody else"));
    assertThat(file).hasContent("3");
    assertThat(world.backups().rollback(execution, "op", true)).isEqualTo(UNDONE);
    assertThat(file).hasContent("1");
  }

  @Test
  void aConflictInOneFileLeavesTheOtherAsItIs() throws Exception {
    world.put("a", "A");
    String execution = done(world.call("move_file", "from", "a", "to", "b"));
    world.put("a", "another");
    assertThat(rollback(execution)).isInstanceOf(RolledBack.Conflict.class);
    assertThat(world.names()).containsExactly("a", "b");
    assertThat(world.scratch.resolve("a")).hasContent("another");
  }

  @Test
  void aLinkInTheWayIsAConflictEvenWhenForced() throws Exception {
    Path file = world.put("d/f", "1");
    String execution = done(world.call("write_file", "path", "d/f", "content", "2"));
    Files.delete(file);
    Files.createSymbolicLink(file, world.outside.resolve("secret.txt"));
    assertThat(world.backups().rollback(execution, "op", true))
        .isInstanceOf(RolledBack.Conflict.class);
    Files.delete(file);
    Files.delete(file.getParent());
    Files.createSymbolicLink(file.getParent(), world.outside);
    assertThat(world.backups().rollback(execution, "op", true))
        .isInstanceOf(RolledBack.Conflict.class);
    assertThat(FileWorld.namesIn(world.outside)).containsExactly("secret.txt");
    assertThat(world.outside.resolve("secret.txt")).hasContent("SECRET");
  }

  @Test
  void whatIsUnknownIsSaidToBeSo() throws Exception {
    assertThat(rollback("event.9.9")).isEqualTo(new RolledBack.Unknown());
    assertThat(rollback("../threads")).isEqualTo(new RolledBack.Unknown());
  }

  @Test
  void aDamagedCopyIsNeverPutBack() throws Exception {
    Path file = world.put("f", "before");
    String execution = done(world.call("write_file", "path", "f", "content", "after"));
    Path copy = world.manifest(execution).resolveSibling("0");
    Files.writeString(copy, "befora");
    assertThat(rollback(execution))
        .isEqualTo(new RolledBack.Conflict("", "the backup of f is damaged"));
    Files.delete(copy);
    assertThat(rollback(execution))
        .isEqualTo(new RolledBack.Conflict("", "the backup of f is gone"));
    Files.writeString(world.manifest(execution), "{}");
    assertThat(rollback(execution)).isInstanceOf(RolledBack.Conflict.class);
    assertThat(file).hasContent("after");
  }

  @Test
  void eachChangeAndEachUndoingIsTold() throws Exception {
    world.put("f", "1");
    String execution = done(world.call("write_file", "path", "f", "content", "2"));
    rollback(execution);
    assertThat(world.audit)
        .extracting(AuditEntry::what, AuditEntry::execution, AuditEntry::actor)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("tool.change", execution, "me"),
            org.assertj.core.groups.Tuple.tuple("tool.rolled_back", execution, "op"));
    assertThat(world.audit.getFirst().detailsJson())
        .contains("\"tool\":\"write_file\"", "\"path\":\"f\"", Sha256.of("1"), Sha256.of("2"));
  }

  @Test
  void anUndoingThatWasCutOffGoesOn() throws Exception {
    world.put("a", "A");
    String execution = done(world.call("move_file", "from", "a", "to", "b"));
    world.auditCrashes = true;
    assertThatThrownBy(() -> rollback(execution)).isInstanceOf(FileWorld.Crash.class);
    world.auditCrashes = false;
    world.restart();
    assertThat(rollback(execution)).isEqualTo(new RolledBack.Undone(2));
    assertThat(world.names()).containsExactly("a");
    world.auditRefuses = true;
    world.put("c", "C");
    world.auditRefuses = false;
    String second = done(world.call("delete_file", "path", "c"));
    world.auditRefuses = true;
    assertThatThrownBy(() -> rollback(second)).isInstanceOf(CallFailedException.class);
    world.auditRefuses = false;
    assertThat(rollback(second)).isEqualTo(UNDONE);
    assertThat(rollback(second)).isEqualTo(new RolledBack.AlreadyUndone());
  }

  @Test
  void oldBackupsGoButNotThoseOfUnfinishedEvents() throws Exception {
    String old = done(world.call("write_file", "path", "f", "content", "1"));
    world.time.advance(Duration.ofDays(29));
    String young = done(world.call("write_file", "path", "f", "content", "2"));
    world.time.advance(Duration.ofDays(2));
    world.unfinished.add("event");
    world.backups().sweep();
    assertThat(world.kept()).containsExactly(old, young);
    world.unfinished.clear();
    world.backups().sweep();
    assertThat(world.kept()).containsExactly(young);
  }

  @Test
  void backupsStayBelowTheirLimit() throws Exception {
    world.megabytesMax = 1;
    world.restart();
    String half = "x".repeat(400_000);
    world.put("f", half);
    for (int i = 0; i < 6; i++) {
      world.time.advance(Duration.ofSeconds(1));
      done(world.call("write_file", "path", "f", "content", half + i));
    }
    assertThat(world.kept()).doesNotContain("event.1.1").contains("event.6.1");
    long bytes = 0;
    for (String kept : world.kept()) {
      bytes +=
          Files.size(world.manifest(kept)) + Files.size(world.manifest(kept).resolveSibling("0"));
    }
    assertThat(bytes).isLessThan(1 << 20);
    world.unfinished.add("event"); // all of them may run again
    for (int i = 0; i < 3; i++) {
      world.call("write_file", "path", "f", "content", half + "more" + i);
    }
    ToolResult full = world.call("write_file", "path", "f", "content", half + "more");
    assertThat(full.isError()).isTrue();
    assertThat(full.text()).contains("max_mb");
  }

  @Test
  void aChangeThatMakesRoomAndARollbackOfTheSameFileDoNotWaitForEachOther() throws Exception {
    world.megabytesMax = 1;
    world.restart();
    String large = "x".repeat(700_000);
    done(world.call("write_file", "path", "f", "content", large));
    String one = done(world.call("write_file", "path", "f", "content", large + 1));
    CompletableFuture<RolledBack> rolledBack = new CompletableFuture<>();
    Thread operator =
        Thread.ofPlatform()
            .daemon()
            .unstarted(() -> rolledBack.complete(Failable.unchecked(() -> rollback(one))));
    world.looked = // in the middle of the sweep, while the change holds its file
        () -> {
          if (operator.getState() == Thread.State.NEW) {
            operator.start();
            while (operator.getState() != Thread.State.WAITING) {
              Thread.onSpinWait();
            }
          }
        };
    CompletableFuture<ToolResult> change =
        CompletableFuture.supplyAsync(
            () ->
                Failable.unchecked(
                    () -> world.call("write_file", "path", "f", "content", large + 2)),
            task -> Thread.ofPlatform().daemon().start(task));
    done(change.get(20, TimeUnit.SECONDS));
    operator.join();
    assertThat(rolledBack).isCompletedWithValue(new RolledBack.Unknown());
  }

  /** For threads, which declare nothing. */
  private interface Failable<T> {
    T run() throws Exception;

    static <T> T unchecked(Failable<T> body) {
      try {
        return body.run();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void aFolderThatToolsMayNoLongerUseIsNotWrittenTo() throws Exception {
    world.roots = java.util.List.of(world.outside);
    world.restart();
    String path = world.outside.resolve("f").toString();
    String execution = done(world.call("write_file", "path", path, "content", "1"));
    world.roots = java.util.List.of();
    world.restart();
    assertThat(rollback(execution)).isInstanceOf(RolledBack.Conflict.class);
    world.roots = java.util.List.of(world.outside);
    world.restart();
    assertThat(rollback(execution)).isEqualTo(UNDONE);
    assertThat(FileWorld.namesIn(world.outside)).containsExactly("secret.txt");
  }

  private RolledBack rollback(String execution) throws Exception {
    return world.backups().rollback(execution, "op", false);
  }

  private static String done(ToolResult result) {
    assertThat(result.isError()).as(result.text()).isFalse();
    return Objects.requireNonNull(result.facts().get("execution"));
  }
}
