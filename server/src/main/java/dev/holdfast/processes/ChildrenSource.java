package dev.holdfast.processes;

import dev.holdfast.api.CallFailedException;

/** Where children are started: opened when the first is needed. */
@FunctionalInterface
public interface ChildrenSource {
  /**
   * Blocks while they are opened.
   *
   * @throws CallFailedException when this machine cannot run any safely
   */
  Children get() throws CallFailedException, InterruptedException;
}
