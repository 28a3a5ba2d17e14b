package dev.holdfast.processes;

import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Starts every child from one permanent platform thread. The kernel's parent-death signal is bound
 * to the thread that forked: from a virtual thread, children die when its carrier retires.
 */
final class Spawner implements AutoCloseable {
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("children").daemon().factory());

  /**
   * An interrupt leaves no child behind, and comes out when nothing is being started any more: the
   * caller then gives back the descriptors that the builder names by their numbers.
   *
   * @throws IOException when the kernel refuses
   */
  Process start(ProcessBuilder builder) throws IOException, InterruptedException {
    AtomicBoolean claimed = new AtomicBoolean();
    Future<Process> process =
        thread.submit(
            () -> {
              if (claimed.getAndSet(true)) {
                throw new CancellationException();
              }
              return builder.start();
            });
    try {
      return process.get();
    } catch (InterruptedException e) {
      if (claimed.getAndSet(true)) {
        endOrphan(process);
      }
      throw e;
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException refused -> throw refused;
        case Error error -> throw error;
        case null, default -> throw new IllegalStateException("a child's start failed", e);
      }
    }
  }

  /** Blocks until its start is over, whoever interrupts. */
  private static void endOrphan(Future<Process> process) {
    while (true) {
      try {
        process.get().destroyForcibly();
        return;
      } catch (ExecutionException _) {
        return; // there is none
      } catch (InterruptedException _) {
        // It comes out as the first one does.
      }
    }
  }

  /** Every child that still lives dies with the thread, so they are ended before. */
  @Override
  public void close() {
    thread.shutdown();
  }
}
