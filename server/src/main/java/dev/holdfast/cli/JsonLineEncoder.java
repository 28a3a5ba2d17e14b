package dev.holdfast.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One JSON object a line: {@code at, level, logger, thread, message, error}. Secrets are hidden, a
 * text can neither forge a line nor do anything to a terminal, and one that is too long is cut.
 */
public final class JsonLineEncoder extends EncoderBase<ILoggingEvent> {
  private static final int MESSAGE_MAX = 8192;
  private static final int TRACE_MAX = 16_384;

  private final ObjectMapper mapper = new ObjectMapper();

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
    Map<String, String> line = new LinkedHashMap<>();
    line.put("at", event.getInstant().toString());
    line.put("level", event.getLevel().toString().toLowerCase(Locale.ROOT));
    line.put("logger", event.getLoggerName());
    line.put("thread", event.getThreadName());
    line.put(
        "message", Formats.cut(hidden(String.valueOf(event.getFormattedMessage())), MESSAGE_MAX));
    IThrowableProxy error = event.getThrowableProxy();
    if (error != null) {
      line.put("error", Formats.cut(hidden(ThrowableProxyUtil.asString(error)), TRACE_MAX));
    }
    try {
      String text = VisibleText.json(mapper.writeValueAsString(line));
      return (text + "\n").getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      return "{\"level\":\"error\",\"message\":\"a log line could not be written\"}\n"
          .getBytes(StandardCharsets.UTF_8);
    }
  }

  private String hidden(String text) {
    return Logs.secretsOf(getContext()).redact(text);
  }
}
