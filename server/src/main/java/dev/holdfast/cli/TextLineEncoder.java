package dev.holdfast.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Lines for a person who watches the server: {@code 13:15:09 warn net.Outbound: message}. Secrets
 * are hidden, and a text can neither forge a line nor do anything to the terminal.
 */
public final class TextLineEncoder extends EncoderBase<ILoggingEvent> {
  private static final String OWN = "dev.holdfast.";
  private static final int MESSAGE_MAX = 8192;

  private final DateTimeFormatter clock =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneId.systemDefault());
  private final boolean colours = Boolean.getBoolean(Logs.COLOURS);

  @Override
  public byte[] headerBytes() {
    return new byte[0];
  }

  @Override
  public byte[] footerBytes() {
    return new byte[0];
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    String logger = event.getLoggerName();
    String message = hidden(String.valueOf(event.getFormattedMessage()));
    StringBuilder text =
        new StringBuilder(clock.format(event.getInstant()))
            .append(' ')
            .append(level(event.getLevel()))
            .append(' ')
            .append(logger.startsWith(OWN) ? logger.substring(OWN.length()) : logger)
            .append(": ")
            .append(VisibleText.line(Formats.cut(message, MESSAGE_MAX)))
            .append('\n');
    IThrowableProxy error = event.getThrowableProxy();
    if (error != null) {
      String trace = hidden(ThrowableProxyUtil.asString(error));
      text.append("  ").append(VisibleText.lines(trace.strip(), "  ")).append('\n');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  private String level(Level level) {
    String name = "%-5s".formatted(level.toString().toLowerCase(Locale.ROOT));
    if (!colours || level.toInt() < Level.WARN_INT) {
      return name;
    }
    return (level.toInt() >= Level.ERROR_INT ? "\u001b[31m" : "\u001b[33m") + name + "\u001b[0m";
  }

  private String hidden(String text) {
    return Logs.secretsOf(getContext()).redact(text);
  }
}
