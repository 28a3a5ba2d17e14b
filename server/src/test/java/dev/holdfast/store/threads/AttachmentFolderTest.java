package dev.holdfast.store.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.store.engine.FailStop;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttachmentFolderTest {
  private static final long PLENTY = 1 << 20;

  @TempDir Path thread;
  private AttachmentFolder folder;

  @BeforeEach
  void open() {
    folder =
        new AttachmentFolder(
            thread.resolve("attachments"),
            () -> {},
            new FailStop(
                (_, text) -> {
                  throw new AssertionError(text);
                }));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "..",
        "../a.txt",
        "a/b.txt",
        "a.txt/..",
        "-a.txt",
        ".a.txt",
        "A.txt",
        "a",
        "a.",
        "a..txt",
        "a.txt.tmp",
        "a\0.txt",
        "a.txt\n",
        "ä.txt",
        "a\\b.txt"
      })
  void onlyNamesOfOursAreLookedFor(String name) {
    assertThat(folder.find(name)).isEmpty();
    assertThatThrownBy(() -> folder.put(name, new byte[1], PLENTY))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0198-ab.1", "../../x", "", "Ünï", "----", "x"})
  void everyStemMakesAName(String stem) {
    assertThat(AttachmentFolder.isName(AttachmentFolder.name(stem, "png"))).isTrue();
  }

  @Test
  void aFileIsThereWholeAndForItsOwnerAlone() throws Exception {
    Path file = folder.put("a-1.txt", new byte[] {1, 2, 3}, PLENTY);
    assertThat(folder.find("a-1.txt")).contains(file);
    assertThat(Files.readAllBytes(file)).containsExactly(1, 2, 3);
    assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
    folder.put("a-1.txt", new byte[] {4}, PLENTY);
    assertThat(Files.readAllBytes(file)).containsExactly(4);
  }

  @Test
  void aLinkIsNoFile() throws Exception {
    folder.put("a.txt", new byte[1], PLENTY);
    Files.createSymbolicLink(thread.resolve("attachments/b.txt"), Path.of("/etc/passwd"));
    assertThat(folder.find("b.txt")).isEmpty();
  }

  @Test
  void theOldestGoWhenThereIsTooMuchAndTheNewestStays() throws Exception {
    for (int i = 0; i < 4; i++) {
      Path file = folder.put("f-" + i + ".bin", new byte[10_000], PLENTY);
      Files.setLastModifiedTime(file, FileTime.fromMillis(1000L * i));
    }
    folder.put("new.bin", new byte[10_000], 30_000);
    assertThat(folder.find("f-0.bin")).isEmpty();
    assertThat(folder.find("f-1.bin")).isEmpty();
    assertThat(folder.find("f-3.bin")).isPresent();
    folder.put("huge.bin", new byte[50_000], 30_000);
    assertThat(folder.find("f-3.bin")).isEmpty();
    assertThat(folder.find("huge.bin")).isPresent();
  }
}
