package dev.holdfast.drills;

/** A drill that was not begun; the message is for the operator who asked. */
public final class DrillRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean conflict;

  private DrillRefusedException(String message, boolean conflict) {
    super(message);
    this.conflict = conflict;
  }

  /** It cannot be begun as it was asked for. */
  public static DrillRefusedException invalid(String message) {
    return new DrillRefusedException(message, false);
  }

  /** It cannot be begun as the server is now. */
  public static DrillRefusedException conflict(String message) {
    return new DrillRefusedException(message, true);
  }

  /** Whether it may be begun later. */
  public boolean isConflict() {
    return conflict;
  }

  /** Never null: both ways to make one take a message. */
  public String said() {
    return String.valueOf(getMessage());
  }
}
