package dev.holdfast.processes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * How many threads this server's user has on the machine: what the kernel's limit per user counts.
 */
final class UserTasks {
  private static final Path PROC = Path.of("/proc");

  private UserTasks() {}

  /** Reads a file per process: some milliseconds. */
  static int count() {
    String own = line(PROC.resolve("self/status"), "Uid:");
    try (Stream<Path> entries = Files.list(PROC)) {
      return entries
          .filter(entry -> entry.getFileName().toString().matches("[0-9]+"))
          .map(entry -> entry.resolve("status"))
          .filter(status -> line(status, "Uid:").equals(own))
          .mapToInt(status -> threads(line(status, "Threads:")))
          .sum();
    } catch (IOException | UncheckedIOException _) {
      return Thread.activeCount();
    }
  }

  private static int threads(String line) {
    String number = line.replaceAll("[^0-9]", "");
    return number.isEmpty() ? 0 : Integer.parseInt(number);
  }

  private static String line(Path status, String beginning) {
    try (Stream<String> lines = Files.lines(status, StandardCharsets.ISO_8859_1)) {
      return lines.filter(line -> line.startsWith(beginning)).findFirst().orElse("");
    } catch (IOException | UncheckedIOException _) {
      return "";
    }
  }
}
