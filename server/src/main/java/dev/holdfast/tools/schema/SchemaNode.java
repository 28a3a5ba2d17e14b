package dev.holdfast.tools.schema;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One schema of a document: the rules for a value. It is filled once, while it is read. */
final class SchemaNode {
  private final List<Rule> rules = new ArrayList<>();

  /** Schemas that are applied to the same value. */
  private final List<SchemaNode> inPlace = new ArrayList<>();

  /** One keyword. */
  interface Rule {
    boolean holds(Target target, Evaluation run);
  }

  /**
   * A value at its place.
   *
   * @param seen which of its members the rules have dealt with
   */
  record Target(@Nullable Object value, Path path, Seen seen) {}

  /** The way to a value; it is made a text only when somebody reads it. */
  record Path(@Nullable Path parent, Object step) {
    static final Path ROOT = new Path(null, "#");

    String text() {
      StringBuilder text = new StringBuilder();
      List<Object> steps = new ArrayList<>();
      for (Path at = this; at != null; at = at.parent) {
        steps.add(at.step);
      }
      steps.reversed().forEach(each -> text.append(text.isEmpty() ? "" : "/").append(each));
      return JsonValues.shortened(text.toString());
    }
  }

  void add(Rule rule) {
    rules.add(rule);
  }

  void appliesInPlace(SchemaNode other) {
    inPlace.add(other);
  }

  List<SchemaNode> inPlace() {
    return inPlace;
  }

  boolean holds(Target target, Evaluation run) {
    boolean holds = true;
    for (Rule rule : rules) {
      run.step();
      holds &= rule.holds(target, run);
      if (!holds && run.isQuiet()) {
        return false;
      }
    }
    return holds;
  }
}
