package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.turn.TurnEndings;
import dev.holdfast.agents.turn.TurnResources;
import dev.holdfast.bus.News;
import dev.holdfast.channels.Channels;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;

/** What the agents of this process are made of. */
public record AgentParts(
    TurnResources resources, Channels channels, News news, Vertx vertx, MeterRegistry meters) {

  /** For those whose thread nobody gives up. */
  TurnEndings endings() {
    return new TurnEndings(
        resources.store(), channels, news, resources.incidents(), meters, resources.time());
  }
}
