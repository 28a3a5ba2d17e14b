package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastProcess;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that is killed a thousand times leaves no more behind than one that is killed once. */
@Timeout(180)
class LeftoverTest {
  private static final int KILLS = RunLength.isFull() ? 8 : 3;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Test
  void noFilesPileUpHoweverOftenTheServerIsKilled() throws Exception {
    try (ShellRig shell = new ShellRig()) {
      Path temporary = Files.createDirectory(shell.rig().folder().resolve("temporary"));
      shell.rig().setup().flag("-Djava.io.tmpdir=" + temporary);
      Set<String> first = after(shell, "e0");
      Random random = new Random(11);
      for (int kill = 1; kill <= KILLS; kill++) {
        if (kill % 2 == 0) {
          HoldfastProcess starting = shell.rig().launch();
          Await.pause(Duration.ofMillis(300 + random.nextInt(900)));
          starting.kill9();
        }
        Set<String> now = after(shell, "e" + kill);
        now.removeIf(kind -> kind.startsWith("data/memory")); // the page of one incident
        assertThat(now).as("after kill " + kill).isEqualTo(first);
        assertThat(list(temporary)).as("in the machine's folder").isEmpty();
      }
      assertThat(shell.rig().folder().resolve("file-uploads")).doesNotExist();
    }
  }

  /**
   * Bubblewrap ties what it starts to its own life a moment after it started it. Here that moment
   * lasts for as long as the file is there.
   */
  @Test
  void theNextStartEndsASandboxThatWasOnlyBeingMade() throws Exception {
    try (ShellRig shell = new ShellRig()) {
      Path folder = Files.createDirectory(shell.rig().folder().resolve("programs"));
      Path slow = folder.resolve("slow");
      Path never = folder.resolve("never");
      Path program = folder.resolve("bwrap");
      Files.writeString(
          program,
          """
          #!/bin/sh
          PATH=${PATH#*:}
          [ -e %1$s ] || exec bwrap "$@"
          [ -p %2$s ] || mkfifo %2$s
          for argument; do
            shift
            [ "$argument" = --disable-userns ] || set -- "$@" "$argument"
          done
          exec 8>/dev/null 9<>%2$s
          exec bwrap --setenv slow %1$s --info-fd 8 --userns-block-fd 9 "$@"
          """
              .formatted(slow, never));
      Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
      shell.rig().setup().env("PATH", folder + ":" + System.getenv("PATH"));
      shell.start();
      assertThat(shell.run("e1", "t", "echo hello")).contains("hello");
      assumeThat(shell.rig().server().output())
          .as("this fault is bubblewrap's own")
          .contains("children: isolated by BUBBLEWRAP");

      Files.createFile(slow);
      shell.rig().accept("e2", "t", ShellRig.command("echo again"));
      String words = "--setenv slow " + slow;
      Await.until("both processes run", LIMIT, () -> ShellRig.processes(words).size() == 2);
      shell.rig().server().kill9();
      Await.until("the inner one is alone", LIMIT, () -> ShellRig.processes(words).size() == 1);

      Files.delete(slow);
      shell.start();
      assertThat(ShellRig.processes(words)).isEmpty();
      assertThat(shell.rig().platform().awaitPost("e2", LIMIT).text()).isNotEmpty();
    }
  }

  /** Starts the server, has it do something, and kills it; the kinds of files of its data. */
  private static Set<String> after(ShellRig shell, String id) throws IOException {
    shell.start();
    shell.run(id, "t", "echo hello");
    shell.rig().server().kill9();
    Set<String> kinds = new TreeSet<>();
    for (Path file : list(shell.rig().setup().dataDir())) {
      String kind = shell.rig().folder().relativize(file).toString();
      assertThat(kinds.add(kind.replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}", "*"))).as(kind).isTrue();
    }
    return kinds;
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> !file.equals(folder)).toList();
    }
  }
}
