package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LastGoodTest {
  @TempDir Path folder;
  private Path file;
  private LastGoodConfig lastGood;

  @BeforeEach
  void makeFolders() throws Exception {
    file = folder.resolve("holdfast.yaml");
    lastGood = LastGoodConfig.in(Files.createDirectory(folder.resolve("data")));
  }

  private LastGoodConfig.Chosen<Integer> choose() throws ConfigException {
    return lastGood.choose(
        ConfigFile.read(file, Map.of()), file, Map.of(), root -> root.whole("n", 1));
  }

  @Test
  void aBadFileLeavesTheLastGoodOneInForce() throws Exception {
    Files.writeString(file, "n: 5 # \u00e4");
    lastGood.keep(choose().loaded());
    Files.writeString(file, "n: five\nm: 1");
    LastGoodConfig.Chosen<Integer> chosen = choose();
    assertThat(chosen.config()).isEqualTo(5);
    assertThat(chosen.isDegraded()).isTrue();
    assertThat(chosen.warning())
        .isEqualTo(
            "running with the last good configuration; "
                + file
                + ":1: n must be a whole number, got five (and 1 more)");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(lastGood.file())))
        .isEqualTo("rw-------");
  }

  @Test
  void aBadFileIsRefusedWhenThereNeverWasAGoodOne() throws Exception {
    lastGood.keep(choose().loaded());
    assertThat(lastGood.file()).doesNotExist();
    Files.writeString(file, "n: five");
    assertThatThrownBy(this::choose).isInstanceOf(ConfigException.class);
  }

  @Test
  void bothFilesAreNamedWhenTheCopyIsBadToo() throws Exception {
    Files.writeString(file, "n: five");
    Files.writeString(lastGood.file(), "n: six");
    assertThatThrownBy(this::choose)
        .hasMessageContaining("got five")
        .hasMessageContaining("config.last-good.yaml:1: n must be a whole number, got six");
  }

  @Test
  void anInterruptedCopyChangesNothing() throws Exception {
    Files.writeString(file, "n: 5");
    Files.writeString(lastGood.file().resolveSibling("config.last-good.yaml.tmp"), "n: torn");
    lastGood.keep(choose().loaded());
    assertThat(Files.readString(lastGood.file())).isEqualTo("n: 5");
  }
}
