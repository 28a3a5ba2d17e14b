package dev.holdfast.bus;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.natskit.NatsAddresses;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.nats.client.api.StreamState;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a NATS server says of itself, for whoever wants to know how far to trust it.
 *
 * @param version as {@code 2.14.6}
 * @param syncInterval when its files are flushed, as it says it: {@code always} or a duration;
 *     empty when it is not known
 * @param syncUnknown why it is not known, with what to do; empty when it is
 * @param stream empty when there is none yet
 */
public record NatsReport(
    String version,
    Optional<String> syncInterval,
    String syncUnknown,
    Optional<EventStream> stream) {
  /** From it on {@code sync_interval: always} is kept in every file. */
  private static final int[] SYNCED = {2, 14, 6};

  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
  private static final String NO_MONITORING =
      "what answers at broker.nats.monitor_url is not the monitoring of nats-server";

  /**
   * How events are kept.
   *
   * @param isInMemory whether a restart of NATS loses them
   * @param maxAge how long; zero for ever
   * @param limits what else it drops or refuses, as phrases
   * @param isForConsumers whether it keeps what its consumers wait for alone
   * @param isFull whether it takes no more
   */
  public record EventStream(
      boolean isInMemory,
      Duration maxAge,
      List<String> limits,
      boolean isForConsumers,
      boolean isFull) {
    public EventStream {
      limits = List.copyOf(limits);
    }

    static EventStream of(StreamInfo info) {
      StreamConfiguration config = info.getConfiguration();
      StreamState state = info.getStreamState();
      return new EventStream(
          config.getStorageType() == StorageType.Memory,
          config.getMaxAge(),
          limits(config),
          config.getRetentionPolicy() != RetentionPolicy.Limits,
          config.getDiscardPolicy() == DiscardPolicy.New
              && (reaches(state.getMsgCount(), config.getMaxMsgs())
                  || reaches(state.getByteCount(), config.getMaxBytes())));
    }

    private static List<String> limits(StreamConfiguration config) {
      Map<String, Long> all = new LinkedHashMap<>();
      all.put("at most %d messages", config.getMaxMsgs());
      all.put("at most %d of a subject", config.getMaxMsgsPerSubject());
      all.put("at most %d bytes", config.getMaxBytes());
      all.put("messages up to %d bytes", (long) config.getMaximumMessageSize());
      return all.entrySet().stream()
          .filter(limit -> limit.getValue() > 0)
          .map(limit -> limit.getKey().formatted(limit.getValue()))
          .toList();
    }

    /** No limit is below 1. */
    private static boolean reaches(long now, long max) {
      return max > 0 && now >= max;
    }
  }

  private record Flushing(Optional<String> interval, String unknown) {
    static Flushing unknown(String why) {
      return new Flushing(Optional.empty(), why);
    }
  }

  /**
   * Connects and asks; changes nothing. Blocks for some seconds at most.
   *
   * @throws CallFailedException when it cannot be used, with what to do
   */
  public static NatsReport ask(BrokerConfig.Nats config)
      throws CallFailedException, InterruptedException {
    try (NatsSession session = NatsSession.look(config, _ -> {})) {
      Optional<StreamInfo> found = session.stream();
      if (found.isPresent()) {
        session.checkStream(found.get().getConfiguration());
      } else if (session.others().isPresent()) {
        throw new CallFailedException(
            Failure.of(
                FailureCode.NETWORK,
                "stream %s of NATS cannot be made. %s"
                    .formatted(config.stream(), session.others().get())));
      }
      Flushing flushing = flushing(config.monitorUrl());
      return new NatsReport(
          session.version(), flushing.interval(), flushing.unknown(), found.map(EventStream::of));
    }
  }

  private static Flushing flushing(String monitorUrl) throws InterruptedException {
    if (monitorUrl.isEmpty()) {
      return Flushing.unknown("set broker.nats.monitor_url, so that this can be checked");
    }
    try (HttpClient http = HttpClient.newBuilder().connectTimeout(ANSWER_MAX).build()) {
      URI address = URI.create(monitorUrl.replaceAll("/+$", "") + "/jsz?config=true");
      String answer =
          http.send(
                  HttpRequest.newBuilder(address).timeout(ANSWER_MAX).build(),
                  BodyHandlers.ofString())
              .body();
      JsonObject config = new JsonObject(answer).getJsonObject("config");
      if (config == null) {
        return Flushing.unknown(NO_MONITORING);
      }
      if (config.getBoolean("sync_always", false)) {
        return new Flushing(Optional.of("always"), "");
      }
      return config.getValue("sync_interval") instanceof Number nanos
          ? new Flushing(Optional.of(Duration.ofNanos(nanos.longValue()).toSeconds() + " s"), "")
          : Flushing.unknown("nats-server before 2.10 does not tell it");
    } catch (IOException e) {
      return Flushing.unknown(
          "nothing answers at broker.nats.monitor_url (%s): set http in nats-server's configuration"
              .formatted(NatsAddresses.said(e)));
    } catch (DecodeException | ClassCastException _) {
      return Flushing.unknown(NO_MONITORING);
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
