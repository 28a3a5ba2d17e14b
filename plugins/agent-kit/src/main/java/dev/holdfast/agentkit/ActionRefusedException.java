package dev.holdfast.agentkit;

/** An action that was not done, for a reason that whoever asked for it can understand. */
public final class ActionRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  public static final int INVALID = 400;
  public static final int FORBIDDEN = 403;
  public static final int NOT_FOUND = 404;

  /** What is there does not fit what was asked for; nothing was changed. */
  public static final int CONFLICT = 409;

  public static final int TOO_LARGE = 413;

  /** What is there cannot be read as what it should be. */
  public static final int UNREADABLE = 422;

  public static final int FAILED = 500;
  public static final int UNKNOWN_ACTION = 501;
  public static final int TIMED_OUT = 504;

  private final int code;

  /**
   * @param code as in HTTP: from 400 to 499 nothing is tried again
   * @param message a sentence for the model
   */
  public ActionRefusedException(int code, String message) {
    super(message);
    this.code = code;
  }

  public int code() {
    return code;
  }
}
