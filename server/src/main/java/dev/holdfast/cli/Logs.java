package dev.holdfast.cli;

import ch.qos.logback.classic.LoggerContext;
import dev.holdfast.config.Secrets;
import java.util.List;
import java.util.Map;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/** The process's log, where the server tells it what to hide and when to end. */
public final class Logs {
  private static final String SECRETS = "holdfast.secrets";
  private static final String ENCODER = "holdfast.log.encoder";

  /** The system property that colours lines for people. */
  static final String COLOURS = "holdfast.log.colours";

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
      setUnlessSet(setting.getKey(), setting.getValue());
    }
  }

  /**
   * Whether the server that these arguments start writes lines for people: what {@code --log} says,
   * or else whether it writes to a terminal.
   */
  static boolean areForPeople(List<String> args, boolean terminal) {
    int place = args.indexOf("--log");
    if (place >= 0 && place + 1 < args.size()) {
      return args.get(place + 1).equals("text");
    }
    return args.contains("--log=text") || (terminal && !args.contains("--log=json"));
  }

  /** Before the first line. */
  static void writeForPeople(boolean coloured) {
    setUnlessSet(ENCODER, TextLineEncoder.class.getName());
    setUnlessSet(COLOURS, String.valueOf(coloured));
  }

  private static void setUnlessSet(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
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
