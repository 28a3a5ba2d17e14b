package dev.holdfast.extensions;

import dev.holdfast.health.ConditionReport;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One extension from its declaration to its removal. Thread-safe. */
sealed interface Extension permits McpExtension, ActionExtension {
  ExtensionConfig config();

  ExtensionView view();

  /** The last lines that its child wrote to its standard error; not yet freed of secrets. */
  List<String> errors();

  /** Of the child that it keeps now; empty when it keeps none. */
  List<Long> processes();

  /** What is not well with it. Answers from memory. */
  Optional<ConditionReport> report();

  /** Begins to serve when {@code before} has ended, which has the same id. Returns at once. */
  void start(Optional<Extension> before);

  /** From now on nobody is shown what of its variables is secret. */
  void hideSecrets();

  /** Replaces its child if files of secrets have come into its view. Looks at some files. */
  void lookAtSecrets();

  /** Ends its child, if one runs, and starts it anew, parked or not. Returns at once. */
  void restart();

  /**
   * Has its child, if one runs, replaced between two calls; one that waits to be started again is
   * started at once. Returns at once.
   */
  void renew();

  /**
   * Offers what waits for an operator, as it is listed now. Blocks while that is written down.
   *
   * @param seen the digest of the list that the operator has seen; empty for whatever is listed
   * @return false when another list is there by now
   */
  boolean approve(String seen);

  /** Takes its tools back, and ends its child. Returns at once. */
  void stop();

  /** What it does for tasks: what is offered as tools too. */
  List<ExtensionAction> actions();

  /** As {@link ExtensionActions#attempt} says. */
  AttemptAnswer attempt(TaskCall call) throws InterruptedException;

  /** False when something of it is still there after {@code limit}. */
  boolean awaitEnd(Duration limit) throws InterruptedException;
}
