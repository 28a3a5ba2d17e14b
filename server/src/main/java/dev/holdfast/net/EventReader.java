package dev.holdfast.net;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads server-sent events, or one JSON object a line, from a body; for one thread. Bounded. */
public final class EventReader {
  private static final int BUFFER = 8192;
  private static final byte LF = '\n';
  private static final Pattern RETRY = Pattern.compile("[0-9]{1,9}");

  /** {@code name} is empty where the stream names no event. */
  public record Event(String name, String data) {}

  /** One event is longer than the limit. */
  public static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1L;

    TooLongException(int bytesMax) {
      super("an event is longer than " + bytesMax + " bytes");
    }
  }

  private final InputStream in;
  private final boolean jsonLines;
  private final int eventBytesMax;
  private final byte[] buffer = new byte[BUFFER];
  private int from;
  private int to;
  private boolean first = true;
  private String lastId = "";
  private Duration retry = Duration.ZERO;
  private Runnable sign = () -> {};

  public EventReader(InputStream in, boolean jsonLines, int eventBytesMax) {
    this.in = in;
    this.jsonLines = jsonLines;
    this.eventBytesMax = eventBytesMax;
  }

  /** Told of all that comes. */
  public EventReader tells(Runnable progress) {
    sign = progress;
    return this;
  }

  /** The next event; null at the end. Blocks. An event that the end cuts off is given too. */
  public @Nullable Event next() throws IOException {
    return jsonLines ? nextLine() : nextEvent();
  }

  /**
   * Where a stream that breaks off can be taken up again: behind the last event that came whole;
   * empty where it cannot.
   */
  public String lastId() {
    return lastId;
  }

  /** How long to wait before that, as the stream says; zero when it does not. */
  public Duration retry() {
    return retry;
  }

  private @Nullable Event nextLine() throws IOException {
    for (String line = line(); line != null; line = line()) {
      if (!line.isBlank()) {
        return new Event("", line);
      }
    }
    return null;
  }

  private @Nullable Event nextEvent() throws IOException {
    String name = "";
    String id = lastId;
    StringBuilder data = new StringBuilder();
    boolean any = false;
    for (String line = line(); line != null; line = line()) {
      if (line.isEmpty()) {
        lastId = id;
        if (any) {
          return new Event(name, data.toString());
        }
        name = "";
      } else if (line.startsWith("event:")) {
        name = value(line, "event:".length()).strip();
      } else if (line.startsWith("data:")) {
        data.append(any ? "\n" : "").append(value(line, "data:".length()));
        any = true;
        if (data.length() > eventBytesMax) {
          throw new TooLongException(eventBytesMax);
        }
      } else if (line.startsWith("id:") && line.indexOf('\0') < 0) {
        id = value(line, "id:".length());
      } else if (line.startsWith("retry:")) {
        waitAsTold(value(line, "retry:".length()));
      }
    }
    return any ? new Event(name, data.toString()) : null;
  }

  private void waitAsTold(String millis) {
    if (RETRY.matcher(millis).matches()) {
      retry = Duration.ofMillis(Long.parseLong(millis));
    }
  }

  private static String value(String line, int start) {
    return line.startsWith(" ", start) ? line.substring(start + 1) : line.substring(start);
  }

  private @Nullable String line() throws IOException {
    byte[] line = new byte[256];
    int length = 0;
    while (true) {
      if (from == to) {
        from = 0;
        to = in.read(buffer);
        sign.run();
        if (to < 0) {
          to = 0;
          return length == 0 ? null : text(line, length);
        }
      }
      int end = from;
      while (end < to && buffer[end] != LF) {
        end++;
      }
      int count = end - from;
      if (length + count > eventBytesMax) {
        throw new TooLongException(eventBytesMax);
      }
      if (length + count > line.length) {
        line = Arrays.copyOf(line, Math.max(line.length * 2, length + count));
      }
      System.arraycopy(buffer, from, line, length, count);
      length += count;
      from = Math.min(to, end + 1);
      if (end < to) {
        return text(line, length);
      }
    }
  }

  private String text(byte[] line, int length) {
    int end = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
    String text = new String(line, 0, end, StandardCharsets.UTF_8);
    boolean hasMark = first && text.startsWith("\uFEFF");
    first = false;
    return hasMark ? text.substring(1) : text;
  }
}
