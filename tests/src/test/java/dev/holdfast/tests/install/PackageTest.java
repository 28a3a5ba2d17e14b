package dev.holdfast.tests.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The life of the package on one machine. Without systemd its unit is carried out here: the command
 * of ExecStart as the unit's user, with what the unit forbids taken away by bubblewrap.
 */
@Outside(
    covers = {"packaging", "systemd", "holdfast", "tests/src/test/java/dev/holdfast/tests/install"},
    needs = {"bwrap:bubblewrap", "shellcheck:shellcheck"})
@Timeout(420)
class PackageTest {
  private static final int OPEN = Integer.getInteger("holdfast.package.open", 100);
  private static final int THREADS = 10;
  private static final Duration READY = Duration.ofSeconds(60);
  private static final Duration ANSWERED = Duration.ofSeconds(90);
  private static final String QUICK = "JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1";
  private static final String UNIT = "/usr/lib/systemd/system/holdfast.service";
  private static final String CONFIG = "/etc/holdfast/holdfast.yaml";
  private static final String KEYS = "/etc/holdfast/holdfast.env";
  private static final String DATA = "/var/lib/holdfast";

  @Test
  void itIsInstalledUpgradedRemovedAndPurged() throws Exception {
    Commands.assumeRoot();
    Commands.assumePresent("bwrap");
    Commands.assumePresent("dpkg-deb");
    Path before = DebianPackage.build("1");
    Path after = DebianPackage.build("2");
    try (DebianRoot debian = new DebianRoot(DebianPackage.folder());
        ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      debian.run("dpkg", "--install", before.toString());
      assertThat(access(debian, DATA)).isEqualTo("holdfast:rwx------");
      assertThat(access(debian, CONFIG)).isEqualTo("root:rw-r-----");
      assertThat(access(debian, KEYS)).isEqualTo("root:rw-r-----");
      assertThat(debian.run("holdfast", "version")).contains("0.1.0");
      assertThat(debian.run("holdfast", "config", "check")).contains(CONFIG + " is good");
      assertUnitIsSafe(debian);
      assertUnitForbids(debian);

      rig.setup().configFile(debian.file(CONFIG)).write();
      Process server = start(debian, rig);
      rig.converse("first", "t", "are you installed?");
      model.always(ModelScript.hang());
      IntStream.range(0, OPEN).forEach(i -> rig.accept("e" + i, "t" + i % THREADS, "ask " + i));
      Await.until("a turn runs", READY, () -> model.requests().size() > 1);
      String written = Files.readString(debian.file(CONFIG));
      stop(server);

      debian.run("dpkg", "--install", after.toString());
      assertThat(debian.run("dpkg-query", "--show", "holdfast")).contains("0.1.0-2");
      assertThat(Files.readString(debian.file(CONFIG))).isEqualTo(written);
      model.always(ModelScript.echo());
      server = start(debian, rig);
      for (int i = 0; i < OPEN; i++) {
        rig.platform().awaitText("e" + i, "ask " + i, ANSWERED);
      }
      assertThat(rig.platform().posts())
          .filteredOn(post -> post.text().contains("ask "))
          .extracting(Post::inReplyTo)
          .as("each is answered once, whatever else its sender was told meanwhile")
          .doesNotHaveDuplicates();
      stop(server);

      debian.run("dpkg", "--remove", "holdfast");
      assertThat(debian.file("/usr/lib/holdfast")).doesNotExist();
      assertThat(Files.readString(debian.file(CONFIG))).isEqualTo(written);
      assertThat(debian.run("dpkg", "--purge", "holdfast")).contains("is kept");
      assertThat(debian.file("/etc/holdfast")).doesNotExist();
      assertThat(debian.file(DATA + "/holdfast.db")).exists();

      debian.run("dpkg", "--install", after.toString());
      assertThat(access(debian, DATA + "/holdfast.db")).isEqualTo("holdfast:rw-------");
      debian.run("env", "HOLDFAST_PURGE_DATA=yes", "dpkg", "--purge", "holdfast");
      assertThat(debian.file(DATA)).doesNotExist();
      assertThat(debian.file("/var/cache/holdfast")).doesNotExist();
      assertThat(debian.run("cat", "/etc/passwd")).doesNotContain("holdfast:");
    }
  }

  @Test
  void itsScriptsAreClean() throws Exception {
    Commands.assumePresent("shellcheck");
    List<String> command = new ArrayList<>(List.of("shellcheck", "../holdfast"));
    try (Stream<Path> scripts = Files.walk(Path.of("..", "packaging"))) {
      scripts
          .filter(file -> file.toFile().isFile() && file.toFile().canExecute())
          .map(Path::toString)
          .forEach(command::add);
    }
    assertThat(command).hasSizeGreaterThan(5);
    DebianRoot.Ended ended = DebianRoot.end(new ProcessBuilder(command).redirectErrorStream(true));
    assertThat(ended.code()).as(ended.output()).isZero();
  }

  /** At most 1.1 of 10, as systemd counts exposure. */
  private static void assertUnitIsSafe(DebianRoot debian) throws Exception {
    if (!Files.isExecutable(Path.of("/usr/bin/systemd-analyze"))) {
      return;
    }
    DebianRoot.Ended ended =
        DebianRoot.end(
            debian.outside(
                "systemd-analyze",
                "security",
                "--offline=yes",
                "--threshold=11",
                "--no-pager",
                debian.mounted() + UNIT));
    assertThat(ended.code()).as(ended.output()).isZero();
  }

  private static void assertUnitForbids(DebianRoot debian) throws Exception {
    String tries =
        """
        for file in /etc/x /usr/lib/holdfast/x /var/cache/x /root/x /home/x; do
          if touch $file 2>/dev/null; then echo "wrote $file"; fi
        done
        touch /var/lib/holdfast/x /tmp/x && rm /var/lib/holdfast/x && echo "wrote its own"
        grep -E '^(NoNewPrivs|CapEff|CapBnd)' /proc/self/status
        """;
    DebianRoot.Ended ended = DebianRoot.end(asUnit(debian, List.of("sh", "-c", tries)));
    assertThat(ended.output().lines().map(line -> line.replaceAll("\\s+", " ")))
        .containsExactlyInAnyOrder(
            "wrote its own",
            "CapEff: 0000000000000000",
            "CapBnd: 0000000000000000",
            "NoNewPrivs: 1");
  }

  private static Process start(DebianRoot debian, ServerRig rig) throws Exception {
    Path log = rig.folder().resolve("log");
    Process server =
        asUnit(debian, unitCommand(debian))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    Await.until(
        "ready",
        READY,
        () -> {
          assertThat(server.isAlive()).as(Files.readString(log)).isTrue();
          return new Http().get(rig.setup().url("/ready"), Map.of()).status() == 200;
        });
    assertThat(Files.readString(log)).as("a cache that is not there yet").doesNotContain("[aot");
    return server;
  }

  /** As systemd does it, and then the script before an upgrade. */
  private static void stop(Process server) throws InterruptedException {
    List<ProcessHandle> javas =
        server
            .descendants()
            .filter(process -> process.info().command().orElse("").endsWith("/bin/java"))
            .toList();
    assertThat(javas).hasSize(1);
    assertThat(javas.getFirst().destroy()).isTrue();
    assertThat(server.waitFor(40, TimeUnit.SECONDS)).as("it stops").isTrue();
  }

  /** ExecStart, with the folders that systemd puts for its specifiers. */
  private static List<String> unitCommand(DebianRoot debian) throws IOException {
    String command =
        Files.readAllLines(debian.file(UNIT)).stream()
            .filter(line -> line.startsWith("ExecStart="))
            .findFirst()
            .orElseThrow()
            .substring("ExecStart=".length());
    return List.of(
        command
            .replace("%S", "/var/lib")
            .replace("%C", "/var/cache")
            .replace("%E", "/etc")
            .split(" ", -1));
  }

  /**
   * ProtectSystem, ProtectHome, PrivateTmp, PrivateDevices, StateDirectory, CapabilityBoundingSet,
   * NoNewPrivileges and User of the unit.
   */
  private static ProcessBuilder asUnit(DebianRoot debian, List<String> command) {
    List<String> words =
        new ArrayList<>(List.of("env", "-i", "PATH=/usr/bin:/bin:/usr/sbin:/sbin", QUICK));
    words.addAll(debian.confined("holdfast", DATA));
    words.addAll(command);
    return debian.outside(words.toArray(String[]::new));
  }

  private static String access(DebianRoot debian, String file) throws Exception {
    return debian.run("stat", "--format=%U", file).strip()
        + ":"
        + PosixFilePermissions.toString(Files.getPosixFilePermissions(debian.file(file)));
  }
}
