package dev.holdfast.processes;

import dev.holdfast.config.Check;
import dev.holdfast.processes.ProcessSpec.Limits;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A child to keep, that is talked to in lines.
 *
 * @param command the argument vector; no shell is put around it
 * @param folder where it runs: its home and, in a sandbox, all that it may write to besides what is
 *     granted; exists
 * @param granted more folders that it is shown
 * @param environment as in {@link ProcessSpec}
 * @param lineBytesMax of one line of its output
 * @param inputBytesMax what waits to be read by it, and the longest line that it is written
 */
public record LineProcessSpec(
    List<String> command,
    Path folder,
    List<GrantedFolder> granted,
    Map<String, String> environment,
    Limits limits,
    int lineBytesMax,
    LongLine onLongLine,
    int inputBytesMax) {
  private static final int BYTES_MAX = 64 << 20;

  /** What becomes of a line of the child that is too long. */
  public enum LongLine {
    /** It is cut, and says so. */
    CUT,
    /** Nothing of the child is read any more, from this line on. */
    FAIL
  }

  public LineProcessSpec {
    command = List.copyOf(command);
    granted = List.copyOf(granted);
    environment = Map.copyOf(environment);
    Check.inRange("line_bytes_max", lineBytesMax, 1, BYTES_MAX);
    Check.inRange("input_bytes_max", inputBytesMax, 1, BYTES_MAX);
  }

  /** A child that is shown its own folder alone. */
  public LineProcessSpec(
      List<String> command,
      Path folder,
      Map<String, String> environment,
      Limits limits,
      int lineBytesMax,
      LongLine onLongLine,
      int inputBytesMax) {
    this(command, folder, List.of(), environment, limits, lineBytesMax, onLongLine, inputBytesMax);
  }

  Launch launch() {
    return new Launch(command, folder, granted, true, environment, limits);
  }
}
