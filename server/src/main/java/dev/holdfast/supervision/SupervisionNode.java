package dev.holdfast.supervision;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A supervisor or something that is supervised, at one moment.
 *
 * @param strategy of a supervisor; null for anything else
 * @param state {@code running}, or why it is not, in a word
 * @param restarts how often it was started again since the server started, or the part was declared
 * @param code of its last failure; empty when it has not failed
 * @param message of its last failure, without secrets
 * @param failedAt null when nobody knows
 * @param needs what is started before it and stopped after it
 */
public record SupervisionNode(
    String name,
    @Nullable Strategy strategy,
    Criticality criticality,
    String state,
    long restarts,
    String code,
    String message,
    @Nullable Instant failedAt,
    List<String> needs,
    List<SupervisionNode> children) {
  public SupervisionNode {
    needs = List.copyOf(needs);
    children = List.copyOf(children);
  }

  /** A supervisor of {@code children}. */
  public static SupervisionNode supervisor(
      String name,
      Strategy strategy,
      Criticality criticality,
      long restarts,
      List<SupervisionNode> children) {
    return new SupervisionNode(
        name, strategy, criticality, "running", restarts, "", "", null, List.of(), children);
  }

  /** A supervised thread. */
  public static SupervisionNode of(SupervisedThread child) {
    SupervisedThread.LastFailure last = child.lastFailure();
    return new SupervisionNode(
        child.spec().name(),
        null,
        child.spec().criticality(),
        child.isAiling() ? "ailing" : child.state().name().toLowerCase(Locale.ROOT),
        child.restarts(),
        last == null ? "" : last.failure().code().name(),
        last == null ? "" : last.failure().message(),
        last == null ? null : last.at(),
        child.spec().needs().stream().sorted().toList(),
        List.of());
  }
}
