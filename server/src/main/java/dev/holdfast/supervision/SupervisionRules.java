package dev.holdfast.supervision;

import java.util.List;
import java.util.stream.IntStream;

/** What follows on a crash: pure functions of why, how often, and where in its group. */
public final class SupervisionRules {
  private SupervisionRules() {}

  /** What is done about a child. */
  public static Directive directive(CrashKind kind, boolean tooOften) {
    return switch (kind) {
      case KILLED, PERMANENT -> Directive.STOP;
      case INVALID, TRANSIENT -> tooOften ? Directive.ESCALATE : Directive.RESUME;
      case FATAL, FAILED_START -> tooOften ? Directive.ESCALATE : Directive.RESTART;
      case UNKNOWN -> Directive.ESCALATE;
    };
  }

  /**
   * The places of the children that are started again, in the order of their starts.
   *
   * @param crashed the place of the one that crashed, from 0
   * @param children how many there are
   */
  public static List<Integer> restarted(
      Directive directive, Strategy strategy, int crashed, int children) {
    return switch (directive) {
      case STOP -> List.of();
      case RESUME -> List.of(crashed);
      case RESTART ->
          switch (strategy) {
            case ONE_FOR_ONE, SIMPLE_ONE_FOR_ONE -> List.of(crashed);
            case ONE_FOR_ALL -> range(0, children);
            case REST_FOR_ONE -> range(crashed, children);
          };
      case ESCALATE -> range(0, children);
    };
  }

  /**
   * What becomes of a child.
   *
   * @param tooOften whether it crashed more often than it is restarted
   * @param groupRestarts whether its whole group starts again for it
   */
  static Fate fate(
      Directive directive, boolean tooOften, boolean groupRestarts, Criticality criticality) {
    boolean over =
        switch (directive) {
          case STOP -> true;
          case RESUME, RESTART, ESCALATE -> tooOften && !groupRestarts;
        };
    if (!over) {
      return Fate.RESTARTED;
    }
    return switch (criticality) {
      case CRITICAL -> Fate.GIVEN_UP;
      case IMPORTANT, RECOVERABLE, NON_CRITICAL -> Fate.LEFT_ALONE;
    };
  }

  private static List<Integer> range(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }
}
