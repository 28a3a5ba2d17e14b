package dev.holdfast.supervision;

/** What a supervised thread does: it runs until it is interrupted or its work is over. */
@FunctionalInterface
public interface ChildTask {
  /**
   * Blocks. Returning ends the child for good; being interrupted by a stop does too; anything else
   * thrown is a crash, and this is called again after a wait.
   */
  void run() throws Exception;
}
