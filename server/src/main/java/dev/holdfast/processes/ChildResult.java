package dev.holdfast.processes;

import java.time.Duration;

/**
 * How a child ended.
 *
 * @param exitCode 128 + signal when a signal ended it
 * @param output standard output, as text; cut at the limit
 * @param errors standard error, likewise
 * @param outputBytes how much there really was of both
 * @param timedOut whether it was ended because its time was over
 * @param exceeded what it held too much of, so that it, or a process of it, was ended
 */
public record ChildResult(
    int exitCode,
    String output,
    String errors,
    long outputBytes,
    boolean truncated,
    boolean timedOut,
    Exceeded exceeded,
    Duration took) {
  /** What is bounded for all processes of a child together. */
  public enum Exceeded {
    NOTHING,
    MEMORY,
    DISK
  }
}
