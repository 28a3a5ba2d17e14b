package dev.holdfast.agents.turn;

import dev.holdfast.agents.context.AgentKnowledge;
import dev.holdfast.agents.context.Attachments;
import dev.holdfast.agents.context.ContextConfig;
import dev.holdfast.bus.News;
import dev.holdfast.channels.Channels;
import dev.holdfast.config.Secrets;
import dev.holdfast.models.Models;
import dev.holdfast.store.Store;
import dev.holdfast.time.Time;
import dev.holdfast.tools.Toolbox;
import dev.holdfast.tools.ToolsConfig.Autonomy;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.function.Supplier;

/** What thread agents work with. */
public record AgentParts(
    Vertx vertx,
    Store store,
    Models models,
    Channels channels,
    Toolbox toolbox,
    AgentKnowledge knowledge,
    News news,
    Secrets secrets,
    Time time,
    MeterRegistry meters,
    Supplier<AgentConfig> configs,
    Attachments attachments) {

  /** What is in force now: it may change between two turns. */
  public AgentConfig config() {
    return configs.get();
  }

  /** An empty one while the operator allows no tools. */
  @Override
  public Toolbox toolbox() {
    return config().autonomy() == Autonomy.MANUAL ? toolbox.emptied() : toolbox;
  }

  /** Whether unsafe tools wait for a person. */
  boolean isSupervised() {
    return config().autonomy() == Autonomy.SUPERVISED;
  }

  /**
   * What the operator decides about thread agents.
   *
   * @param attemptsMax runs of one event that may end in a crash ({@code inbox.max_attempts})
   * @param autonomy what models may do by themselves ({@code tools.autonomy})
   */
  public record AgentConfig(
      ThreadsConfig threads,
      TurnConfig turn,
      ContextConfig context,
      int attemptsMax,
      Autonomy autonomy,
      Path dataDir) {}
}
