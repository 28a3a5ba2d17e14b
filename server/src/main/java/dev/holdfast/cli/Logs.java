package dev.holdfast.cli;

import ch.qos.logback.classic.LoggerContext;
import dev.holdfast.config.Secrets;
import java.util.Map;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/** The process's log, where the server tells it what to hide and when to end. */
public final class Logs {
  private static final String SECRETS = "holdfast.secrets";

  private Logs() {}

  /**
   * Before the first line: what a command prints is its result, and its log is for warnings. What
   * the operator has set stays.
   */
  static void keepQuiet() {
    for (Map.Entry<String, String> setting :
        Map.of(
                "holdfast.log.target", "System.err",
                "holdfast.log.level", "WARN",
                "holdfast.log.libraries", "WARN")
            .entrySet()) {
      if (System.getProperty(setting.getKey()) == null) {
        System.setProperty(setting.getKey(), setting.getValue());
      }
    }
  }

  /** From now on no line of the log holds one of these, those that are added later included. */
  public static void hide(Secrets secrets) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.putObject(SECRETS, secrets);
    }
  }

  /** Writes what still waits and ends the log: the last thing before an exit or a halt. */
  public static void stop() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.stop();
    }
  }

  /** How many lines were dropped because whoever reads the log is too slow. */
  public static long dropped() {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    if (factory instanceof LoggerContext context
        && context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).getAppender("QUEUE")
            instanceof LogQueue queue) {
      return queue.dropped();
    }
    return 0;
  }

  static Secrets secretsOf(ch.qos.logback.core.Context context) {
    return context.getObject(SECRETS) instanceof Secrets secrets ? secrets : new Secrets();
  }
}
