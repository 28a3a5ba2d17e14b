package dev.holdfast.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.statistics.Statistics;

class LosslessMergeTest {
  private static final List<String> WORDS =
      List.of(
          "We",
          "can",
          "can't",
          "not",
          "Not",
          "open",
          "Open",
          "room",
          "5",
          "-5",
          "1.5",
          "5.1",
          "½",
          "v3",
          "ohne",
          "не",
          "没有",
          "ない",
          "لا",
          "e.g.",
          "room.",
          "room!",
          "room?",
          "store.",
          "(store)",
          "it",
          "IT",
          "false:",
          "\"room\"",
          "开门。",
          "A",
          "…");

  @Provide
  Arbitrary<String> lines() {
    return Arbitraries.of(WORDS)
        .list()
        .ofMinSize(1)
        .ofMaxSize(5)
        .map(words -> String.join(" ", words));
  }

  @Provide
  Arbitrary<List<Integer>> picks() {
    return Arbitraries.integers().between(0, 3).list().ofMinSize(1).ofMaxSize(4);
  }

  private static SortedMap<Integer, String> numbered(List<String> lines) {
    return IntStream.range(0, lines.size())
        .boxed()
        .collect(Collectors.toMap(i -> i + 1, lines::get, (a, _) -> a, TreeMap::new));
  }

  private static List<String> tokens(String text) {
    return Arrays.stream(text.toLowerCase(Locale.ROOT).split("\\s+", -1))
        .map(token -> token.replaceAll("[.!。]+$", ""))
        .filter(token -> !token.isEmpty())
        .toList();
  }

  /** What a model may have joined, and shortened by a word. */
  @Property(tries = 20_000)
  void noWordIsLostAndNoneIsNew(
      @ForAll @Size(min = 2, max = 4) List<@From("lines") String> lines,
      @ForAll("picks") List<Integer> picks,
      @ForAll boolean isEnded,
      @ForAll @IntRange(max = 20) int without) {
    String joined =
        picks.stream()
            .map(pick -> lines.get(pick % lines.size()))
            .map(line -> isEnded ? line + "." : line)
            .collect(Collectors.joining(" "));
    List<String> words = new ArrayList<>(List.of(joined.split(" ", -1)));
    if (without < words.size() - 1) {
      words.remove(without);
    }
    String text = String.join(" ", words);
    boolean isTaken = new LosslessMerge(text, numbered(lines)).problem().isEmpty();
    Statistics.label("taken").collect(isTaken);
    if (isTaken) {
      List<String> kept = tokens(text);
      for (String line : lines) {
        assertThat(Collections.indexOfSubList(kept, tokens(line)))
            .as("%s in %s", line, text)
            .isNotNegative();
      }
      assertThat(lines.stream().flatMap(line -> tokens(line).stream()).toList()).containsAll(kept);
    }
  }

  @Property(tries = 2000)
  void linesThatAreJoinedWholeAreTaken(
      @ForAll @Size(min = 2, max = 4) List<@From("lines") String> lines) {
    List<String> different =
        lines.stream()
            .filter(line -> !tokens(line).isEmpty())
            .collect(Collectors.toMap(Sentences::loose, line -> line, (a, _) -> a))
            .values()
            .stream()
            .toList();
    String text = different.stream().map(line -> line + ".").collect(Collectors.joining(" "));
    if (different.size() > 1) {
      assertThat(new LosslessMerge(text, numbered(different)).problem()).as(text).isEmpty();
    }
  }
}
