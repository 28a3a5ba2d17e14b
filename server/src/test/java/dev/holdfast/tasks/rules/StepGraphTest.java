package dev.holdfast.tasks.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StepGraphTest {
  private static Step step(String name, String... needs) {
    return new Step(name, "agent", "run", "{}", Set.of(needs));
  }

  private static List<Step> chain(int length) {
    return IntStream.range(0, length)
        .mapToObj(i -> i == 0 ? step("s0") : step("s" + i, "s" + (i - 1)))
        .toList();
  }

  @Test
  void stepsWithoutCirclesAreAPlanInAnyOrder() {
    assertThat(
            StepGraph.problems(
                List.of(
                    step("last", "left", "right"),
                    step("left", "a"),
                    step("right", "a"),
                    step("a"))))
        .isEmpty();
  }

  @Test
  void aPlanHasOneToTenSteps() {
    assertThat(StepGraph.problems(chain(1))).isEmpty();
    assertThat(StepGraph.problems(chain(10))).isEmpty();
    assertThat(StepGraph.problems(List.of())).containsExactly("a plan has 1 to 10 steps, not 0");
    assertThat(StepGraph.problems(chain(11))).containsExactly("a plan has 1 to 10 steps, not 11");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "A", "a b", "-a", "a.b", "ä"})
  void aNameThatCannotBeReferredToIsRefused(String name) {
    assertThat(StepGraph.problems(List.of(step(name))))
        .singleElement()
        .asString()
        .contains("\"" + name + "\"");
  }

  @Test
  void aNameHasSixtyFourCharactersAtMost() {
    assertThat(StepGraph.problems(List.of(step("a".repeat(64))))).isEmpty();
    assertThat(StepGraph.problems(List.of(step("a".repeat(65))))).hasSize(1);
  }

  @Test
  void allProblemsAreNamedAtOnce() {
    assertThat(
            StepGraph.problems(
                List.of(
                    step("a", "x", "w"), step("a"), step("B"), step("c", "c2"), step("c2", "c"))))
        .containsExactly(
            "two steps are named \"a\"",
            "the step name \"B\" is not made of a-z, 0-9, - and _ (at most 64)",
            "step \"a\" needs \"w\", which is no step",
            "step \"a\" needs \"x\", which is no step");
  }

  @Test
  void circlesAreRefusedWithThoseThatWaitForThem() {
    assertThat(StepGraph.problems(List.of(step("a", "a"))))
        .containsExactly("these steps need each other: a");
    assertThat(
            StepGraph.problems(
                List.of(step("free"), step("a", "b", "free"), step("b", "c"), step("c", "a"))))
        .containsExactly("these steps need each other: a, b, c");
  }

  /** Each step needs some of those before it in a random order; one edge back makes a circle. */
  @Property
  void aGraphWithoutCirclesIsAPlanAndWithOneItIsNot(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 10) int size) {
    Random random = new Random(seed);
    List<Step> steps = new ArrayList<>(chain(size));
    for (int i = 1; i < size; i++) {
      Set<String> needs = new HashSet<>(steps.get(i).needs());
      int more = random.nextInt(i);
      needs.add("s" + more);
      steps.set(i, step("s" + i, needs.toArray(String[]::new)));
    }
    List<Step> mixed = new ArrayList<>(steps);
    Collections.shuffle(mixed, random);
    assertThat(StepGraph.problems(mixed)).isEmpty();
    steps.set(0, step("s0", "s" + (size - 1)));
    Collections.shuffle(steps, random);
    assertThat(StepGraph.problems(steps)).hasSize(1);
  }
}
