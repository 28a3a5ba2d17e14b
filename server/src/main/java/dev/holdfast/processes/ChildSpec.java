package dev.holdfast.processes;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A child to run.
 *
 * @param command the argument vector; no shell is put around it
 * @param environment all that the child gets besides PATH, HOME, LANG and TZ
 * @param input for its standard input, which is closed after it
 * @param outputBytesMax what is kept of standard output and error each; the rest is read and dropped
 */
public record ChildSpec(
    List<String> command,
    Path folder,
    Map<String, String> environment,
    String input,
    Duration timeout,
    Limits limits,
    long outputBytesMax) {
  public ChildSpec {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  /** Set on the child by the kernel; inherited by what it starts. */
  public record Limits(long memoryBytes, int processes, long fileBytes) {
    public static final Limits DEFAULT = new Limits(512L << 20, 64, 1L << 30);
  }
}
