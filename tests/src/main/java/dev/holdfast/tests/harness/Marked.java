package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A name that processes of one test carry as their first argument, so that they are found on the
 * machine however they were orphaned. Each ends by itself within a minute or two.
 */
public final class Marked {
  private final String mark = "hf-" + UUID.randomUUID();

  /** A shell command that becomes this program under the name. */
  public String run(String program) {
    return "bash -c 'exec -a " + mark + " " + program + "'";
  }

  public String sleeper() {
    return run("sleep 60");
  }

  /** How many of them there are on the machine. */
  public long alive() {
    try (Stream<Path> entries = Files.list(Path.of("/proc"))) {
      return entries.filter(entry -> commandLine(entry).startsWith(mark)).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String commandLine(Path entry) {
    try {
      return entry.getFileName().toString().matches("[0-9]+")
          ? Files.readString(entry.resolve("cmdline"), StandardCharsets.ISO_8859_1)
          : "";
    } catch (IOException e) {
      return ""; // ended meanwhile
    }
  }
}
