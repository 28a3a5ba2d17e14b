package dev.holdfast.store.engine;

/**
 * The data cannot be served. The message tells an operator which file it is about and what can be
 * done.
 */
public final class StartRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  public static final int DAMAGED = 65;
  public static final int ALREADY_RUNNING = 73;
  public static final int IO = 74;
  public static final int CONFIGURATION = 78;

  private final int exitCode;

  public StartRefusedException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  public StartRefusedException(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** What the process should exit with. */
  public int exitCode() {
    return exitCode;
  }
}
