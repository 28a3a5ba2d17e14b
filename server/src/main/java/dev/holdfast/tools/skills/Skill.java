package dev.holdfast.tools.skills;

import dev.holdfast.processes.GateCondition;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A skill as it was found.
 *
 * @param name its folder's
 * @param folder with the SKILL.md, absolute
 * @param body everything behind the front matter
 * @param conditions what it requires, met or not
 * @param problems why it is not valid: sentences that name the file, the field and what to do
 * @param notices what does not keep it from being used
 */
public record Skill(
    String name,
    Path folder,
    SkillHead head,
    String body,
    List<GateCondition> conditions,
    List<String> problems,
    List<String> notices) {
  public Skill {
    conditions = List.copyOf(conditions);
    problems = List.copyOf(problems);
    notices = List.copyOf(notices);
  }

  /** Of which nothing can be read. */
  static Skill broken(String name, Path folder, String problem) {
    return new Skill(name, folder, SkillHead.NONE, "", List.of(), List.of(problem), List.of());
  }

  /** The same, and one more thing to know of it. */
  Skill noting(String notice) {
    List<String> more = Stream.concat(notices.stream(), Stream.of(notice)).toList();
    return new Skill(name, folder, head, body, conditions, problems, more);
  }

  public SkillState state() {
    if (!problems.isEmpty()) {
      return SkillState.INVALID;
    }
    return conditions.stream().allMatch(GateCondition::isMet) ? SkillState.READY : SkillState.GATED;
  }

  /** In one line. */
  public String description() {
    return head.description();
  }

  /** Why it is not offered, in one line; empty when it is. */
  public String reason() {
    if (!problems.isEmpty()) {
      return String.join("; ", problems);
    }
    return conditions.stream()
        .filter(condition -> !condition.isMet())
        .map(condition -> "needs " + condition.needs() + ": " + condition.step())
        .collect(Collectors.joining("; "));
  }
}
