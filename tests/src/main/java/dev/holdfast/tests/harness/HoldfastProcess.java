package dev.holdfast.tests.harness;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** One running server process. Its output goes to one file per setup, over all restarts. */
public final class HoldfastProcess implements AutoCloseable {
  private static final Set<Process> ALIVE = ConcurrentHashMap.newKeySet();

  static {
    // A test run that is itself killed politely leaves no server behind.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> ALIVE.forEach(Process::destroyForcibly)));
  }

  private static final Http HTTP = new Http();
  private final Setup setup;
  private final Process process;
  private volatile long killedAtNanos;

  private HoldfastProcess(Setup setup, Process process) {
    this.setup = setup;
    this.process = process;
    ALIVE.add(process);
  }

  /** Starts the process and returns at once. */
  public static HoldfastProcess start(Setup setup) {
    return start(setup, StartCache.flags());
  }

  /** Without what makes starts of tests cheap. */
  static HoldfastProcess startPlain(Setup setup) {
    return start(setup, List.of());
  }

  private static HoldfastProcess start(Setup setup, List<String> flags) {
    try {
      Files.createDirectories(setup.folder());
      File output = setup.outputFile().toFile();
      ProcessBuilder builder =
          new ProcessBuilder(setup.command(flags))
              .directory(setup.folder().toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(output));
      Map<String, String> environment = builder.environment();
      // Keys of the person who runs the tests must not reach the server: it would call real models.
      environment.keySet().retainAll(Set.of("PATH", "LANG", "TZ"));
      environment.put("HOME", setup.folder().toString());
      environment.putAll(setup.environment());
      return new HoldfastProcess(setup, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Blocks until /ready says 200; an earlier end of the process fails with its output. */
  public HoldfastProcess awaitReady(Duration limit) {
    try {
      Await.until(
          setup.url("/ready"),
          limit,
          () -> {
            if (!process.isAlive()) {
              throw new AssertionError("the server ended with " + process.exitValue());
            }
            return isReady();
          });
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ":\n" + tail() + "\n" + threads(), e);
    }
    return this;
  }

  /** What each thread does; empty when that cannot be told. */
  private String threads() {
    try {
      Path jstack = Path.of(Setup.java()).resolveSibling("jstack");
      return process.isAlive() ? Commands.run(jstack.toString(), Long.toString(pid())) : "";
    } catch (IllegalStateException e) {
      return String.valueOf(e.getMessage());
    }
  }

  public HoldfastProcess awaitReady() {
    return awaitReady(Duration.ofSeconds(60));
  }

  public boolean isReady() {
    return probe("/ready") == 200;
  }

  /** The status of one of the probes; 0 when nothing answers. */
  public int probe(String path) {
    try {
      return HTTP.get(setup.url(path), Map.of()).status();
    } catch (IOException e) {
      return 0;
    }
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public long pid() {
    return process.pid();
  }

  /** When it was killed by {@link #kill9}; 0 when it was not. */
  long killedAtNanos() {
    return killedAtNanos;
  }

  /** SIGKILL, and the wait until the process is gone. */
  public void kill9() {
    killedAtNanos = process.isAlive() ? System.nanoTime() : killedAtNanos;
    process.destroyForcibly();
    exitCode(Duration.ofSeconds(10));
  }

  public void terminate() {
    signal("TERM");
  }

  /** As a closing terminal does. */
  public void hangUp() {
    signal("HUP");
  }

  public void suspend() {
    signal("STOP");
  }

  public void resume() {
    signal("CONT");
  }

  private void signal(String name) {
    Commands.run("kill", "-" + name, Long.toString(process.pid()));
  }

  /** Waits for the end and names how it went; a death by signal n is 128 + n. */
  public int exitCode(Duration limit) {
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError("still runs after " + limit + ":\n" + tail());
      }
      ALIVE.remove(process);
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** SIGTERM and the exit code. */
  public int stop() {
    terminate();
    return exitCode(Duration.ofSeconds(40));
  }

  public Optional<Integer> exitNow() {
    return process.isAlive() ? Optional.empty() : Optional.of(process.exitValue());
  }

  /** All that servers of this setup wrote to stdout and stderr. */
  public String output() {
    try {
      return Files.readString(setup.outputFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String tail() {
    String all = Files.exists(setup.outputFile()) ? output() : "";
    return all.substring(Math.max(0, all.length() - 4000));
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      signal("CONT");
      kill9();
    }
    ALIVE.remove(process);
  }
}
