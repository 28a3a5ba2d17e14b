package dev.holdfast.processes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the kernel says of a process in {@code /proc/PID/stat}.
 *
 * @param state one letter, as proc(5) lists them
 */
record ProcessStat(String state, String group, String session) {
  /** Empty for one that is gone. */
  static Optional<ProcessStat> of(Path entry) {
    try {
      String stat = Files.readString(entry.resolve("stat"), StandardCharsets.ISO_8859_1);
      // The name stands in parentheses and may hold anything; after it: state, parent, group,
      // session.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 5);
      return Optional.of(new ProcessStat(fields[0], fields[2], fields[3]));
    } catch (IOException | IndexOutOfBoundsException _) {
      return Optional.empty();
    }
  }

  boolean isDead() {
    return state.equals("Z");
  }

  /** Whether it was stopped, by a signal or a debugger, and runs no more until it is let go on. */
  boolean isStopped() {
    return state.equals("T") || state.equals("t");
  }
}
