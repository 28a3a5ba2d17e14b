package dev.holdfast.agents;

import dev.holdfast.bus.News;
import dev.holdfast.channels.Channels;
import dev.holdfast.models.Models;
import dev.holdfast.store.Store;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.nio.file.Path;

/** What thread agents work with. */
public record AgentParts(
    Vertx vertx,
    Store store,
    Models models,
    Channels channels,
    News news,
    Time time,
    MeterRegistry meters,
    AgentConfig config) {

  /**
   * What the operator decides about thread agents.
   *
   * @param attemptsMax runs of one event that may end in a crash ({@code inbox.max_attempts})
   */
  public record AgentConfig(
      ThreadsConfig threads,
      TurnConfig turn,
      ContextConfig context,
      int attemptsMax,
      Path dataDir) {}
}
