package dev.holdfast.memory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One line in the place of several, of which it loses no sentence: it is made of whole lines, one
 * behind the other, and each line that it leaves out stands in one of those, sentence by sentence.
 *
 * @param lines whose place it takes, by their numbers
 */
record LosslessMerge(String text, SortedMap<Integer, String> lines) {
  private static final Pattern BETWEEN =
      Pattern.compile("[.!۔।。！]*$|[.!۔।。！]+ |[。！]+|(?<=[?؟？]) |(?<=？)");

  LosslessMerge {
    lines = Collections.unmodifiableSortedMap(new TreeMap<>(lines));
  }

  /** What is wrong with it, in a sentence. */
  Optional<String> problem() {
    List<String> unused = new ArrayList<>(lines.values());
    unused.sort(Comparator.comparingInt(String::length).reversed());
    List<String> used = new ArrayList<>();
    String rest = Sentences.uncapitalised(Sentences.plain(text));
    while (!rest.isEmpty()) {
      Optional<String> line = first(unused, rest);
      if (line.isEmpty()) {
        return Optional.of("no such line was there, word for word: " + rest);
      }
      used.add(line.get());
      unused.removeIf(same -> bare(same).equals(bare(line.get())));
      rest = Sentences.uncapitalised(rest(rest, line.get()).orElseThrow());
    }
    return lines.entrySet().stream()
        .filter(line -> used.stream().noneMatch(kept -> holds(kept, line.getValue())))
        .findFirst()
        .map(line -> "the text does not say all that line " + line.getKey() + " says.");
  }

  private static Optional<String> first(List<String> lines, String rest) {
    return lines.stream().filter(line -> rest(rest, line).isPresent()).findFirst();
  }

  /** What stands behind a line and its end. */
  private static Optional<String> rest(String text, String line) {
    String bare = bare(line);
    Matcher between = BETWEEN.matcher(text);
    between.region(Math.min(bare.length(), text.length()), text.length());
    between.useTransparentBounds(true);
    return !bare.isEmpty() && text.startsWith(bare) && between.lookingAt()
        ? Optional.of(text.substring(between.end()))
        : Optional.empty();
  }

  private static String bare(String line) {
    return Sentences.bare(Sentences.plain(line));
  }

  private static boolean holds(String kept, String line) {
    return Collections.indexOfSubList(Sentences.loose(kept), Sentences.loose(line)) >= 0;
  }
}
