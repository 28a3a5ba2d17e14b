package dev.holdfast.config;

import java.util.List;
import java.util.stream.Collectors;

/** The configuration cannot be used. Holds every problem, not only the first. */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  public ConfigException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** In the order of the lines; never empty. */
  public List<Problem> problems() {
    return problems;
  }
}
