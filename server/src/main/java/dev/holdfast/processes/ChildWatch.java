package dev.holdfast.processes;

import dev.holdfast.processes.ChildResult.Exceeded;
import dev.holdfast.processes.ProcessSpec.Limits;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at a child while it runs and ends it when all of its processes together hold more than they
 * may: what the kernel bounds for each of them alone.
 */
final class ChildWatch {
  private static final Logger LOG = LoggerFactory.getLogger(ChildWatch.class);
  private static final Duration LOOK_EVERY = Duration.ofMillis(200);

  /** Of the time, one part in so many may go into looking. */
  private static final int REST = 9;

  private final RunningChild child;
  private final Path folder;
  private final Limits limits;
  private final boolean memoryToo;
  private final Time time;

  /**
   * @param memoryToo whether no control group bounds it
   */
  ChildWatch(RunningChild child, Launch launch, boolean memoryToo, Time time) {
    this.child = child;
    this.folder = launch.folder();
    this.limits = launch.limits();
    this.memoryToo = memoryToo;
    this.time = time;
  }

  /** Runs as long as the child does. */
  void run() {
    try {
      long before = FolderSize.of(folder);
      while (child.isRunning()) {
        long begun = time.nanos();
        Exceeded exceeded = look(before);
        if (exceeded != Exceeded.NOTHING) {
          child.end(exceeded);
          return;
        }
        Duration rest = Duration.ofNanos(time.nanos() - begun).multipliedBy(REST);
        time.sleep(rest.compareTo(LOOK_EVERY) > 0 ? rest : LOOK_EVERY);
      }
    } catch (IOException e) {
      LOG.warn("child: its folder cannot be looked at: {}", e.toString());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private Exceeded look(long before) throws IOException {
    ProcessUse use = new ProcessUse(folder);
    child.processes().forEach(use::add);
    if (memoryToo && use.memory() > limits.memoryBytes()) {
      return Exceeded.MEMORY;
    }
    return FolderSize.of(folder) + use.removed() - before > limits.fileBytes()
        ? Exceeded.DISK
        : Exceeded.NOTHING;
  }
}
