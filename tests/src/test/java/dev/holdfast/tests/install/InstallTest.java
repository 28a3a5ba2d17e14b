package dev.holdfast.tests.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Outside;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./holdfast install} and {@code uninstall}, for one person and for the machine. */
@Outside(
    covers = {
      "packaging",
      "systemd",
      "holdfast",
      "conf",
      "tests/src/test/java/dev/holdfast/tests/install"
    })
@Timeout(240)
class InstallTest {
  private static final int USAGE = 64;

  @TempDir Path folder;

  @Test
  void forOnePersonAllIsBelowOneFolder() throws Exception {
    Path prefix = folder.resolve("home/.local");
    Path config = prefix.resolve("etc/holdfast/holdfast.yaml");
    assertThat(install("install", "--prefix", prefix.toString()))
        .contains("the configuration is " + config, prefix + "/bin/holdfast run", "PATH");
    Files.writeString(config, "# mine\n", StandardOpenOption.APPEND);
    assertThat(install("install", "--prefix", prefix.toString()))
        .contains(config + " is there already and stays as it is");
    assertThat(Files.readString(config)).contains("plugins_dir: " + prefix).endsWith("# mine\n");
    assertThat(prefix.resolve("share/holdfast/plugins/telegram-0.1.0.jar")).exists();
    assertThat(prefix.resolve("share/holdfast/alerts.yaml")).exists();
    assertThat(prefix.resolve("share/holdfast/grafana.json")).exists();

    Path command = prefix.resolve("bin/holdfast");
    assertThat(ofTheCommand(command, "config", "check")).contains(config + " is good");
    assertThat(ofTheCommand(command, "config", "show"))
        .contains("data_dir: " + prefix + "/var/lib/holdfast");

    assertThat(install("uninstall", "--prefix", prefix.toString()))
        .contains(prefix + "/etc/holdfast", prefix + "/var/lib/holdfast", "still there");
    assertThat(filesIn(prefix))
        .containsExactlyInAnyOrder("etc/holdfast/holdfast.yaml", "etc/holdfast/holdfast.env");
  }

  @Test
  void aFolderThatIsNoneIsRefused() throws Exception {
    DebianRoot.Ended ended =
        DebianRoot.end(DebianPackage.script("install.sh", "install", "--prefix", "/a b"));
    assertThat(ended.code()).isEqualTo(USAGE);
    assertThat(ended.output()).contains("--prefix must be a folder", "/a b");
  }

  @Test
  void forTheMachineThereIsAUserAndAUnit() throws Exception {
    try (DebianRoot debian = new DebianRoot(DebianPackage.sources())) {
      assertThat(asRoot(debian, "install")).contains("holdfast login-link");
      assertThat(asRoot(debian, "install")).contains("stays as it is");
      String java = DebianPackage.java().resolve("bin/java").toString();
      String units = "/usr/local/lib/systemd/system/";
      for (String unit : List.of("holdfast.service", "holdfast-cache.service")) {
        assertThat(Files.readString(debian.file(units + unit)))
            .contains("ExecStart=" + java + " @/usr/local/lib/holdfast/java.options")
            .contains("-jar /usr/local/lib/holdfast/holdfast.jar")
            .doesNotContain("/usr/lib/holdfast", "/usr/bin/java");
      }
      assertThat(debian.run("stat", "--format=%U %a", "/var/lib/holdfast", "/etc/holdfast"))
          .isEqualTo("holdfast 700\nroot 750\n");
      assertThat(
              debian.run("env", "JAVA_HOME=" + DebianPackage.java(), "holdfast", "config", "check"))
          .contains("/etc/holdfast/holdfast.yaml is good");

      asRoot(debian, "uninstall");
      assertThat(debian.file("/usr/local/bin/holdfast")).doesNotExist();
      assertThat(debian.file("/usr/local/lib/holdfast")).doesNotExist();
      assertThat(debian.file(units + "holdfast.service")).doesNotExist();
      assertThat(debian.file("/etc/holdfast/holdfast.yaml")).exists();
    }
  }

  private static String asRoot(DebianRoot debian, String action) throws Exception {
    List<String> words = new ArrayList<>(List.of("env"));
    DebianPackage.environment().forEach((name, value) -> words.add(name + "=" + value));
    words.add(DebianPackage.ROOT + "/packaging/install.sh");
    words.add(action);
    return debian.run(words.toArray(String[]::new));
  }

  private static String install(String... arguments) throws Exception {
    return output(DebianPackage.script("install.sh", arguments));
  }

  /** From a folder that has nothing to do with it. */
  private static String ofTheCommand(Path command, String... arguments) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
                Stream.concat(Stream.of(command.toString()), Stream.of(arguments)).toList())
            .directory(Path.of("/").toFile())
            .redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", DebianPackage.java().toString());
    builder.environment().put("HOLDFAST_AOT", "off");
    return output(builder);
  }

  private static String output(ProcessBuilder builder) throws Exception {
    DebianRoot.Ended ended = DebianRoot.end(builder);
    assertThat(ended.code()).as(ended.output()).isZero();
    return ended.output();
  }

  private static List<String> filesIn(Path root) {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> !Files.isDirectory(file))
          .map(file -> root.relativize(file).toString())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
