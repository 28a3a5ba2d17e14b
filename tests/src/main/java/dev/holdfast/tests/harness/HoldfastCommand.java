package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** One command of the program, in a process of its own, as an operator runs it. */
public final class HoldfastCommand implements AutoCloseable {
  private final Process process;
  private final Path out;
  private final Path err;

  /** What it printed on its two outputs, and how it ended. */
  public record Result(int exitCode, String out, String err) {
    public JsonNode json() throws IOException {
      return Json.read(out);
    }
  }

  private HoldfastCommand(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /** Starts it on the data folder and the server of a setup, and returns at once. */
  public static HoldfastCommand start(Setup setup, String... arguments) {
    List<String> command = new ArrayList<>(List.of(Setup.java()));
    command.addAll(StartCache.flags());
    command.addAll(List.of("-jar", Setup.jar().toString()));
    command.addAll(List.of(arguments));
    command.addAll(
        List.of(
            "--config",
            setup.configFile().toString(),
            "--data",
            setup.dataDir().toString(),
            "--url",
            setup.url("")));
    try {
      setup.write();
      Path out = Files.createTempFile(setup.folder(), "command-", ".out");
      Path err = Files.createTempFile(setup.folder(), "command-", ".err");
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(setup.folder().toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      builder.environment().keySet().retainAll(Set.of("PATH", "LANG", "TZ"));
      builder.environment().putAll(setup.environment());
      return new HoldfastCommand(builder.start(), out, err);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs it to its end. */
  public static Result run(Setup setup, String... arguments) {
    try (HoldfastCommand command = start(setup, arguments)) {
      return command.await(Duration.ofSeconds(60));
    }
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public Result await(Duration limit) {
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError("still runs after " + limit);
      }
      return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** SIGKILL. */
  public void kill9() {
    process.destroyForcibly();
    await(Duration.ofSeconds(10));
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
