package dev.holdfast.plugins;

import java.text.MessageFormat;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes what a plugin logs into the server's log, as text. Thread-safe. */
final class HostedLogger implements System.Logger {
  private static final int TEXT_MAX = 8192;

  private final String name;
  private final Logger log;

  HostedLogger(String plugin) {
    this.name = "plugin." + plugin;
    this.log = LoggerFactory.getLogger(name);
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public boolean isLoggable(Level level) {
    return level != Level.OFF && log.isEnabledForLevel(of(level));
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String text,
      @Nullable Throwable thrown) {
    write(level, text + (thrown == null ? "" : ": " + ThrownText.of(thrown)));
  }

  /**
   * A format that is none is logged as it is.
   *
   * @param values null of a text that is logged alone
   */
  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String format,
      Object @Nullable ... values) {
    if (isLoggable(level)) {
      String pattern = String.valueOf(format);
      write(level, values == null || values.length == 0 ? pattern : filled(pattern, values));
    }
  }

  private static String filled(String pattern, Object... values) {
    try {
      return MessageFormat.format(pattern, values);
    } catch (IllegalArgumentException _) {
      return pattern; // no format, or one for numbers with a value that is none
    }
  }

  private void write(Level level, String text) {
    if (isLoggable(level)) {
      log.atLevel(of(level)).log("{}", ThrownText.cut(text, TEXT_MAX));
    }
  }

  private static org.slf4j.event.Level of(Level level) {
    return switch (level) {
      case ALL, TRACE -> org.slf4j.event.Level.TRACE;
      case DEBUG -> org.slf4j.event.Level.DEBUG;
      case INFO -> org.slf4j.event.Level.INFO;
      case WARNING -> org.slf4j.event.Level.WARN;
      case ERROR, OFF -> org.slf4j.event.Level.ERROR;
    };
  }
}
