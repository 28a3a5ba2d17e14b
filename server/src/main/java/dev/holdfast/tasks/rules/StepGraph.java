package dev.holdfast.tasks.rules;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What is asked of the steps of a plan: 1 to 10, each need is a step, and no circle. */
public final class StepGraph {
  public static final int STEPS_MAX = 10;

  /** Names stand in references such as {@code ${fetch.title}}. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9_-]{0,63}");

  private StepGraph() {}

  /** All that is wrong, in sentences; empty when the steps are a plan. */
  public static List<String> problems(List<Step> steps) {
    List<String> problems = new ArrayList<>();
    if (steps.isEmpty() || steps.size() > STEPS_MAX) {
      problems.add("a plan has 1 to %d steps, not %d".formatted(STEPS_MAX, steps.size()));
    }
    Map<String, Step> byName = new LinkedHashMap<>();
    for (Step step : steps) {
      if (!NAME.matcher(step.name()).matches()) {
        problems.add(
            "the step name \"%s\" is not made of a-z, 0-9, - and _ (at most 64)"
                .formatted(step.name()));
      }
      if (byName.put(step.name(), step) != null) {
        problems.add("two steps are named \"%s\"".formatted(step.name()));
      }
    }
    for (Step step : steps) {
      step.needs().stream()
          .sorted()
          .filter(need -> !byName.containsKey(need))
          .forEach(
              need ->
                  problems.add(
                      "step \"%s\" needs \"%s\", which is no step".formatted(step.name(), need)));
    }
    if (problems.isEmpty()) {
      Set<String> circle = leftOver(byName);
      if (!circle.isEmpty()) {
        problems.add("these steps need each other: " + String.join(", ", circle));
      }
    }
    return problems;
  }

  /** What remains when all steps whose needs are met are taken away, again and again. */
  private static Set<String> leftOver(Map<String, Step> byName) {
    Map<String, Step> left = new LinkedHashMap<>(byName);
    Set<String> done = new HashSet<>();
    boolean moved = true;
    while (moved) {
      moved = false;
      for (Step step : List.copyOf(left.values())) {
        if (done.containsAll(step.needs())) {
          done.add(step.name());
          left.remove(step.name());
          moved = true;
        }
      }
    }
    return left.keySet();
  }
}
