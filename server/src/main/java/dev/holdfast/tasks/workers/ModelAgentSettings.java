package dev.holdfast.tasks.workers;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.util.List;
import java.util.Set;

/**
 * An agent that is a model with a prompt and tools.
 *
 * @param prompt what it is told about its work
 * @param level which models do it
 * @param tools names of tools that it may call; {@code *} at the end of one stands for any rest
 * @param turnsMax how often the model is asked for one task
 * @param tokensMax all tokens of one task, in and out
 */
public record ModelAgentSettings(
    String prompt, String level, List<String> tools, int turnsMax, int tokensMax) {
  private static final int PROMPT_MAX = 20_000;
  private static final List<String> LEVELS =
      List.of("reactive", "operational", "tactical", "strategic");

  /** What an agent that was given work may not do: give it out again. */
  private static final Set<String> NOT_FOR_AGENTS = Set.of("delegate", "plan", "plan_status");

  public ModelAgentSettings {
    tools = List.copyOf(tools);
    Check.that(
        !prompt.isBlank() && prompt.length() <= PROMPT_MAX,
        "prompt",
        "must have from 1 to " + PROMPT_MAX + " characters");
    Check.that(
        LEVELS.contains(level),
        "level",
        "must be among " + String.join(", ", LEVELS) + ", got " + level);
    Check.that(
        tools.stream().noneMatch(NOT_FOR_AGENTS::contains),
        "tools",
        "must not hold the tools that give out work: "
            + String.join(", ", NOT_FOR_AGENTS.stream().sorted().toList()));
    Check.inRange("max_turns", turnsMax, 1, 100);
    Check.inRange("max_tokens", tokensMax, 1000, 10_000_000);
  }

  static ModelAgentSettings from(Section agent) {
    return new ModelAgentSettings(
        agent.text("prompt", ""),
        agent.text("level", "tactical"),
        agent.texts("tools", List.of()),
        agent.whole("max_turns", 20),
        agent.whole("max_tokens", 200_000));
  }

  /** Whether it may call a tool. */
  public boolean allows(String tool) {
    return !NOT_FOR_AGENTS.contains(tool)
        && tools.stream()
            .anyMatch(
                name ->
                    name.endsWith("*")
                        ? tool.startsWith(name.substring(0, name.length() - 1))
                        : tool.equals(name));
  }
}
