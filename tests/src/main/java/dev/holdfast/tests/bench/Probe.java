package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.Http;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Looks at a process from outside, finely enough for a stop-watch. */
final class Probe {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private Probe() {}

  /** Asks every 3 ms until the answer is 200. */
  static void awaitOk(Http http, String url, Map<String, String> headers, BooleanSupplier alive) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      try {
        if (http.get(url, headers).status() == 200) {
          return;
        }
      } catch (IOException e) {
        // Not listening yet.
      }
      if (!alive.getAsBoolean() || System.nanoTime() > end) {
        throw new IllegalStateException(url + " never said 200");
      }
      Await.pause(Duration.ofMillis(3));
    }
  }

  /** What a process has cost the processors since it began. */
  static Duration cpuTime(long pid) {
    return ProcessHandle.of(pid).orElseThrow().info().totalCpuDuration().orElseThrow();
  }

  /** Resident memory in bytes, after a full collection. */
  static long residentBytes(long pid) throws IOException {
    Commands.run(
        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
        Long.toString(pid),
        "GC.run");
    Await.pause(Duration.ofMillis(500));
    return residentNow(pid);
  }

  /** With whatever garbage there is. */
  static long residentNow(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
        .findFirst()
        .orElseThrow();
  }

  /** What lives on the heap after a full collection, in bytes. */
  static long liveBytes(long pid) {
    String histogram =
        Commands.run(
            Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
            Long.toString(pid),
            "GC.class_histogram");
    String total =
        histogram.lines().filter(line -> line.startsWith("Total")).findFirst().orElseThrow();
    String[] words = total.strip().split("\\s+", -1);
    return Long.parseLong(words[words.length - 1]);
  }
}
