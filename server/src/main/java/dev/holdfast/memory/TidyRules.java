package dev.holdfast.memory;

import dev.holdfast.config.Secrets;
import dev.holdfast.tools.memory.Memory;
import dev.holdfast.tools.memory.MemoryPage.Fact;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a model may do to the facts of a memory. It writes no sentence of its own: each sentence
 * that it leaves stood, word for word, in a line whose place it takes or in the person's message
 * that it names. A pure function.
 *
 * @param facts of the memory, in the order of the file
 * @param talk that is newer
 */
record TidyRules(List<Fact> facts, NewTalk talk, Secrets secrets) {
  /** Where a message that was shown was cut. */
  static final String CUT = " […]";

  private static final int TEXT_MAX = 1000;
  private static final Pattern SENTENCE_ENDS = Pattern.compile("(?<=[.!?。！？])\\s+|\\R");
  private static final Pattern OUTER = Pattern.compile("^[\\s\"'“”]+|[\\s\"'“”.!?;。！？]+$");

  private static final Set<String> NEGATIONS =
      Set.of(
          "not", "no", "never", "none", "nobody", "without", "don", "doesn", "isn", "cannot",
          "nicht", "kein", "keine", "nie", "pas", "jamais", "nunca");

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
    List<Fact> merged = change.lines().stream().distinct().map(this::fact).toList();
    if (merged.size() < 2) {
      return Optional.of("it takes two lines or more.");
    }
    Set<String> sources =
        merged.stream()
            .flatMap(fact -> sentences(fact.text()).stream())
            .collect(Collectors.toSet());
    Optional<String> foreign = foreign(change.text(), sources);
    if (foreign.isPresent()) {
      return foreign;
    }
    Set<String> said = SharingRules.words(change.text());
    return change.lines().stream()
        .filter(line -> !isCovered(fact(line).text(), said))
        .findFirst()
        .map(line -> "the text does not say what line " + line + " says.");
  }

  /** Whether at least two thirds of its words are said, and every number and negation. */
  private static boolean isCovered(String text, Set<String> said) {
    Set<String> words = SharingRules.words(text);
    long there = words.stream().filter(said::contains).count();
    return there * 3 >= words.size() * 2L
        && words.stream()
            .filter(word -> Character.isDigit(word.charAt(0)) || NEGATIONS.contains(word))
            .allMatch(said::contains);
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
    boolean isNewer =
        change.lines().stream()
            .allMatch(
                line ->
                    !line.equals(change.line())
                        && !fact(line).day().isAfter(fact(change.line()).day()));
    return stays && isNewer
        ? Optional.empty()
        : Optional.of("because_line must be a newer line that stays.");
  }

  private Optional<String> messageProblem(TidyChange change) {
    Optional<NewTalk.Said> message = talk.find(change.message());
    if (message.isEmpty()) {
      return Optional.of("there is no message " + change.message() + ".");
    }
    return change.lines().stream().anyMatch(line -> fact(line).day().isAfter(message.get().day()))
        ? Optional.of("the message is older than the line.")
        : Optional.empty();
  }

  private Optional<String> updateProblem(TidyChange change) {
    Optional<String> problem = messageProblem(change);
    if (problem.isPresent()) {
      return problem;
    }
    Set<String> sources =
        new HashSet<>(sentences(talk.find(change.message()).orElseThrow().text()));
    Optional<String> foreign = foreign(change.text(), sources);
    if (foreign.isPresent()) {
      return foreign;
    }
    if (SharingRules.isInstruction(change.text())) {
      return Optional.of("the text tells a model what to do.");
    }
    return SharingRules.isSecret(secrets, change.text())
        ? Optional.of("the text looks like a secret.")
        : Optional.empty();
  }

  /** A sentence that does not stand in the sources, or whatever else no line may hold. */
  private static Optional<String> foreign(String text, Set<String> sources) {
    if (text.isBlank() || text.length() > TEXT_MAX) {
      return Optional.of("text must have from 1 to " + TEXT_MAX + " characters.");
    }
    if (!Memory.folded(text).equals(text.strip()) || text.contains(CUT.strip())) {
      return Optional.of("text must be one plain line.");
    }
    return sentences(text).stream()
        .filter(sentence -> !sources.contains(sentence))
        .findFirst()
        .map(sentence -> "no such sentence was there, word for word: " + sentence);
  }

  /** In one form, so that spaces, the last full stop and a first capital make no difference. */
  static List<String> sentences(String text) {
    return Arrays.stream(SENTENCE_ENDS.split(text.strip(), -1))
        .map(sentence -> OUTER.matcher(Memory.folded(sentence)).replaceAll(""))
        .filter(sentence -> !sentence.isEmpty())
        .map(sentence -> sentence.substring(0, 1).toLowerCase(Locale.ROOT) + sentence.substring(1))
        .toList();
  }

  private Fact fact(int line) {
    return facts.get(line - 1);
  }
}
