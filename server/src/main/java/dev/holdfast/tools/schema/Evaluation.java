package dev.holdfast.tools.schema;

import dev.holdfast.tools.schema.SchemaNode.Path;
import dev.holdfast.tools.schema.SchemaNode.Target;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One check of one value: counts its steps and collects what is wrong. */
final class Evaluation {
  private static final long STEPS_BASE = 5_000_000;
  private static final int STEPS_PER_CHARACTER = 20;

  /** What applying a rule costs, beside a character of a pattern that is matched. */
  private static final int RULE_STEPS = 10;

  private static final int DEPTH_MAX = 1000;
  private static final int PROBLEMS_MAX = 10;

  private final boolean tracksEvaluated;
  private final List<String> problems = new ArrayList<>();
  private long left;
  private int depth;
  private int quiet;

  Evaluation(int length, boolean tracksEvaluated) {
    this.left = STEPS_BASE + (long) length * STEPS_PER_CHARACTER;
    this.tracksEvaluated = tracksEvaluated;
  }

  List<String> problems() {
    return List.copyOf(problems);
  }

  void check(SchemaNode root, Object value) {
    boolean _ = apply(root, new Target(value, Path.ROOT, new Seen(tracksEvaluated)));
  }

  void step() {
    steps(RULE_STEPS);
  }

  void steps(long count) {
    left -= count;
    if (left < 0) {
      throw new StepsExceededException();
    }
  }

  /** Whether nobody reads what is wrong. */
  boolean isQuiet() {
    return quiet > 0;
  }

  /** Notes what is wrong. Returns false, as the rule that finds it does. */
  boolean fails(Target target, String problem) {
    if (quiet == 0 && problems.size() < PROBLEMS_MAX) {
      problems.add(target.path().text() + ": " + problem);
    }
    return false;
  }

  /** Whether a member of the value fits. {@code step}: its name or index. */
  boolean fits(SchemaNode schema, Target parent, Object step, @Nullable Object value) {
    Path path = new Path(parent.path(), step);
    return apply(schema, new Target(value, path, new Seen(tracksEvaluated)));
  }

  /** The same, for a question: what is wrong is not noted. */
  boolean fitsQuietly(SchemaNode schema, Target parent, Object step, @Nullable Object value) {
    quiet++;
    try {
      return fits(schema, parent, step, value);
    } finally {
      quiet--;
    }
  }

  /** Whether the same value fits another schema too; what that dealt with counts if so. */
  boolean fits(SchemaNode schema, Target target) {
    Seen seen = new Seen(tracksEvaluated);
    boolean fits = apply(schema, new Target(target.value(), target.path(), seen));
    if (fits) {
      target.seen().addAll(seen, this);
    }
    return fits;
  }

  boolean fitsQuietly(SchemaNode schema, Target target) {
    quiet++;
    try {
      return fits(schema, target);
    } finally {
      quiet--;
    }
  }

  /** How many of the alternatives fit. What is wrong with the others counts when none does. */
  int fitting(List<SchemaNode> alternatives, Target target) {
    int before = problems.size();
    int fitting = 0;
    for (SchemaNode each : alternatives) {
      fitting += fits(each, target) ? 1 : 0;
    }
    if (fitting > 0) {
      problems.subList(before, problems.size()).clear();
    }
    return fitting;
  }

  private boolean apply(SchemaNode schema, Target target) {
    if (++depth > DEPTH_MAX) {
      throw new StepsExceededException();
    }
    try {
      step();
      return schema.holds(target, this);
    } finally {
      depth--;
    }
  }
}
