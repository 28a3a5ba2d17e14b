package dev.holdfast.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class FairLineTest {
  private final FairLine<String> line = new FairLine<>();

  private static FlowKey flow(String... path) {
    return new FlowKey(List.of(path));
  }

  private List<String> served() {
    return Stream.generate(line::poll)
        .takeWhile(Optional::isPresent)
        .map(Optional::orElseThrow)
        .toList();
  }

  @Test
  void whoeverHasThousandsIsOnePlaceBeforeAnotherOne() {
    IntStream.range(0, 5000).forEach(i -> line.add(flow("web", "loud"), "loud " + i));
    line.add(flow("web", "quiet"), "quiet 0");
    line.add(flow("web", "quiet"), "quiet 1");
    assertThat(served())
        .startsWith("loud 0", "quiet 0", "loud 1", "quiet 1", "loud 2")
        .hasSize(5002);
  }

  @Test
  void manySendersOfOneAccountAreNoMoreThanOneOfAnother() {
    IntStream.range(0, 5000).forEach(i -> line.add(flow("hook", "made up " + i), "loud " + i));
    line.add(flow("web", "quiet"), "quiet 0");
    line.add(flow("web", "quiet"), "quiet 1");
    assertThat(served()).startsWith("loud 0", "quiet 0", "loud 1", "quiet 1", "loud 2");
  }

  @Test
  void whoeverSpeaksForItselfTakesTurnsWithThoseForWhomItSpeaks() {
    line.add(flow("web", "bot"), "own 0");
    line.add(flow("web", "bot"), "own 1");
    line.add(flow("web", "bot", "anna"), "anna 0");
    line.add(flow("web", "bot", "anna"), "anna 1");
    assertThat(served()).containsExactly("own 0", "anna 0", "own 1", "anna 1");
  }

  /** Against a plain model: nothing is lost or doubled, each flow keeps its order. */
  @Property(tries = 300)
  void nothingIsLostAndEachFlowKeepsItsOrder(
      @ForAll @Size(max = 200) List<@IntRange(max = 29) Integer> moves) {
    FairLine<Integer> mixed = new FairLine<>();
    Map<FlowKey, List<Integer>> waiting = new HashMap<>();
    for (int i = 0; i < moves.size(); i++) {
      int move = moves.get(i);
      FlowKey flow =
          switch (move % 5) {
            case 0 -> FlowKey.NONE;
            case 1 -> flow("a");
            case 2 -> flow("a", "x");
            case 3 -> flow("a", "y");
            default -> flow("b", "x", "z");
          };
      List<Integer> mine = waiting.computeIfAbsent(flow, _ -> new ArrayList<>());
      if (move < 15) {
        mixed.add(flow, i);
        mine.add(i);
      } else if (move < 22) {
        Optional<Integer> first = mixed.first();
        Optional<Integer> taken = mixed.poll();
        assertThat(taken).isEqualTo(first);
        taken.ifPresent(one -> takenFromTheFront(waiting, one));
      } else if (!mine.isEmpty()) {
        Integer one = mine.remove(mine.size() / 2);
        assertThat(mixed.remove(flow, one)).isTrue();
        assertThat(mixed.remove(flow, one)).isFalse();
      }
      assertThat(mixed.size()).isEqualTo(waiting.values().stream().mapToInt(List::size).sum());
      assertThat(mixed.isEmpty()).isEqualTo(mixed.size() == 0);
      assertThat(mixed.first().isEmpty()).isEqualTo(mixed.isEmpty());
    }
  }

  private static void takenFromTheFront(Map<FlowKey, List<Integer>> waiting, Integer one) {
    assertThat(
            waiting.values().stream()
                .filter(flow -> !flow.isEmpty() && flow.getFirst().equals(one))
                .peek(List::removeFirst)
                .count())
        .isEqualTo(1);
  }
}
