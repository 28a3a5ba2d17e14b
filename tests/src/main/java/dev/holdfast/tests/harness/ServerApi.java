package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The HTTP API as an operator with the server's own token uses it. */
public final class ServerApi {
  /** The states in which an event is accounted for. */
  public static final Set<String> FINAL =
      Set.of("answered", "silent", "held", "dead_lettered", "cancelled");

  private static final Duration CHANNEL_WITHIN = Duration.ofSeconds(60);

  private final Setup setup;
  private final Http http = new Http();
  private @Nullable String token;

  public ServerApi(Setup setup) {
    this.setup = setup;
  }

  /** The token that the server made at its first start. */
  public synchronized String token() {
    @Nullable String known = token;
    if (known == null) {
      try {
        known = Files.readString(setup.dataDir().resolve("token")).strip();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      token = known;
    }
    return known;
  }

  public Answer get(String path) throws IOException {
    return http.get(setup.url(path), Map.of("authorization", "Bearer " + token()));
  }

  public Answer post(String path, Object body) throws IOException {
    return http.post(
        setup.url(path),
        Map.of("authorization", "Bearer " + token(), "content-type", "application/json"),
        Json.write(body));
  }

  public Answer delete(String path) throws IOException {
    return http.send("DELETE", setup.url(path), Map.of("authorization", "Bearer " + token()), "");
  }

  public JsonNode status() throws IOException {
    return get("/api/v1/status").json();
  }

  /** The story of an event, by our id or the platform's. */
  public JsonNode event(String id) throws IOException {
    return get("/api/v1/events/" + encode(id)).json();
  }

  /** The state in lower case, "" while unknown. */
  public String state(String id) throws IOException {
    return event(id).path("state").asText().toLowerCase(Locale.ROOT);
  }

  public void awaitState(String id, Set<String> states, Duration limit) {
    Await.until(id + " is one of " + states, limit, () -> states.contains(state(id)));
  }

  /** Waits until a plugin has brought the channel; fails when one is parked. */
  public void awaitChannel(String name) {
    Await.until(
        "the channel " + name + " is there",
        CHANNEL_WITHIN,
        () -> {
          String plugins = get("/api/v1/plugins").body();
          if (plugins.contains("\"parked\"")) {
            throw new AssertionError(plugins);
          }
          return plugins.contains("channel " + name);
        });
  }

  /** Waits until nothing is pending, running, parked or to be posted. */
  public void awaitQuiet(Duration limit) {
    try {
      Await.until(
          "the server has nothing left to do",
          limit,
          () -> {
            JsonNode status = status();
            JsonNode counts = status.path("counts");
            return status.has("counts")
                && open(counts) == 0
                && status.path("outbox_depth").asLong() == 0;
          });
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ": " + statusText(), e);
    }
  }

  private String statusText() {
    try {
      return get("/api/v1/status").body();
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static long open(JsonNode counts) {
    return counts.path("pending").asLong()
        + counts.path("running").asLong()
        + counts.path("parked").asLong();
  }

  public static String encode(String part) {
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
