package dev.holdfast.tests.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.docs.PageCommands;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The commands of docs/install.md and docs/backup.md, word for word, in a Debian with systemd that
 * has no Holdfast: by a person who may use sudo, in the folder that {@code ./holdfast build}
 * leaves.
 */
@Outside(
    covers = {
      "packaging",
      "systemd",
      "holdfast",
      "docs/install.md",
      "docs/backup.md",
      "tests/src/test/java/dev/holdfast/tests/install"
    },
    needs = {"sudo:sudo", "curl:curl"})
@Timeout(600)
class InstallPageTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String UNITS = "/etc/systemd/system/";
  private static final String CONFIG = "/etc/holdfast/holdfast.yaml";
  private static final String DATABASE = "/var/lib/holdfast/holdfast.db";
  private static final String BACKUPS = "/var/backups/holdfast";
  private static final String BUILD = "./holdfast build\n";

  /** The one that this test leaves to ContainerfileTest, and the one that SbomTest is about. */
  private static final List<String> NOT_RUN = List.of("podman ", "trivy ");

  @Test
  void aPersonWhoFollowsThePagesHasAServerEachWay() throws Exception {
    Commands.assumeRoot();
    for (String program : List.of("sudo", "dpkg-deb", "curl")) {
      Commands.assumePresent(program);
    }
    List<String> blocks =
        PageCommands.of("install.md").blocks().stream()
            .filter(block -> NOT_RUN.stream().noneMatch(block::contains))
            .toList();
    assertThat(blocks).as("all that is run below").hasSize(8);
    Path sources = ServerRig.newFolder("holdfast-sources");
    try {
      DebianPackage.copyBuilt(sources);
      try (DebianRoot debian = DebianRoot.withSystemd(sources, DebianPackage.java())) {
        Administrator ann = new Administrator(debian, sources);
        packageLives(debian, ann, blocks.subList(0, 4));
        sourcesAreInstalledForAll(debian, ann, blocks.get(4), lines(blocks.get(6)).getFirst());
        sourcesAreInstalledForOne(ann, blocks.get(5), lines(blocks.get(6)).getLast());
        jarRunsByHand(ann, blocks.get(7));
      }
    } finally {
      ServerRig.delete(sources);
    }
  }

  private static void packageLives(DebianRoot debian, Administrator ann, List<String> blocks)
      throws Exception {
    ann.run(blocks.get(0));
    awaitActive(debian);
    assertThat(ann.run("sudo holdfast chat 'are you there?'")).contains("echo: are you there?");
    assertThat(ann.run(blocks.get(1))).contains("http://127.0.0.1:8080/", "mode");
    assertThat(Files.readString(debian.file("/etc/holdfast/holdfast.env"))).contains("not-a-key");

    isBackedUpAndRestored(debian, ann);

    ann.run(blocks.get(2));
    awaitActive(debian);
    assertThat(debian.run("dpkg-query", "--show", "holdfast")).contains("0.1.0-2");
    assertThat(ann.run("sudo holdfast threads list")).contains("are you there?");

    List<String> ways = lines(blocks.get(3));
    assertThat(ways).hasSize(3);
    ann.run("yes | " + ways.get(0));
    assertThat(debian.file("/usr/lib/holdfast")).doesNotExist();
    assertThat(debian.file(CONFIG)).exists();
    ann.run("yes | " + ways.get(1));
    assertThat(debian.file(CONFIG)).doesNotExist();
    assertThat(debian.file(DATABASE)).exists();
    ann.run(lines(blocks.get(2)).getLast());
    ann.run("yes | " + ways.get(2));
    assertThat(debian.file("/var/lib/holdfast")).doesNotExist();
  }

  private static void isBackedUpAndRestored(DebianRoot debian, Administrator ann) throws Exception {
    List<String> commands = PageCommands.of("backup.md").blocks();
    List<String> units = PageCommands.of("backup.md", "ini").blocks();
    ann.run(commands.get(1));
    write(debian, UNITS + "holdfast-backup.service", units.get(0));
    write(debian, UNITS + "holdfast-backup.timer", units.get(1));
    ann.run("sudo systemctl enable --now holdfast-backup.timer");
    ann.run("sudo systemctl start holdfast-backup.service");
    assertThat(debian.run("ls", BACKUPS).lines()).hasSize(2).allMatch(it -> it.endsWith(".zip"));
    assertThat(ann.run(commands.get(2))).contains("promoted");
    assertThat(ann.run("sudo holdfast threads list")).contains("are you there?");
  }

  private static void sourcesAreInstalledForAll(
      DebianRoot debian, Administrator ann, String install, String uninstall) throws Exception {
    assertThat(install).startsWith(BUILD); // has been done, and takes minutes
    ann.run(install.substring(BUILD.length()));
    awaitActive(debian);
    assertThat(ann.run("sudo holdfast chat hello")).contains("echo: hello");
    ann.run(uninstall);
    assertThat(debian.file("/usr/local/lib/holdfast")).doesNotExist();
    assertThat(debian.file(CONFIG)).exists();
    assertThat(debian.file(DATABASE)).exists();
  }

  private static void sourcesAreInstalledForOne(Administrator ann, String install, String uninstall)
      throws Exception {
    ann.whileItRuns(
        install,
        () -> assertThat(ann.run("~/.local/bin/holdfast chat hello")).contains("echo: hello"));
    ann.run(uninstall);
    assertThat(ann.run("cd ~/.local && find . -type f | sort"))
        .contains("./etc/holdfast/holdfast.yaml", "./var/lib/holdfast/holdfast.db")
        .doesNotContain("holdfast.jar", "bin/holdfast");
  }

  private static void jarRunsByHand(Administrator ann, String commands) throws Exception {
    ann.whileItRuns(
        commands,
        () ->
            assertThat(ann.run("cd ~/bot && java -jar holdfast.jar chat hello --data data"))
                .contains("echo: hello"));
  }

  private static List<String> lines(String block) {
    return block.lines().filter(line -> !line.isBlank()).toList();
  }

  private static void awaitActive(DebianRoot debian) {
    Await.until(
        "the server runs",
        LIMIT,
        () ->
            DebianRoot.end(debian.command("systemctl", "is-active", "holdfast"))
                .output()
                .startsWith("active"));
  }

  private static void write(DebianRoot debian, String file, String text) throws IOException {
    Path target = debian.file(file);
    Files.createDirectories(target.getParent());
    Files.writeString(target, text);
  }

  private interface Look {
    void now() throws Exception;
  }

  /** Somebody who may use sudo, and who stands in the folder of the sources. */
  private static final class Administrator {
    private final DebianRoot debian;
    private final Path folder;

    Administrator(DebianRoot debian, Path folder) throws Exception {
      this.debian = debian;
      this.folder = folder;
      debian.run("useradd", "--create-home", "--shell", "/bin/bash", "ann");
      debian.run("chown", "--recursive", "ann", folder.toString());
      write(
          debian,
          "/etc/sudoers.d/ann",
          "ann ALL=(ALL) NOPASSWD: ALL\nDefaults env_keep += \"HOLDFAST_AOT JDK_JAVA_OPTIONS\"\n");
      // The editor of somebody who types a key.
      write(
          debian, "/usr/local/bin/nano", "#!/bin/sh\necho ANTHROPIC_API_KEY=not-a-key >>\"$1\"\n");
      Files.setPosixFilePermissions(
          debian.file("/usr/local/bin/nano"), PosixFilePermissions.fromString("rwxr-xr-x"));
      // Only quicker.
      write(
          debian,
          UNITS + "holdfast.service.d/quick.conf",
          "[Service]\nEnvironment=JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1\n");
      debian.run("systemctl", "mask", "holdfast-cache.service");
    }

    /** Runs commands that must succeed. Returns what they printed. */
    String run(String commands) throws IOException, InterruptedException {
      DebianRoot.Ended ended = DebianRoot.end(command(commands));
      assertThat(ended.code()).as("%s: %s", commands, ended.output()).isZero();
      return ended.output();
    }

    /** Looks while commands run whose last one runs until it is stopped. */
    void whileItRuns(String commands, Look look) throws Exception {
      Path log = folder.resolve("output.log");
      Process process = command(commands).redirectOutput(log.toFile()).start();
      Await.until(
          "the server is ready",
          LIMIT,
          () -> {
            assertThat(process.isAlive()).as(Files.readString(log)).isTrue();
            return DebianRoot.end(
                        debian.command("curl", "--silent", "--fail", "http://127.0.0.1:8080/ready"))
                    .code()
                == 0;
          });
      look.now();
      process
          .descendants()
          .filter(each -> each.info().command().orElse("").endsWith("/bin/java"))
          .forEach(ProcessHandle::destroy);
      assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).as("it stops").isTrue();
    }

    private ProcessBuilder command(String commands) {
      String path = DebianPackage.java().resolve("bin") + ":/usr/local/bin:/usr/bin:/bin";
      return debian.command(
          Stream.of(
                  List.of("runuser", "-u", "ann", "--", "env", "HOME=/home/ann", "PATH=" + path),
                  List.of("JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1"),
                  List.of("bash", "-euc", "cd " + folder + "\n" + commands))
              .flatMap(List::stream)
              .toArray(String[]::new));
    }
  }
}
