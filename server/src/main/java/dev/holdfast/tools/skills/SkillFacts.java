package dev.holdfast.tools.skills;

import dev.holdfast.processes.GateCondition;
import java.util.LinkedHashMap;
import java.util.Map;

/** What operators are told of a skill, as the members of a JSON object. */
public final class SkillFacts {
  private SkillFacts() {}

  /** For a list. */
  public static Map<String, Object> brief(Skill skill) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("name", skill.name());
    facts.put("state", skill.state().label());
    facts.put("description", skill.description());
    facts.put("folder", skill.folder().toString());
    facts.put("reason", skill.reason());
    facts.put("notices", skill.notices());
    return facts;
  }

  /** All but its body. */
  public static Map<String, Object> whole(Skill skill) {
    Map<String, Object> facts = brief(skill);
    facts.put("problems", skill.problems());
    facts.put("conditions", skill.conditions().stream().map(SkillFacts::condition).toList());
    facts.put("license", skill.head().license());
    facts.put("compatibility", skill.head().compatibility());
    facts.put("metadata", skill.head().metadata());
    facts.put("allowed_tools", skill.head().allowedTools());
    facts.put("files", SkillFiles.list(skill));
    return facts;
  }

  private static Map<String, Object> condition(GateCondition condition) {
    return Map.of("needs", condition.needs(), "met", condition.isMet(), "step", condition.step());
  }
}
