package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Row S62: the data folder is its owner's alone, however it came to be. */
@Timeout(120)
class DataFolderAccessTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @Test
  void whateverTheServerAndItsToolsMakeIsTheOwnersAloneWithAnyUmask() throws Exception {
    try (ShellRig shell = new ShellRig()) {
      ServerRig rig = shell.rig();
      rig.setup().umask("000");
      shell.start();
      shell.run("e1", "t", "mkdir -p a/b && echo x > a/b/c && mktemp");
      shell.say("e2", "t", ShellRig.call("write_file", Map.of("path", "w", "content", "one")));
      shell.say("e3", "t", ShellRig.call("write_file", Map.of("path", "w", "content", "two")));
      shell.say("e4", "t", ShellRig.call("attach_file", Map.of("path", "w")));
      shell.say("e5", "t", ShellRig.call("remember", Map.of("text", "the sky is blue")));
      shell.say("e6", "t", "/new");
      rig.converse("e7", "u", "hello");
      assertThat(Files.readString(shell.scratch("t").resolve("w"))).isEqualTo("two");
      assertClosed(rig, "while it runs");
      rig.restart();
      rig.converse("e8", "t", "hello");
      assertClosed(rig, "after a kill");
      assertThat(rig.server().stop()).isZero();
      assertClosed(rig, "after a stop");
    }
  }

  @Test
  void aFolderThatWasOpenedToOthersIsClosedAtTheNextStartAndTheOperatorTold() throws Exception {
    try (ServerRig rig = new ServerRig().start()) {
      rig.converse("e1", "t", "hello");
      rig.server().kill9();
      Path data = rig.setup().dataDir();
      Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxrwxrwx"));
      try (Stream<Path> files = Files.list(data)) {
        for (Path file : files.toList()) {
          Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxrwxrwx"));
        }
      }
      rig.start();
      rig.converse("e2", "t", "hello");
      assertClosed(rig, "after the start");
      assertThat(rig.server().output()).contains("their permissions were removed");
    }
  }

  @Test
  void aDatabaseBehindALinkIsRefusedAndNothingIsChanged() throws Exception {
    try (ServerRig rig = new ServerRig().start()) {
      rig.server().stop();
      Path database = rig.setup().dataDir().resolve("holdfast.db");
      Path elsewhere = rig.folder().resolve("elsewhere.db");
      Files.move(database, elsewhere);
      Files.createSymbolicLink(database, elsewhere);
      byte[] before = Files.readAllBytes(elsewhere);
      assertThat(rig.launch().exitCode(LIMIT)).isEqualTo(78);
      assertThat(rig.server().output()).contains("holdfast.db is a link");
      assertThat(Files.readAllBytes(elsewhere)).isEqualTo(before);
    }
  }

  /** Files come and go while the server runs, and what it unpacks is narrowed a moment later. */
  private static void assertClosed(ServerRig rig, String when) {
    List<String> open = new ArrayList<>();
    try {
      Await.until("", LIMIT, () -> look(rig.setup().dataDir(), open) && open.isEmpty());
    } catch (AssertionError e) {
      assertThat(open).as(when).isEmpty();
      throw e;
    }
  }

  private static boolean look(Path data, List<String> open) throws IOException {
    open.clear();
    List<Path> all;
    try (Stream<Path> files = Files.walk(data)) {
      all = files.toList();
    } catch (java.io.UncheckedIOException e) {
      return false; // one went away meanwhile
    }
    for (Path file : all) {
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        String rights = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        if (!rights.endsWith("------")) {
          open.add(rights + " " + data.relativize(file));
        }
      }
    }
    return true;
  }
}
