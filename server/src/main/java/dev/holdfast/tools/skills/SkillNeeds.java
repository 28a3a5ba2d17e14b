package dev.holdfast.tools.skills;

import dev.holdfast.processes.GateCondition;
import dev.holdfast.processes.MachineGate;
import java.util.ArrayList;
import java.util.List;

/**
 * What the front matter of a skill requires of the machine.
 *
 * @param programs groups of names, of each of which one must be on the path
 * @param variables groups of names, of each of which one must be set
 * @param systems one of which this machine must run; empty for any
 */
public record SkillNeeds(
    List<List<String>> programs, List<List<String>> variables, List<String> systems) {
  static final SkillNeeds NOTHING = new SkillNeeds(List.of(), List.of(), List.of());

  public SkillNeeds {
    programs = programs.stream().map(List::copyOf).toList();
    variables = variables.stream().map(List::copyOf).toList();
    systems = List.copyOf(systems);
  }

  /** Every condition, met or not. */
  List<GateCondition> judge(MachineGate machine) {
    List<GateCondition> all = new ArrayList<>();
    programs.forEach(group -> all.add(machine.program(group)));
    variables.forEach(group -> all.add(machine.variable(group)));
    if (!systems.isEmpty()) {
      all.add(machine.system(systems));
    }
    return all;
  }
}
