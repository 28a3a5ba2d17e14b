package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each attempt to make a copy would fail with a NoSuchFileException. */
class PluginCopiesTest {
  @TempDir Path folder;
  private PluginCopies copies;
  private Path dropped;

  @BeforeEach
  void open() throws IOException {
    copies = PluginCopies.open(folder.resolve("copies"), folder.resolve("states"));
    Files.delete(folder.resolve("copies"));
    dropped = folder.resolve("dropped.jar");
  }

  @Test
  void aFileThatIsTooLargeIsNotCopied() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(dropped.toFile(), "rw")) {
      file.setLength((128L << 20) + 1);
    }
    assertThatThrownBy(() -> copies.take(dropped))
        .isInstanceOf(PluginRefusedException.class)
        .hasMessageContaining("128 MiB");
  }

  @Test
  void halfAnArchiveIsNotCopied() throws IOException {
    Path whole = PluginJars.of(folder, "hello", "1.0.0").into(folder, "whole.jar");
    byte[] bytes = Files.readAllBytes(whole);
    Files.write(dropped, java.util.Arrays.copyOf(bytes, bytes.length / 2));
    assertThatThrownBy(() -> copies.take(dropped)).isInstanceOf(ZipException.class);
  }
}
