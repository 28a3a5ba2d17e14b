package dev.holdfast.cli;

/** A command cannot do what was asked. The message is for the person in front of it. */
final class CliException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  CliException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  int exitCode() {
    return exitCode;
  }
}
