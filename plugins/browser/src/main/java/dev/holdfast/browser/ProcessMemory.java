package dev.holdfast.browser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** How much memory processes hold. */
final class ProcessMemory {
  private static final Path PROCESSES = Path.of("/proc");

  private ProcessMemory() {}

  /**
   * Of a process and all below it, in kB: what is resident and no file. Memory that two of them
   * share counts twice.
   */
  static long ofTree(ProcessHandle root) {
    return Stream.concat(Stream.of(root), root.descendants())
        .mapToLong(process -> of(process.pid()))
        .sum();
  }

  /** 0 when it has ended. */
  private static long of(long pid) {
    Path status = PROCESSES.resolve(Long.toString(pid)).resolve("status");
    try (Stream<String> lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith("RssAnon:") || line.startsWith("RssShmem:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .sum();
    } catch (IOException | UncheckedIOException _) {
      return 0;
    }
  }
}
