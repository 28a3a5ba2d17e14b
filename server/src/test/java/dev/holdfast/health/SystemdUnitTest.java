package dev.holdfast.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The shipped unit file, as systemd itself reads it. */
class SystemdUnitTest {
  private static final Path FOLDER = Path.of("..", "systemd");
  private static final Path UNIT = FOLDER.resolve("holdfast.service");

  private record Ran(int status, String output) {}

  static boolean hasSystemdAnalyze() {
    return runs("systemd-analyze") && Files.isExecutable(Path.of("/usr/bin/java"));
  }

  static boolean hasSysusers() {
    return runs("systemd-sysusers") && runs("systemd-tmpfiles");
  }

  private static boolean runs(String command) {
    try {
      return run(command, "--version").status() == 0;
    } catch (IOException | InterruptedException e) {
      return false;
    }
  }

  private static Ran run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ran(process.waitFor(), output);
  }

  @Test
  @EnabledIf("hasSystemdAnalyze")
  void itsExposureIsAtMostTwo() throws Exception {
    Ran ran =
        run(
            "systemd-analyze",
            "security",
            "--offline=yes",
            "--threshold=20",
            "--no-pager",
            UNIT.toRealPath().toString());
    assertThat(ran.status()).as(ran.output()).isZero();
  }

  @Test
  @EnabledIf("hasSystemdAnalyze")
  void systemdFindsNothingWrongWithIt() throws Exception {
    Ran ran = run("systemd-analyze", "verify", "--man=no", UNIT.toRealPath().toString());
    assertThat(ran.status()).as(ran.output()).isZero();
    assertThat(ran.output()).doesNotContain("holdfast.service");
    Path cache = FOLDER.resolve("holdfast-cache.service").toRealPath();
    Ran cacheRan = run("systemd-analyze", "verify", "--man=no", cache.toString());
    assertThat(cacheRan.status()).as(cacheRan.output()).isZero();
    assertThat(cacheRan.output()).doesNotContain("holdfast-cache.service");
  }

  /** With what lets tools have walls of their own; systemd reads a drop-in behind the unit. */
  @Test
  @EnabledIf("hasSystemdAnalyze")
  void theDropInForToolsIsRightAndCostsWhatItSays(@TempDir Path folder) throws Exception {
    Path unit = folder.resolve("holdfast.service");
    Files.writeString(
        unit,
        Files.readString(UNIT) + "\n" + Files.readString(FOLDER.resolve("holdfast-tools.conf")));
    Ran verified = run("systemd-analyze", "verify", "--man=no", unit.toString());
    assertThat(verified.status()).as(verified.output()).isZero();
    assertThat(verified.output()).doesNotContain("holdfast.service");
    String alone = exposure(UNIT.toRealPath());
    String together = exposure(unit);
    assertThat(Files.readString(FOLDER.resolve("holdfast-tools.conf")))
        .contains("(from " + alone + " to " + together + ")")
        .contains(
            "rises by "
                + new BigDecimal(together).subtract(new BigDecimal(alone)).toPlainString()
                + " points");
  }

  private static String exposure(Path unit) throws Exception {
    Ran ran = run("systemd-analyze", "security", "--offline=yes", "--no-pager", unit.toString());
    Matcher level = Pattern.compile("holdfast.service: ([0-9.]+) ").matcher(ran.output());
    assertThat(level.find()).as(ran.output()).isTrue();
    return level.group(1);
  }

  /** Where cloud providers serve credentials, over IPv6 too. */
  @Test
  void theServicesOfCloudProvidersAreOutOfReach() throws Exception {
    assertThat(Files.readAllLines(UNIT))
        .filteredOn(line -> line.startsWith("IPAddressDeny="))
        .singleElement()
        .asString()
        .contains("169.254.0.0/16", "fe80::/10", "fd00:ec2::254", "fd20:ce::254", "fd00:42::42");
  }

  @Test
  void aCommandsMemoryIsBoundedAsAWholeWhereToolsAreAllowed() throws Exception {
    assertThat(Files.readAllLines(FOLDER.resolve("holdfast-tools.conf")))
        .contains("Delegate=memory pids", "ProtectControlGroups=no");
  }

  @Test
  @EnabledIf("hasSysusers")
  void theUserAndTheFoldersCanBeMade() throws Exception {
    Ran users =
        run("systemd-sysusers", "--dry-run", FOLDER.toRealPath() + "/holdfast.sysusers.conf");
    assertThat(users.status()).as(users.output()).isZero();
    assertThat(users.output()).doesNotContain("Unknown", "Failed");
  }

  @Test
  void whatARestartCannotMendIsNotRestarted() throws Exception {
    List<String> lines = new ArrayList<>(Files.readAllLines(UNIT));
    assertThat(lines)
        .contains(
            "RestartPreventExitStatus=64 65 73 78",
            "Restart=always",
            "StartLimitIntervalSec=0",
            "Type=notify",
            "NotifyAccess=main",
            "WatchdogSec=30s",
            "KillMode=mixed",
            "OOMPolicy=continue",
            "StateDirectoryMode=0700",
            "UMask=0077");
    assertThat(lines)
        .filteredOn(line -> line.startsWith("ExecStart="))
        .singleElement()
        .asString()
        .contains("java @/usr/lib/holdfast/java.options", "-XX:AOTCache=%C/holdfast/holdfast.aot")
        .contains(
            "-jar /usr/lib/holdfast/holdfast.jar run --config %E/holdfast/holdfast.yaml --data"
                + " %S/holdfast");
  }

  @Test
  void theFlagsOfJavaBoundItsMemory() throws Exception {
    assertThat(Files.readString(FOLDER.resolve("java.options")))
        .contains("-Xmx", "-XX:MaxDirectMemorySize=", "-XX:MaxMetaspaceSize=");
  }

  /** Systemd orders units that want each other by After and Before alone. */
  @Test
  void theStartDoesNotWaitForItsCache() throws Exception {
    List<String> unit = Files.readAllLines(UNIT);
    List<String> cache = Files.readAllLines(FOLDER.resolve("holdfast-cache.service"));
    assertThat(unit)
        .contains("Wants=network-online.target holdfast-cache.service")
        .noneMatch(line -> line.startsWith("After=") && line.contains("cache"));
    assertThat(cache)
        .noneMatch(line -> line.startsWith("Before="))
        .contains("Type=oneshot", "CacheDirectory=holdfast")
        .anyMatch(
            line ->
                line.startsWith("ExecStart=/usr/bin/java @/usr/lib/holdfast/java.options -jar ")
                    && line.endsWith(" cache --output %C/holdfast/holdfast.aot"));
  }
}
