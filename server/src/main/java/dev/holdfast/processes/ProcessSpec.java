package dev.holdfast.processes;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A child to run.
 *
 * @param command the argument vector; no shell is put around it
 * @param folder where it runs: its home and, in a sandbox, all that it may write to besides what is
 *     granted; exists
 * @param granted more folders that it is shown
 * @param environment all that the child gets besides PATH, HOME, LANG and TZ; names that make
 *     programs load or run something else (LD_PRELOAD and its like) are left out
 * @param network whether it reaches any; without a sandbox it does all the same
 * @param input for its standard input, which is closed after it
 * @param outputBytesMax what is kept of standard output and error each; the rest is read and
 *     dropped
 */
public record ProcessSpec(
    List<String> command,
    Path folder,
    List<GrantedFolder> granted,
    boolean network,
    Map<String, String> environment,
    String input,
    Duration timeout,
    Limits limits,
    long outputBytesMax) {
  /** Of each of the two streams. */
  public static final long OUTPUT_BYTES_MAX = 64L << 20;

  public ProcessSpec {
    command = List.copyOf(command);
    if (command.isEmpty()) {
      throw new IllegalArgumentException("a child without a command");
    }
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("a child's timeout must be above zero, got " + timeout);
    }
    if (outputBytesMax < 0 || outputBytesMax > OUTPUT_BYTES_MAX) {
      throw new IllegalArgumentException("a child's output is kept in memory: " + outputBytesMax);
    }
    granted = List.copyOf(granted);
    environment = Map.copyOf(environment);
  }

  /** A child that reaches the network. */
  public ProcessSpec(
      List<String> command,
      Path folder,
      List<GrantedFolder> granted,
      Map<String, String> environment,
      String input,
      Duration timeout,
      Limits limits,
      long outputBytesMax) {
    this(command, folder, granted, true, environment, input, timeout, limits, outputBytesMax);
  }

  /** A child that is shown its own folder alone, and reaches the network. */
  public ProcessSpec(
      List<String> command,
      Path folder,
      Map<String, String> environment,
      String input,
      Duration timeout,
      Limits limits,
      long outputBytesMax) {
    this(command, folder, List.of(), environment, input, timeout, limits, outputBytesMax);
  }

  Launch launch() {
    return new Launch(command, folder, granted, network, environment, limits);
  }

  /** The same in another folder. */
  ProcessSpec in(Path other) {
    return new ProcessSpec(
        command, other, granted, network, environment, input, timeout, limits, outputBytesMax);
  }

  /**
   * What a child and all that it starts may have.
   *
   * @param memoryBytes of each process, and of all together
   * @param fileBytes of one file, and of all together that are written in the child's folder
   */
  public record Limits(long memoryBytes, int processes, long fileBytes) {
    public static final Limits DEFAULT = new Limits(512L << 20, 64, 1L << 30);
  }
}
