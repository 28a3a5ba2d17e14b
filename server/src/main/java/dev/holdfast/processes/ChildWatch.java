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
 * may: what the kernel bounds for each of them alone. One that is kept and takes nothing more is
 * looked at less and less often.
 */
final class ChildWatch {
  private static final Logger LOG = LoggerFactory.getLogger(ChildWatch.class);

  /** How often one is looked at that does what it does at once. */
  static final Duration LOOK_EVERY = Duration.ofMillis(200);

  /** How often one is looked at least that is kept, and mostly idle. */
  static final Duration LOOK_AT_LEAST_EVERY = Duration.ofSeconds(2);

  /** What is more than this part of a limit is growth. */
  private static final int GROWTH = 64;

  /** Of the time, one part in so many may go into looking. */
  private static final int REST = 9;

  private final RunningChild child;
  private final Path folder;
  private final Limits limits;
  private final boolean memoryToo;
  private final Duration pauseMax;
  private final Time time;
  private Duration pause = LOOK_EVERY;
  private long memory;
  private long disk;

  /**
   * @param memoryToo whether no control group bounds it
   * @param pauseMax from {@link #LOOK_EVERY} on
   */
  ChildWatch(RunningChild child, Launch launch, boolean memoryToo, Duration pauseMax, Time time) {
    this.child = child;
    this.folder = launch.folder();
    this.limits = launch.limits();
    this.memoryToo = memoryToo;
    this.pauseMax = pauseMax;
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
        time.sleep(rest.compareTo(pause) > 0 ? rest : pause);
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
    child.lookedAt(use.memory());
    if (memoryToo && use.memory() > limits.memoryBytes()) {
      return Exceeded.MEMORY;
    }
    long taken = FolderSize.of(folder) + use.removed() - before;
    rest(use.memory(), taken);
    return taken > limits.fileBytes() ? Exceeded.DISK : Exceeded.NOTHING;
  }

  private void rest(long memoryNow, long diskNow) {
    boolean hasGrown =
        memoryNow - memory > limits.memoryBytes() / GROWTH
            || diskNow - disk > limits.fileBytes() / GROWTH;
    memory = memoryNow;
    disk = diskNow;
    Duration longer = pause.multipliedBy(2);
    if (hasGrown) {
      pause = LOOK_EVERY;
    } else {
      pause = longer.compareTo(pauseMax) > 0 ? pauseMax : longer;
    }
  }
}
