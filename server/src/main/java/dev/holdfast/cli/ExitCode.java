package dev.holdfast.cli;

/** How a command ends. Those of the server itself are in the same range. */
final class ExitCode {
  static final int OK = 0;

  /** The command worked; what it found is not good. */
  static final int NOT_GOOD = 1;

  static final int USAGE = 64;

  /** What was read is not what was written. */
  static final int DAMAGED = 65;

  /** A bug in a command. */
  static final int BUG = 70;

  /** No server answers, or the disk failed. */
  static final int IO = 74;

  static final int CONFIG = 78;

  private ExitCode() {}
}
