package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Makes system calls of a running process fail or wait, by strace's injection. Closing it heals.
 */
public final class Strace implements AutoCloseable {
  private final Process process;
  private final Path log;

  private Strace(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Attaches to all threads of the process; returns when attached.
   *
   * @param inject as after {@code -e inject=}, for instance {@code fdatasync,fsync:error=EIO}
   */
  public static Strace attach(HoldfastProcess server, Path folder, String inject) {
    Commands.assumePresent("strace");
    Commands.assumeRoot();
    Path log = folder.resolve("strace.log");
    Path messages = folder.resolve("strace.out");
    String calls = inject.substring(0, inject.indexOf(':'));
    try {
      Process process =
          new ProcessBuilder(
                  "strace",
                  "-f",
                  "-o",
                  log.toString(),
                  "-p",
                  Long.toString(server.pid()),
                  "-e",
                  "trace=" + calls,
                  "-e",
                  "inject=" + inject)
              .redirectErrorStream(true)
              .redirectOutput(messages.toFile())
              .start();
      Await.until(
          "strace attached",
          Duration.ofSeconds(10),
          () -> Files.readString(messages).contains("attached"));
      return new Strace(process, log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How many calls were hit: a fault that never struck makes a test void. */
  public long hits() {
    try {
      return Files.exists(log)
          ? Files.readAllLines(log).stream()
              .filter(line -> line.matches(".*(INJECTED|DELAYED).*"))
              .count()
          : 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroy(); // SIGTERM: strace detaches and the process goes on
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
