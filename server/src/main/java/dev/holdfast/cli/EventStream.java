package dev.holdfast.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.time.Time;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Follows the server's news of one chat thread for as long as it is asked to, across lost
 * connections and restarts of the server. For one thread, which it blocks; interrupting it ends it.
 */
final class EventStream {
  /** The server sends a comment every 15 s; three missed ones mean that the connection is dead. */
  private static final Duration SILENCE_MAX = Duration.ofSeconds(45);

  private static final Backoff WAITS = new Backoff(Duration.ofMillis(250), Duration.ofSeconds(5));
  private static final int LINE_MAX = 1 << 20;

  private final ApiClient api;
  private final String path;
  private final Time time;
  private String lastId = "";

  EventStream(ApiClient api, String threadId, Time time) {
    this.api = api;
    this.path = "/api/v1/stream?thread=" + ApiClient.encoded(threadId);
    this.time = time;
  }

  /** What is told; each call comes from the thread of {@link #follow}. */
  interface Listener {
    /** Now connected; what happened before the first connection is not told. */
    void connected(boolean again);

    void lost(String reason);

    /** News; kind {@code gap} means that some were missed. */
    void news(String kind, JsonNode details);
  }

  /**
   * Returns never by itself.
   *
   * @throws ApiClient.RefusedException when the server does not want to tell
   */
  void follow(Listener listener) throws ApiClient.RefusedException, InterruptedException {
    boolean again = false;
    int failures = 0;
    while (true) {
      String reason = "the server closed the connection";
      try (InputStream in = api.stream(path, lastId)) {
        listener.connected(again);
        again = true;
        failures = 0;
        read(in, listener);
      } catch (ApiClient.RefusedException e) {
        if (!e.isPassing()) {
          throw e;
        }
        reason = String.valueOf(e.getMessage());
      } catch (IOException e) {
        reason = String.valueOf(e.getMessage());
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      listener.lost(reason);
      time.sleep(WAITS.after(++failures));
    }
  }

  private void read(InputStream in, Listener listener) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    String kind = "";
    String id = "";
    StringBuilder data = new StringBuilder();
    for (String line = next(lines, in); line != null; line = next(lines, in)) {
      if (line.isEmpty()) {
        if (!id.isEmpty()) {
          lastId = id;
        }
        if (!kind.isEmpty() || !data.isEmpty()) {
          listener.news(kind, parsed(data));
        }
        kind = "";
        data.setLength(0);
      } else if (line.startsWith("event:")) {
        kind = line.substring(6).strip();
      } else if (line.startsWith("id:")) {
        id = line.substring(3).strip();
      } else if (line.startsWith("data:") && data.length() < LINE_MAX) {
        data.append(data.isEmpty() ? "" : "\n").append(line.substring(5).strip());
      }
    }
  }

  private @org.jspecify.annotations.Nullable String next(BufferedReader lines, InputStream in)
      throws IOException {
    Time.Timer timer = time.after(SILENCE_MAX, () -> close(in));
    try {
      return lines.readLine();
    } finally {
      timer.cancel();
    }
  }

  private static void close(InputStream in) {
    try {
      in.close();
    } catch (IOException _) {
      // The reader sees the end of the stream, or an error; both mean the same to it.
    }
  }

  private static JsonNode parsed(StringBuilder data) {
    try {
      return CliJson.parse(data.toString());
    } catch (JsonProcessingException _) {
      return CliJson.object();
    }
  }
}
