package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.turn.TurnEndings;
import dev.holdfast.agents.turn.TurnResources;
import dev.holdfast.bus.News;
import dev.holdfast.channels.Channels;
import dev.holdfast.modes.ModeNow;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.util.function.Supplier;

/**
 * What the agents of this process are made of.
 *
 * @param mode how much they may do now
 */
public record AgentParts(
    TurnResources resources,
    Channels channels,
    PlanCommands plans,
    News news,
    Supplier<ModeNow> mode,
    Vertx vertx,
    MeterRegistry meters) {

  /** For those whose thread nobody gives up. */
  TurnEndings endings() {
    return new TurnEndings(
        resources.store(), channels, news, resources.incidents(), meters, resources.time());
  }
}
