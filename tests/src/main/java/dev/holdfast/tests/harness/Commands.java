package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Runs small programs of the system: kill, mount, strace. */
public final class Commands {
  /**
   * The interpreter itself: what stands before it in the path may be a script, ten times slower.
   */
  public static final String PYTHON =
      run("python3", "-c", "import sys; print(sys.executable)").strip();

  private Commands() {}

  /**
   * Runs to the end and returns stdout and stderr.
   *
   * @throws IllegalStateException when the exit code is not 0
   */
  public static String run(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int code = process.waitFor();
      if (code != 0) {
        throw new IllegalStateException(List.of(command) + " ended with " + code + ": " + output);
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * Skips the test on a machine that lacks the program: a fault that cannot be made proves nothing.
   */
  public static void assumePresent(String program) {
    Assumptions.assumeTrue(isPresent(program), program + " is not installed");
  }

  private static boolean isPresent(String program) {
    return Stream.of(System.getenv("PATH").split(":", -1), new String[] {"/usr/sbin", "/sbin"})
        .flatMap(Stream::of)
        .anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
  }

  /**
   * Installs a package of Debian if its program is missing and this user may. Tests that need it
   * are left out where it is still missing.
   */
  static synchronized void install(String program, String debianPackage) {
    if (isPresent(program) || !isPresent("apt-get") || !isRoot()) {
      return;
    }
    try {
      String _ = aptGet(debianPackage);
    } catch (IllegalStateException e) { // its lists may be stale: they are fetched anew, once
      try {
        String _ = run("apt-get", "update", "-qq");
        String _ = aptGet(debianPackage);
      } catch (IllegalStateException again) {
        System.err.println(debianPackage + " cannot be installed: " + again.getMessage());
      }
    }
  }

  private static String aptGet(String debianPackage) {
    return run(
        "env",
        "SYSTEMD_OFFLINE=1",
        "DEBIAN_FRONTEND=noninteractive",
        "apt-get",
        "-o",
        "DPkg::Lock::Timeout=300",
        "install",
        "-y",
        "-qq",
        debianPackage);
  }

  public static void assumeRoot() {
    Assumptions.assumeTrue(isRoot(), "only root can mount and trace");
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }
}
