package dev.holdfast.plugins;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
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
    for (List<String> group : manifest.variables()) {
      String names = String.join(" or ", group);
      all.add(
          new GateCondition(
              "the variable " + names,
              group.stream().anyMatch(name -> !environment.getOrDefault(name, "").isBlank()),
              "write " + group.getFirst() + "=... into " + envFile));
    }
    for (List<String> group : manifest.programs()) {
      all.add(
          new GateCondition(
              "the program " + String.join(" or ", group),
              group.stream().anyMatch(this::isOnPath),
              "install " + group.getFirst() + " where PATH leads"));
    }
    if (!manifest.systems().isEmpty()) {
      String system = system();
      all.add(
          new GateCondition(
              "the system " + String.join(" or ", manifest.systems()),
              manifest.systems().stream().anyMatch(system::equalsIgnoreCase),
              "this machine runs " + system));
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

  private boolean isOnPath(String program) {
    String path = environment.getOrDefault("PATH", "");
    return !program.contains("/")
        && Arrays.stream(path.split(":"))
            .filter(folder -> !folder.isEmpty())
            .anyMatch(folder -> isProgram(folder, program));
  }

  private static boolean isProgram(String folder, String name) {
    try {
      Path file = Path.of(folder, name);
      return Files.isRegularFile(file) && Files.isExecutable(file);
    } catch (InvalidPathException _) {
      return false; // no file of this machine can be called so
    }
  }

  private static String system() {
    String name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    return name.startsWith("mac") ? "mac" : name.startsWith("windows") ? "windows" : name;
  }
}
