package dev.holdfast.bus;

import dev.holdfast.api.CallFailedException;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;

/**
 * What a NATS server says of itself, for whoever wants to know how far to trust it.
 *
 * @param version as {@code 2.14.6}
 * @param syncInterval when its files are flushed, as it says it: {@code always} or a duration;
 *     empty when its monitoring was not asked, or a server before 2.10 does not tell
 */
public record NatsReport(String version, Optional<String> syncInterval) {
  /** From it on {@code sync_interval: always} is kept in every file. */
  private static final int[] SYNCED = {2, 14, 6};

  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);

  /**
   * Connects, makes the stream when there is none, and asks. Blocks for some seconds at most.
   *
   * @throws CallFailedException when it cannot be used, with what to do
   */
  public static NatsReport ask(BrokerConfig.Nats config)
      throws CallFailedException, InterruptedException {
    try (NatsSession session = NatsSession.open(config, _ -> {})) {
      return new NatsReport(session.version(), syncInterval(config.monitorUrl()));
    }
  }

  private static Optional<String> syncInterval(String monitorUrl) throws InterruptedException {
    if (monitorUrl.isEmpty()) {
      return Optional.empty();
    }
    try (HttpClient http = HttpClient.newBuilder().connectTimeout(ANSWER_MAX).build()) {
      URI address = URI.create(monitorUrl.replaceAll("/+$", "") + "/jsz?config=true");
      String answer =
          http.send(
                  HttpRequest.newBuilder(address).timeout(ANSWER_MAX).build(),
                  BodyHandlers.ofString())
              .body();
      JsonObject config = new JsonObject(answer).getJsonObject("config", new JsonObject());
      if (config.getBoolean("sync_always", false)) {
        return Optional.of("always");
      }
      return Optional.ofNullable(config.getValue("sync_interval"))
          .map(nanos -> Duration.ofNanos(((Number) nanos).longValue()).toSeconds() + " s");
    } catch (IOException | DecodeException | ClassCastException | IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /** Whether what it has acknowledged outlives a power cut, as far as it says. */
  public boolean isSynced() {
    return isSince(version, SYNCED) && syncInterval.filter("always"::equals).isPresent();
  }

  /** Whether it is a version of which that can be said at all. */
  public boolean isCurrent() {
    return isSince(version, SYNCED);
  }

  static boolean isSince(String version, int[] wanted) {
    String[] parts = version.split("[.-]", -1);
    for (int i = 0; i < wanted.length; i++) {
      int part =
          i < parts.length && parts[i].matches("[0-9]{1,6}") ? Integer.parseInt(parts[i]) : 0;
      if (part != wanted[i]) {
        return part > wanted[i];
      }
    }
    return true;
  }
}
