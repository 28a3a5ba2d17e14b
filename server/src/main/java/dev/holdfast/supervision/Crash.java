package dev.holdfast.supervision;

/**
 * Says of a crash what may stand in a log: its type and place, never its message, which may hold a
 * secret.
 */
public final class Crash {
  private static final String OURS = "dev.holdfast.";
  private static final int CAUSES_MAX = 5;

  private Crash() {}

  /**
   * For example {@code IllegalStateException at agents.TurnRun.run:120, caused by SQLException}.
   */
  public static String describe(Throwable crash) {
    StringBuilder text = new StringBuilder(crash.getClass().getSimpleName());
    for (StackTraceElement frame : crash.getStackTrace()) {
      if (frame.getClassName().startsWith(OURS)) {
        text.append(" at ")
            .append(frame.getClassName().substring(OURS.length()))
            .append('.')
            .append(frame.getMethodName())
            .append(':')
            .append(frame.getLineNumber());
        break;
      }
    }
    Throwable cause = crash.getCause();
    for (int depth = 0; cause != null && depth < CAUSES_MAX; depth++, cause = cause.getCause()) {
      text.append(", caused by ").append(cause.getClass().getSimpleName());
    }
    return text.toString();
  }
}
