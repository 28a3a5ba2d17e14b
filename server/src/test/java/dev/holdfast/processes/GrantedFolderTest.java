package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureKind;
import dev.holdfast.processes.ChildrenConfig.Sandbox;
import dev.holdfast.processes.ProcessSpec.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a granted folder opens to a real child, and that it opens nothing else. */
@Timeout(60)
class GrantedFolderTest {
  @TempDir Path temporary;
  private ChildRig rig;
  private Path inTemporary;
  private Path elsewhere;

  @BeforeEach
  void makeFolders() throws IOException {
    rig = new ChildRig(temporary);
    inTemporary = Files.createDirectories(temporary.toRealPath().resolve("a granted $x 'folder'"));
    elsewhere = Files.createTempDirectory(Path.of("/var/tmp"), "holdfast-granted-").toRealPath();
    for (Path folder : List.of(inTemporary, elsewhere)) {
      Files.writeString(Files.createDirectories(folder.resolve("in")).resolve("file"), "old");
      Files.createSymbolicLink(folder.resolve("link"), Path.of("/etc"));
    }
  }

  @AfterEach
  void deleteFolder() throws IOException {
    try (var all = Files.walk(elsewhere)) {
      for (Path path : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private ChildResult run(Children children, String command, GrantedFolder... granted)
      throws Exception {
    return children.run(
        new ProcessSpec(
            List.of("bash", "-c", command, "bash", inTemporary.toString(), elsewhere.toString()),
            rig.work,
            List.of(granted),
            Map.of(),
            "",
            Duration.ofSeconds(30),
            Limits.DEFAULT,
            1 << 20));
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void whatMayBeWrittenToIsAndWhatMayBeReadIsSeenOnly(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command = "for f; do cat \"$f/in/file\"; echo new > \"$f/in/file\"; echo; done; true";
      GrantedFolder written = new GrantedFolder(inTemporary, true);
      GrantedFolder read = new GrantedFolder(elsewhere, false);
      assertThat(run(children, command, written, read).output()).isEqualTo("old\nold\n");
      assertThat(inTemporary.resolve("in/file")).hasContent("new");
      assertThat(elsewhere.resolve("in/file")).hasContent("old");

      Files.writeString(inTemporary.resolve("in/file"), "old");
      GrantedFolder other = new GrantedFolder(inTemporary, false);
      GrantedFolder another = new GrantedFolder(elsewhere, true);
      assertThat(run(children, command, other, another).output()).isEqualTo("old\nold\n");
      assertThat(inTemporary.resolve("in/file")).hasContent("old");
      assertThat(elsewhere.resolve("in/file")).hasContent("new");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void nothingElseBecomesReachable(Sandbox sandbox) throws Exception {
    Path beside = Files.writeString(temporary.toRealPath().resolve("beside"), "canary");
    try (Children children = rig.children(sandbox)) {
      String command =
          "cat '%s' '%s'; echo x > \"$1/../beside\"; echo x > \"$2/../holdfast-beside\";"
                  .formatted(beside, rig.data.resolve("token"))
              + " echo x > \"$1/link/holdfast-written\"; echo x > \"$2/link/holdfast-written\";"
              + " umount \"$1\" \"$2\"; mount -o remount,rw /var; echo x > /var/tmp/holdfast-beside";
      ChildResult result =
          run(
              children,
              command,
              new GrantedFolder(inTemporary, true),
              new GrantedFolder(elsewhere, true));
      assertThat(result.output()).doesNotContain("canary");
      assertThat(beside).hasContent("canary");
      assertThat(Path.of("/etc/holdfast-written")).doesNotExist();
      assertThat(Path.of("/var/tmp/holdfast-beside")).doesNotExist();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void theFolderInAnotherHasTheLastWord(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      ChildResult result =
          run(
              children,
              "echo new > \"$1/in/file\"; echo new > \"$1/out\"",
              new GrantedFolder(inTemporary.resolve("in"), false),
              new GrantedFolder(inTemporary, true));
      assertThat(result.exitCode()).isZero();
      assertThat(inTemporary.resolve("in/file")).hasContent("old");
      assertThat(inTemporary.resolve("out")).hasContent("new");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES", "NONE"})
  void whatHoldsTheServersDataOrLiesInItIsNotGranted(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox, () -> List.of(elsewhere.resolve("in/file")))) {
      for (Path folder :
          List.of(temporary.toRealPath(), rig.data, rig.work, elsewhere, elsewhere.resolve("in"))) {
        assertThatThrownBy(() -> run(children, "true", new GrantedFolder(folder, true)))
            .as(folder.toString())
            .hasMessageContaining("what children must not see");
      }
    }
  }

  /** Whoever may write to the folder above would decide what the next child may write to. */
  @Test
  void aLinkIsNotFollowed() throws Exception {
    Path link = Files.createSymbolicLink(elsewhere.resolve("to"), elsewhere.resolve("in"));
    try (Children children = rig.children(Sandbox.AUTO)) {
      for (Path path : List.of(link, elsewhere.resolve("link/init.d"))) {
        assertThatThrownBy(() -> run(children, "true", new GrantedFolder(path, true)))
            .isInstanceOfSatisfying(
                CallFailedException.class,
                e -> assertThat(e.failure().kind()).isEqualTo(FailureKind.PERMANENT))
            .hasMessageContaining("is a link");
      }
      assertThatThrownBy(
              () -> run(children, "true", new GrantedFolder(elsewhere.resolve("none"), true)))
          .hasMessageContaining("is not there");
      assertThatThrownBy(
              () -> run(children, "true", new GrantedFolder(elsewhere.resolve("in/file"), true)))
          .hasMessageContaining("is not a folder");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "x", "./x", "/", "/a/../b", "/tmp", "/run", "/proc/1", "/dev", "/a\nb"})
  void whatIsNoFolderOfFilesIsRefused(String path) {
    assertThatThrownBy(() -> new GrantedFolder(Path.of(path), false))
        .hasMessageContaining("path must");
  }
}
