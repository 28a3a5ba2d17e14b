package dev.holdfast.processes;

import dev.holdfast.api.CallFailedException;

/** Runs child processes. Thread-safe. */
public final class Children implements AutoCloseable {
  Children() {}

  /** How children are kept together, strongest first; see {@code doctor}. */
  public enum Isolation {
    BUBBLEWRAP,
    NAMESPACES,
    PROCESS_GROUP
  }

  public Isolation isolation() {
    throw new UnsupportedOperationException();
  }

  /**
   * Runs a child to its end and everything it started with it. Blocks; an interrupt ends the child: TERM, 5 s, KILL.
   *
   * @throws CallFailedException when it could not be started
   */
  public ChildResult run(ChildSpec spec) throws CallFailedException, InterruptedException {
    throw new UnsupportedOperationException(spec.toString());
  }

  /** Ends all that still run. */
  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
