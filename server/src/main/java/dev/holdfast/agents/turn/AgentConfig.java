package dev.holdfast.agents.turn;

import dev.holdfast.agents.context.ContextConfig;
import dev.holdfast.tools.ToolsConfig.Autonomy;
import java.nio.file.Path;

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
