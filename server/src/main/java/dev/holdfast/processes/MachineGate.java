package dev.holdfast.processes;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Whether a machine and its operator have what something asks for. Of a group of names any one
 * does.
 *
 * @param environment what is set now; a variable without content counts as not set
 * @param envFile where a variable can be set without a restart
 */
public record MachineGate(Map<String, String> environment, Path envFile) {
  /** What a system can be called. */
  public static final List<String> SYSTEMS = List.of("linux", "mac", "windows");

  public GateCondition variable(List<String> group) {
    return new GateCondition(
        "the variable " + String.join(" or ", group),
        group.stream().anyMatch(name -> !environment.getOrDefault(name, "").isBlank()),
        "write " + group.getFirst() + "=... into " + envFile);
  }

  public GateCondition program(List<String> group) {
    Programs programs = Programs.of(environment.getOrDefault("PATH", ""));
    return new GateCondition(
        "the program " + String.join(" or ", group),
        group.stream().anyMatch(name -> !name.contains("/") && programs.find(name).isPresent()),
        "install " + group.getFirst() + " where PATH leads");
  }

  public GateCondition system(List<String> names) {
    String system = system();
    return new GateCondition(
        "the system " + String.join(" or ", names),
        names.stream().anyMatch(system::equalsIgnoreCase),
        "this machine runs " + system);
  }

  private static String system() {
    String name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    return name.startsWith("mac") ? "mac" : name.startsWith("windows") ? "windows" : name;
  }
}
