package dev.holdfast.tools.skills;

import java.util.List;
import java.util.Map;

/**
 * The front matter of a SKILL.md. What is not there, or not as it must be, is empty.
 *
 * @param description in one line
 * @param allowedTools as they are named there; they grant nothing
 */
public record SkillHead(
    String name,
    String description,
    String license,
    String compatibility,
    Map<String, String> metadata,
    List<String> allowedTools,
    SkillNeeds needs) {
  static final SkillHead NONE =
      new SkillHead("", "", "", "", Map.of(), List.of(), SkillNeeds.NOTHING);

  public SkillHead {
    metadata = Map.copyOf(metadata);
    allowedTools = List.copyOf(allowedTools);
  }
}
