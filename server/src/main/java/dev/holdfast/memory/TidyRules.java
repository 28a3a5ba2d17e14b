package dev.holdfast.memory;

import dev.holdfast.config.Secrets;
import dev.holdfast.tools.memory.Memory;
import dev.holdfast.tools.memory.MemoryPage.Fact;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a model may do to the facts of a memory. It writes no sentence of its own: what it leaves is
 * made of whole lines whose place it takes, or of whole sentences of the person's message that it
 * names, word for word. A pure function.
 *
 * @param facts of the memory, in the order of the file
 * @param talk that is newer
 */
record TidyRules(List<Fact> facts, NewTalk talk, Secrets secrets) {
  /** Where a message that was shown was cut. */
  static final String CUT = " […]";

  private static final int TEXT_MAX = 1000;

  TidyRules {
    facts = List.copyOf(facts);
  }

  /** What is wrong with the changes, in sentences for the model; empty when nothing is. */
  List<String> problems(List<TidyChange> changes) {
    List<String> problems = new ArrayList<>();
    Set<Integer> taken = new HashSet<>();
    for (TidyChange change : changes) {
      Optional<String> problem = unknownLine(change).or(() -> problem(change, changes));
      problem.ifPresent(said -> problems.add(named(change) + said));
      if (change.kind() != TidyChange.Kind.PROPOSE
          && change.lines().stream().anyMatch(line -> !taken.add(line))) {
        problems.add(named(change) + "a line can be changed only once.");
      }
    }
    int lost = lost(changes);
    int most = Math.max(1, facts.size() / 2);
    if (lost > most) {
      problems.add(
          "%d of %d lines would be dropped or updated; %d is the most at a time."
              .formatted(lost, facts.size(), most));
    }
    return problems;
  }

  private static String named(TidyChange change) {
    return change.kind().label() + " of " + change.lines() + ": ";
  }

  /** How many lines would be gone without another that says the same. */
  private static int lost(List<TidyChange> changes) {
    return changes.stream()
        .filter(TidyChange::isLoss)
        .mapToInt(change -> change.lines().size())
        .sum();
  }

  private Optional<String> unknownLine(TidyChange change) {
    return Stream.concat(change.lines().stream(), Stream.of(Math.max(1, change.line())))
        .filter(line -> line > facts.size())
        .findFirst()
        .map(line -> "there is no line " + line + ".");
  }

  private Optional<String> problem(TidyChange change, List<TidyChange> all) {
    return switch (change.kind()) {
      case MERGE -> mergeProblem(change);
      case DROP -> dropProblem(change, all);
      case UPDATE -> updateProblem(change);
      case PROPOSE ->
          change.lines().size() == 1
              ? Optional.empty()
              : Optional.of("propose one line at a time.");
    };
  }

  private Optional<String> mergeProblem(TidyChange change) {
    SortedMap<Integer, String> merged = new TreeMap<>();
    change.lines().forEach(line -> merged.put(line, fact(line).text()));
    return merged.size() < 2
        ? Optional.of("it takes two lines or more.")
        : unfit(change.text()).or(() -> new LosslessMerge(change.text(), merged).problem());
  }

  private Optional<String> dropProblem(TidyChange change, List<TidyChange> all) {
    boolean byLine = change.line() > 0;
    boolean byMessage = !change.message().isEmpty();
    if (byLine == byMessage) {
      return Optional.of("name either because_line or because_message.");
    }
    if (byMessage) {
      return messageProblem(change);
    }
    boolean stays =
        all.stream()
            .filter(TidyChange::isLoss)
            .noneMatch(other -> other.lines().contains(change.line()));
    boolean isNewer = change.lines().stream().allMatch(line -> isNewer(change.line(), line));
    return stays && isNewer
        ? Optional.empty()
        : Optional.of("because_line must be a newer line that stays.");
  }

  /** Of the same day is the one that stands further down: lines are added at the end. */
  private boolean isNewer(int line, int than) {
    int days = fact(line).day().compareTo(fact(than).day());
    return days > 0 || (days == 0 && line > than);
  }

  private Optional<String> messageProblem(TidyChange change) {
    Optional<NewTalk.Said> message = talk.find(change.message());
    if (message.isEmpty()) {
      return Optional.of("there is no message " + change.message() + ".");
    }
    return change.lines().stream().anyMatch(line -> talk.isOlder(message.get(), fact(line)))
        ? Optional.of("the message is older than the line.")
        : Optional.empty();
  }

  private Optional<String> updateProblem(TidyChange change) {
    Optional<String> problem = messageProblem(change).or(() -> unfit(change.text()));
    if (problem.isPresent()) {
      return problem;
    }
    NewTalk.Said message = talk.find(change.message()).orElseThrow();
    Optional<String> foreign = foreign(change.text(), message);
    if (foreign.isPresent()) {
      return foreign;
    }
    String line = message.line(change.text());
    if (SharingRules.isInstruction(line)) {
      return Optional.of("the line tells a model what to do.");
    }
    return SharingRules.isSecret(secrets, line)
        ? Optional.of("the line looks like a secret.")
        : Optional.empty();
  }

  /** What no line may be. */
  private static Optional<String> unfit(String text) {
    if (text.isBlank() || text.length() > TEXT_MAX) {
      return Optional.of("text must have from 1 to " + TEXT_MAX + " characters.");
    }
    return Memory.folded(text).equals(text.strip()) && !text.contains(CUT.strip())
        ? Optional.empty()
        : Optional.of("text must be one plain line.");
  }

  private static Optional<String> foreign(String text, NewTalk.Said message) {
    List<String> said = Sentences.exact(message.text());
    List<String> wanted = Sentences.exact(text);
    if (Collections.indexOfSubList(said, wanted) >= 0) {
      return Optional.empty();
    }
    String piece = Sentences.bare(Sentences.plain(text)).toLowerCase(Locale.ROOT);
    return Optional.of(
        said.stream()
            .filter(sentence -> sentence.toLowerCase(Locale.ROOT).contains(piece))
            .findFirst()
            .map(sentence -> "this is a piece of a sentence; the whole is: " + sentence)
            .orElse("no such sentence was there, word for word: " + text));
  }

  private Fact fact(int line) {
    return facts.get(line - 1);
  }
}
