package dev.holdfast.notes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that want out of the vault, or into what is hidden in it. */
class VaultBoundsTest {
  @TempDir Path temporary;
  private TestVault vault;
  private Path outside;

  @BeforeEach
  void makeVault() throws Exception {
    vault = new TestVault(temporary);
    outside = Files.createDirectories(temporary.toRealPath().resolve("outside"));
    Files.writeString(outside.resolve("secret.md"), "canary");
    vault.write(".obsidian/config.md", "canary");
    vault.write("in/.hidden.md", "canary");
    vault.write("in/note.md", "text");
    Files.createSymbolicLink(vault.folder.resolve("out"), outside);
    Files.createSymbolicLink(vault.folder.resolve("link.md"), outside.resolve("secret.md"));
    Files.createSymbolicLink(vault.folder.resolve("gone.md"), outside.resolve("new.md"));
    Files.createSymbolicLink(vault.folder.resolve("settings"), vault.folder.resolve(".obsidian"));
    Files.createSymbolicLink(vault.folder.resolve("same.md"), vault.folder.resolve("in/note.md"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../outside/secret.md",
        "in/../../outside/secret",
        "out/secret",
        "link",
        ".obsidian/config",
        "settings/config",
        "in/.hidden",
        "/etc/passwd",
        "a\nb",
        "in/../in/note"
      })
  void whatIsOutsideOrHiddenIsNeitherReadNorWritten(String path) throws Exception {
    assertThat(vault.refusal("read", Map.of("path", path)))
        .matches("40[03] .*")
        .doesNotContain("canary");
    assertThat(vault.refusal("update", Map.of("path", path, "text", "x"))).matches("40[03] .*");
    assertThat(vault.refusal("create", Map.of("path", path, "text", "x"))).matches("40[03] .*");
    assertThat(outside.resolve("secret.md")).hasContent("canary");
    assertThat(vault.folder.resolve(".obsidian/config.md")).hasContent("canary");
  }

  @ParameterizedTest
  @ValueSource(strings = {"out/new", "settings/new", ".new", "x/.y/z", "gone"})
  void nothingIsMadeThere(String path) throws Exception {
    assertThat(vault.refusal("create", Map.of("path", path, "text", "x"))).startsWith("40");
    try (var files = Files.list(outside)) {
      assertThat(files).hasSize(1);
    }
    assertThat(vault.folder.resolve(".obsidian/new.md")).doesNotExist();
  }

  @Test
  void aLinkWithinTheVaultIsItsNote() throws Exception {
    assertThat(vault.run("read", Map.of("path", "same"))).containsEntry("path", "in/note.md");
    vault.run("update", Map.of("path", "same", "append", "x"));
    assertThat(vault.content("in/note.md")).isEqualTo("text\nx\n");
    assertThat(vault.folder.resolve("same.md")).isSymbolicLink();
  }

  @Test
  void aSearchAndAListFollowNoLinks() throws Exception {
    assertThat(vault.run("search", Map.of("query", "canary"))).containsEntry("notes", List.of());
    assertThat(vault.run("list", Map.of()).toString()).doesNotContain("secret", "config", "hidden");
    assertThat(vault.refusal("list", Map.of("folder", "out"))).startsWith("403");
    assertThat(vault.refusal("list", Map.of("folder", "settings"))).startsWith("403");
    assertThat(vault.refusal("search", Map.of("query", "x", "folder", ".."))).startsWith("403");
  }

  @Test
  void whereOnlyReadingIsAllowedNothingIsChanged() throws Exception {
    List<String> readOnly = List.of(vault.folder.toString(), "--");
    Map<String, String> update = Map.of("path", "in/note", "text", "x");
    assertThat(vault.refusal(readOnly, "update", "", update)).startsWith("403");
    assertThat(vault.refusal(readOnly, "create", "", Map.of("path", "n", "text", "x")))
        .startsWith("403");
    assertThat(vault.content("in/note.md")).isEqualTo("text");
  }

  @Test
  void ofSeveralVaultsOneIsNamed() throws Exception {
    List<String> both = List.of(vault.folder.toString(), outside.toString(), "--");
    assertThat(vault.refusal(both, "list", "", Map.of())).startsWith("404 Name one");
    assertThat(vault.refusal(both, "list", "", Map.of("vault", "etc"))).startsWith("404");
    for (String name : List.of("outside", outside.toString())) {
      assertThat(vault.answer(both, "read", "", Map.of("vault", name, "path", "secret")))
          .containsEntry("status", "success");
    }
  }
}
