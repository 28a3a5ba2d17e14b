package dev.holdfast.tests.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.Outside;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The package under a systemd that runs: its unit, and what its scripts ask systemd for. */
@Outside(covers = {"packaging", "systemd", "tests/src/test/java/dev/holdfast/tests/install"})
@Timeout(600)
class SystemdTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String UNIT = "holdfast.service";
  private static final String DROP_IN = "/etc/systemd/system/holdfast.service.d/tries.conf";
  private static final String TRIED = "/var/lib/holdfast/tried";

  /** Before each start, with all that the unit takes away. */
  private static final String TRIES =
      """
      [Service]
      Environment=JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1
      ExecStartPre=/bin/sh -c 'for file in /etc/x /usr/lib/holdfast/x /var/cache/x /root/x /home/x; do \
        if touch $$file 2>/dev/null; then echo wrote $$file; fi; done >%1$s; \
        unshare --user true 2>/dev/null && echo made a namespace >>%1$s; \
        grep -E "^(NoNewPrivs|CapEff|CapBnd|Seccomp):" /proc/self/status >>%1$s; id -un >>%1$s'
      """
          .formatted(TRIED);

  @Test
  void theServerStartsIsRestartedUpgradedStoppedAndForgottenBySystemd() throws Exception {
    Commands.assumeRoot();
    Commands.assumePresent("dpkg-deb");
    Path before = DebianPackage.build("1");
    Path after = DebianPackage.build("2");
    try (DebianRoot debian = DebianRoot.withSystemd(DebianPackage.folder())) {
      write(debian, DROP_IN, TRIES);
      debian.run("systemctl", "mask", "holdfast-cache.service"); // it takes a minute to make
      debian.run("dpkg", "--install", before.toString());
      awaitState(debian, "active");
      assertThat(debian.run("systemctl", "is-enabled", UNIT)).startsWith("enabled");
      assertThat(debian.run("holdfast", "chat", "are you there?")).contains("are you there?");
      assertConfined(debian);

      String first = pid(debian);
      debian.run("kill", "-9", first);
      Await.until("it is started again", LIMIT, () -> !pid(debian).equals(first));
      awaitState(debian, "active");

      String second = pid(debian);
      debian.run("dpkg", "--install", after.toString());
      awaitState(debian, "active");
      assertThat(pid(debian)).as("it was stopped and started").isNotEqualTo(second);
      assertThat(debian.run("holdfast", "threads", "list")).contains("are you there?");

      debian.run("systemctl", "disable", "--now", UNIT);
      debian.run("dpkg", "--install", after.toString());
      assertThat(state(debian)).as("an operator's choice").isEqualTo("inactive");
      assertThat(enabled(debian)).startsWith("disabled");

      debian.run("systemctl", "enable", "--now", UNIT);
      awaitState(debian, "active");
      debian.run("dpkg", "--remove", "holdfast");
      assertThat(state(debian)).isIn("inactive", "unknown");
      assertThat(enabled(debian)).as("nothing starts it meanwhile").startsWith("masked");
      debian.run("dpkg", "--purge", "holdfast");
      assertThat(debian.file("/etc/systemd/system/multi-user.target.wants/" + UNIT)).doesNotExist();
      assertThat(debian.file("/etc/systemd/system/" + UNIT)).doesNotExist();
      assertThat(debian.file("/var/lib/holdfast/holdfast.db")).exists();
    }
  }

  /** By systemd, in a real start: what the unit allows, and how it is rated. */
  private static void assertConfined(DebianRoot debian) throws Exception {
    assertThat(
            Files.readAllLines(debian.file(TRIED)).stream()
                .map(line -> line.replaceAll("\\s+", " ")))
        .containsExactlyInAnyOrder(
            "CapEff: 0000000000000000",
            "CapBnd: 0000000000000000",
            "NoNewPrivs: 1",
            "Seccomp: 2",
            "holdfast");
    DebianRoot.Ended rated =
        DebianRoot.end(
            debian.command("systemd-analyze", "security", "--threshold=11", "--no-pager", UNIT));
    assertThat(rated.code()).as(rated.output()).isZero();
  }

  private static void write(DebianRoot debian, String file, String text) throws IOException {
    Path target = debian.file(file);
    Files.createDirectories(target.getParent());
    Files.writeString(target, text);
  }

  private static void awaitState(DebianRoot debian, String state) {
    Await.until(UNIT + " is " + state, LIMIT, () -> state(debian).equals(state));
  }

  private static String state(DebianRoot debian) throws IOException, InterruptedException {
    return DebianRoot.end(debian.command("systemctl", "is-active", UNIT)).output().strip();
  }

  private static String enabled(DebianRoot debian) throws IOException, InterruptedException {
    return DebianRoot.end(debian.command("systemctl", "is-enabled", UNIT)).output();
  }

  private static String pid(DebianRoot debian) throws IOException, InterruptedException {
    return debian.run("systemctl", "show", "--property=MainPID", "--value", UNIT).strip();
  }
}
