package dev.holdfast.plugins;

import dev.holdfast.extensions.Texts;
import java.util.function.UnaryOperator;

/** What a plugin threw, as text: the object itself would keep the plugin's classes loaded. */
final class ThrownText {
  private static final int LINES_MAX = 20;
  private static final int HEAD_MAX = 300;
  private static final int READ_MAX = 20_000;

  private ThrownText() {}

  /** Class and message, in one line. */
  static String head(Throwable thrown) {
    return head(thrown, UnaryOperator.identity());
  }

  /** The same, free of secrets. */
  static String head(Throwable thrown, UnaryOperator<String> redact) {
    String text;
    try {
      String message = thrown.getMessage();
      text = thrown.getClass().getSimpleName() + (message == null ? "" : ": " + start(message));
    } catch (Throwable _) { // it is the plugin's own code
      text = thrown.getClass().getSimpleName();
    }
    return cut(PluginManifest.printable(redact.apply(text)), HEAD_MAX);
  }

  /** Says so when something is missing. */
  static String cut(String text, int unitsMax) {
    return text.length() <= unitsMax ? text : Texts.cut(text, unitsMax) + "...";
  }

  /** Enough for what is shown: a huge message is not copied to be cut. */
  private static String start(String message) {
    return message.length() <= READ_MAX ? message : message.substring(0, READ_MAX);
  }

  /** The same with where it came from. */
  static String of(Throwable thrown) {
    return of(thrown, UnaryOperator.identity());
  }

  /** The same, free of secrets. */
  static String of(Throwable thrown, UnaryOperator<String> redact) {
    StringBuilder text = new StringBuilder(head(thrown, redact));
    try {
      StackTraceElement[] frames = thrown.getStackTrace();
      for (int i = 0; i < Math.min(frames.length, LINES_MAX); i++) {
        text.append("\n  at ").append(frames[i]);
      }
    } catch (Throwable _) { // as above
      text.append("\n  at an unknown place");
    }
    return text.toString();
  }
}
