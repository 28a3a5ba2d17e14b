package dev.holdfast.plugins;

import dev.holdfast.processes.GateCondition;
import dev.holdfast.processes.MachineGate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Whether the machine and its operator have what a manifest asks for.
 *
 * @param environment what is set now; a variable without content counts as not set
 * @param envFile where a variable can be set without a restart
 * @param serverVersion for the manifest's range
 * @param hasSection whether the configuration has a section
 */
record Gate(
    Map<String, String> environment,
    Path envFile,
    String serverVersion,
    Predicate<String> hasSection) {

  /** Every condition, met or not; the gate is open when all are. */
  List<GateCondition> judge(PluginManifest manifest) {
    List<GateCondition> all = new ArrayList<>();
    if (!manifest.requires().isEmpty()) {
      all.add(
          new GateCondition(
              "Holdfast " + manifest.requires(),
              VersionRange.contains(manifest.requires(), serverVersion),
              "this is Holdfast " + serverVersion + ": use another version of one of them"));
    }
    MachineGate machine = new MachineGate(environment, envFile);
    manifest.variables().forEach(group -> all.add(machine.variable(group)));
    manifest.programs().forEach(group -> all.add(machine.program(group)));
    if (!manifest.systems().isEmpty()) {
      all.add(machine.system(manifest.systems()));
    }
    for (String section : manifest.sections()) {
      all.add(
          new GateCondition(
              "the section " + section + " of the configuration",
              hasSection.test(section),
              "write " + section + ": into holdfast.yaml"));
    }
    return all;
  }
}
