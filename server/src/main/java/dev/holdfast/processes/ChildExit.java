package dev.holdfast.processes;

import java.time.Duration;
import java.util.List;

/**
 * How a child that was kept has ended; nothing of it runs any more.
 *
 * @param hasStarted false when the command itself was never reached; the errors say why
 * @param exitCode 128 + signal when a signal ended it
 * @param errors the last lines of its standard error
 */
public record ChildExit(boolean hasStarted, int exitCode, List<String> errors, Duration lifetime) {}
