package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.holdfast.store.engine.StartRefusedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Row S62. */
class DataFolderTest {
  @TempDir Path root;
  private Path data;

  @BeforeEach
  void aFolder() throws Exception {
    data = root.resolve("data");
    new TestStore(data).closeCleanly();
    Files.writeString(data.resolve("token"), "t");
  }

  private static String rights(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static void open(Path path) throws Exception {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
  }

  private void refused(String... words) {
    assertThatThrownBy(() -> DataFolder.at(data).check())
        .isInstanceOfSatisfying(
            StartRefusedException.class, e -> assertThat(e.exitCode()).isEqualTo(78))
        .hasMessageContainingAll(words);
  }

  @Test
  void whatWasOpenedToOthersIsClosed() throws Exception {
    Path threads = Files.createDirectory(data.resolve("threads"));
    for (Path path : new Path[] {data, data.resolve("holdfast.db"), data.resolve("token")}) {
      open(path);
    }
    open(threads);
    DataFolder.at(data).check();
    DataFolder.at(data).narrow();
    assertThat(rights(data)).isEqualTo("rwx------");
    assertThat(rights(threads)).isEqualTo("rwx------");
    assertThat(rights(data.resolve("holdfast.db"))).isEqualTo("rw-------");
    assertThat(rights(data.resolve("token"))).isEqualTo("rw-------");
  }

  @Test
  void whatLiesInAClosedFolderIsClosedWithoutAWarning() throws Exception {
    Path memory = Files.createDirectory(data.resolve("memory"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
    open(memory);
    assertThat(narrowedWith()).isEmpty();
    assertThat(rights(memory)).isEqualTo("rwx------");
  }

  @Test
  void onlyATokenThatOthersCouldReadIsToBeChanged() throws Exception {
    Files.setPosixFilePermissions(
        data.resolve("token"), PosixFilePermissions.fromString("rw-------"));
    open(data);
    assertThat(narrowedWith())
        .singleElement()
        .asString()
        .contains("other users could access")
        .doesNotContain("token");
    open(data);
    open(data.resolve("token"));
    assertThat(narrowedWith()).singleElement().asString().contains("Change the token");
  }

  private List<String> narrowedWith() throws Exception {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger logger = (Logger) LoggerFactory.getLogger(DataFolder.class);
    logger.addAppender(lines);
    try {
      DataFolder.at(data).narrow();
    } finally {
      logger.detachAppender(lines);
    }
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"holdfast.db", "holdfast.db-wal", "holdfast.run", "token"})
  void aLinkInThePlaceOfAStoreFileIsRefused(String name) throws Exception {
    Path elsewhere = root.resolve("elsewhere");
    if (Files.exists(data.resolve(name))) {
      Files.move(data.resolve(name), elsewhere);
    }
    Files.createSymbolicLink(data.resolve(name), elsewhere);
    refused(name, "link");
  }

  @Test
  void aLinkOfAnOperatorThatLeadsOutStaysAsItIs() throws Exception {
    Path shared = Files.createDirectory(root.resolve("shared"));
    open(shared);
    Files.createSymbolicLink(data.resolve("skills"), shared);
    DataFolder.at(data).check();
    DataFolder.at(data).narrow();
    assertThat(rights(shared)).isEqualTo("rwxrwxrwx");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "holdfast.db", "token"})
  void whatBelongsToSomebodyElseIsRefused(String name) throws Exception {
    boolean isRoot = Files.getAttribute(data, "unix:uid").equals(0);
    assumeTrue(isRoot, "only root can give a file away");
    Files.setAttribute(data.resolve(name), "unix:uid", 65534);
    refused("65534", "chown");
  }

  @Test
  void aNewFolderIsNobodyElses() throws Exception {
    DataFolder.at(root.resolve("not/there/yet")).check();
  }

  @ParameterizedTest
  @ValueSource(strings = {"nfs", "nfs4", "cifs", "fuse.sshfs"})
  void aNetworkFileSystemIsKnown(String type) {
    assertThat(DataFolder.isNetwork(type)).isTrue();
    assertThat(DataFolder.isNetwork("ext4")).isFalse();
  }
}
