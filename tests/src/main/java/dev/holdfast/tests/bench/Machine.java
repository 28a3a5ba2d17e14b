package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.jar.JarFile;

/** What the figures were measured on. */
final class Machine {
  private Machine() {}

  static void describe(Report report, boolean quick) {
    report.line("Holdfast bench, " + Instant.now() + (quick ? ", quick: no claims from this" : ""));
    report.line(
        String.format(
            "machine: %d cores, %s, %s, Linux %s",
            Runtime.getRuntime().availableProcessors(),
            field("/proc/cpuinfo", "model name"),
            field("/proc/meminfo", "MemTotal"),
            System.getProperty("os.version")));
    report.line("disk of the data: " + fileStore());
    report.line(
        String.format(
            "java: %s %s; holdfast %s; flags -Xmx512m; client and server share the cores",
            System.getProperty("java.vm.name"), System.getProperty("java.vm.version"), version()));
  }

  private static String version() {
    try (JarFile jar = new JarFile(Setup.jar().toFile())) {
      return jar.getManifest().getMainAttributes().getValue("Implementation-Version");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String fileStore() {
    try {
      return Files.getFileStore(Path.of(System.getProperty("java.io.tmpdir"))).type()
          + " at "
          + System.getProperty("java.io.tmpdir");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String field(String file, String name) {
    try {
      List<String> lines = Files.readAllLines(Path.of(file));
      return lines.stream()
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown " + name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
