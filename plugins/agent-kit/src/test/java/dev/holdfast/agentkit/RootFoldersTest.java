package dev.holdfast.agentkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RootFoldersTest {
  @TempDir Path temporary;
  private Path top;

  @BeforeEach
  void makeFolders() throws IOException {
    top = temporary.toRealPath();
    for (String name : List.of("a/x", "a/same", "b/y", "b/same", "outside/z", "ab")) {
      Files.createDirectories(top.resolve(name));
    }
    Files.writeString(top.resolve("a/file"), "");
    Files.createSymbolicLink(top.resolve("a/out"), top.resolve("outside"));
    Files.createSymbolicLink(top.resolve("a/over"), top.resolve("b/y"));
    Files.createSymbolicLink(top.resolve("a/gone"), top.resolve("none"));
    Files.createSymbolicLink(top.resolve("a/loop"), top.resolve("a/loop"));
  }

  private RootFolders roots() throws IOException {
    String a = top.resolve("a").toString();
    String b = top.resolve("b").toString();
    return RootFolders.of(List.of(a, b, "--", b), top.resolve("own"));
  }

  @Test
  void aFolderIsFoundInWhicheverRootHasIt() throws Exception {
    assertThat(roots().folder("x").path()).isEqualTo(top.resolve("a/x"));
    assertThat(roots().folder(top.resolve("b/y").toString()).root().isWritable()).isTrue();
    assertThat(roots().folder("x").root().isWritable()).isFalse();
    assertThatThrownBy(() -> roots().folder("x").requireWritable())
        .hasMessageContaining("read-only");
    assertThat(roots().folder("over").path()).as("by its real path").isEqualTo(top.resolve("b/y"));
    assertThatThrownBy(() -> roots().folder("same")).hasMessageContaining("absolute path");
    assertThatThrownBy(() -> roots().folder("")).hasMessageContaining("absolute path");
    assertThatThrownBy(() -> roots().folder("none")).hasMessageContaining("There is no none");
    assertThatThrownBy(() -> roots().folder("file")).hasMessageContaining("no folder");
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "out/z", "../outside", "x/../../outside", "x/..", "/", "/etc"})
  void nothingLeadsOut(String name) {
    assertThatThrownBy(() -> roots().folder(name))
        .isInstanceOfSatisfying(
            ActionRefusedException.class, e -> assertThat(e.code()).isEqualTo(403));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gone", "loop", "x\0y"})
  void whatLeadsNowhereIsRefused(String name) {
    assertThatThrownBy(() -> roots().folder(name)).isInstanceOf(Exception.class);
  }

  @Test
  void aFolderWhoseNameBeginsTheSameIsAnother() {
    assertThatThrownBy(() -> roots().folder(top.resolve("ab").toString()))
        .hasMessageContaining("outside");
  }

  @Test
  void withoutFoldersTheAgentHasItsOwn() throws Exception {
    RootFolders own = RootFolders.of(List.of("--"), top.resolve("own"));
    assertThat(own.folder("").path()).isEqualTo(top.resolve("own"));
    own.folder("").requireWritable();
    RootFolders readOnly = RootFolders.of(List.of(top.resolve("a").toString(), "--"), top);
    assertThat(readOnly.roots()).hasSize(1);
    assertThatThrownBy(() -> readOnly.folder("").requireWritable())
        .hasMessageContaining("read-only");
  }
}
