package dev.holdfast.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFileTest {
  @TempDir Path folder;

  @Test
  void aTextTakesThePlaceOfAnotherAndOfWhatACrashLeft() throws Exception {
    Path file = folder.resolve("kept.json");
    Path draft = folder.resolve("kept.json.new");
    Files.writeString(draft, "half of something much longer than what comes");
    DurableFile.write(file, draft, "ä");
    assertThat(file).hasContent("ä");
    DurableFile.write(file, draft, "b");
    assertThat(file).hasContent("b");
    assertThat(folder).isDirectoryNotContaining("glob:**.new");
  }
}
