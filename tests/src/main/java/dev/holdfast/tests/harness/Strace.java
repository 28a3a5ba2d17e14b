package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
    return attach(server, folder, inject, List.of());
  }

  /** The same for calls alone that name one of these files, or an open one of them. */
  public static Strace attach(
      HoldfastProcess server, Path folder, String inject, List<Path> files) {
    List<String> target = new ArrayList<>();
    files.forEach(file -> target.addAll(List.of("-P", file.toString())));
    target.addAll(List.of("-f", "-p", Long.toString(server.pid())));
    return start(folder, target, inject.substring(0, inject.indexOf(':')), inject);
  }

  /** Writes down the calls of the threads that there are now; children are left alone. */
  public static Strace watch(HoldfastProcess server, Path folder, String calls) {
    return start(folder, List.of("-p", threads(server)), calls, "");
  }

  /**
   * Kills the process when one of the threads that there are now enters a call for the {@code
   * when}th time from now on; the call itself is not made. Children are left alone.
   */
  public static Strace killAt(HoldfastProcess server, Path folder, String call, int when) {
    String inject = call + ":signal=KILL:when=" + when;
    return start(folder, List.of("-p", threads(server)), call, inject);
  }

  private static String threads(HoldfastProcess server) {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/" + server.pid() + "/task"))) {
      return tasks.map(task -> task.getFileName().toString()).collect(Collectors.joining(","));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@code inject} may be empty. */
  private static Strace start(Path folder, List<String> target, String calls, String inject) {
    Commands.assumePresent("strace");
    Commands.assumeRoot();
    Path log = folder.resolve("strace.log");
    Path messages = folder.resolve("strace.out");
    List<String> command = new ArrayList<>(List.of("strace", "-o", log.toString()));
    command.addAll(target);
    command.addAll(List.of("-e", "trace=" + calls));
    if (!inject.isEmpty()) {
      command.addAll(List.of("-e", "inject=" + inject));
    }
    int tracees = target.getLast().split(",").length;
    try {
      Files.deleteIfExists(messages);
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(messages.toFile())
              .start();
      Await.until(
          "strace attached",
          Duration.ofSeconds(20),
          // A thread that ended meanwhile has a line too, with another reason.
          () ->
              Files.readAllLines(messages).stream().filter(l -> l.contains("tach")).count()
                  >= tracees);
      return new Strace(process, log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * What was seen so far: how often the busiest thread made each call. Injection counts by call and
   * thread.
   */
  public Map<String, Integer> busiest() {
    Pattern line = Pattern.compile("^(\\d+) +(\\w+)\\(.*");
    Map<String, Map<String, Integer>> counts = new TreeMap<>();
    try {
      for (String text : Files.readAllLines(log)) {
        Matcher matcher = line.matcher(text);
        if (matcher.matches()) {
          counts
              .computeIfAbsent(matcher.group(2), _ -> new TreeMap<>())
              .merge(matcher.group(1), 1, Integer::sum);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, Integer> busiest = new TreeMap<>();
    counts.forEach((call, byThread) -> busiest.put(call, Collections.max(byThread.values())));
    return busiest;
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
