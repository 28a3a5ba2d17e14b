package dev.holdfast.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the sections of one file share while it is read. For one thread. */
final class ReadingState {
  final String file;
  final Substitution substitution;
  final Secrets secrets;
  final List<Section> sections = new ArrayList<>();

  /** A set: a section that is read again reports the same problems again. */
  private final Set<Problem> problems = new LinkedHashSet<>();

  ReadingState(String file, Substitution substitution) {
    this.file = file;
    this.substitution = substitution;
    this.secrets = substitution.secrets();
  }

  void report(int line, String section, String message) {
    problems.add(new Problem(file, line, section, message));
  }

  /** For a record that read a section which is not inside its own. */
  @Nullable Section lastAsked(String key) {
    return sections.reversed().stream()
        .filter(section -> section.given().contains(key) && section.asked().contains(key))
        .findFirst()
        .orElse(null);
  }

  List<Problem> problems() {
    return problems.stream().sorted(Comparator.comparingInt(Problem::line)).toList();
  }
}
