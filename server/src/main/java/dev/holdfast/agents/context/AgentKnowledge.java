package dev.holdfast.agents.context;

import dev.holdfast.models.BudgetConfig;
import dev.holdfast.tools.memory.Memory;
import dev.holdfast.tools.prompts.Prompts;
import dev.holdfast.tools.skills.Skills;
import java.time.ZoneId;
import java.util.Optional;

/**
 * What thread agents know besides their conversations, and how much they may spend.
 *
 * @param memory empty when it is switched off
 * @param prompts what people may call for in place of a message of their own
 * @param zone whose times people and models read, and whose days budgets count
 */
public record AgentKnowledge(
    Optional<Memory> memory, Skills skills, Prompts prompts, ZoneId zone, BudgetConfig budget) {}
