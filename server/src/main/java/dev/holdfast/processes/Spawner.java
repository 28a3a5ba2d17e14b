package dev.holdfast.processes;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Starts every child from one permanent platform thread. The kernel's parent-death signal is bound
 * to the thread that forked: from a virtual thread, children die when its carrier retires.
 */
final class Spawner implements AutoCloseable {
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("children").daemon().factory());

  /**
   * An interrupt leaves no child behind.
   *
   * @throws IOException when the kernel refuses
   */
  Process start(ProcessBuilder builder) throws IOException, InterruptedException {
    Future<Process> process = thread.submit(builder::start);
    try {
      return process.get();
    } catch (InterruptedException e) {
      thread.execute(() -> endOrphan(process)); // its turn comes after the start
      throw e;
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException refused -> throw refused;
        case Error error -> throw error;
        case null, default -> throw new IllegalStateException("a child's start failed", e);
      }
    }
  }

  private static void endOrphan(Future<Process> process) {
    if (process.state() == Future.State.SUCCESS) {
      process.resultNow().destroyForcibly();
    }
  }

  /** Every child that still lives dies with the thread, so they are ended before. */
  @Override
  public void close() {
    thread.shutdown();
  }
}
