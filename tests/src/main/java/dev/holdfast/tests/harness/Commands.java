package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** Runs small programs of the system: kill, mount, strace. */
public final class Commands {
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
    boolean found =
        List.of(System.getenv("PATH").split(":", -1)).stream()
            .anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
    Assumptions.assumeTrue(found, program + " is not installed");
  }

  public static void assumeRoot() {
    Assumptions.assumeTrue(
        "root".equals(System.getProperty("user.name")), "only root can mount and trace");
  }
}
