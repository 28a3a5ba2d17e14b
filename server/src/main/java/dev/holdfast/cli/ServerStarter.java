package dev.holdfast.cli;

/**
 * Starts a server in this process: the root package implements it, for this one may not know it.
 */
@FunctionalInterface
public interface ServerStarter {
  /**
   * Blocks until the server has stopped.
   *
   * @return the exit code
   */
  int run(RunOptions options) throws InterruptedException;
}
