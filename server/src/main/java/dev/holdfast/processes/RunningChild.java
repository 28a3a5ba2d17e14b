package dev.holdfast.processes;

import dev.holdfast.processes.Children.Isolation;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One child from its start until nothing is left of it. */
final class RunningChild {
  private static final Logger LOG = LoggerFactory.getLogger(RunningChild.class);

  /** Between asking politely and killing. */
  static final Duration TERM_GRACE = Duration.ofSeconds(5);

  /** For whoever still writes after the command itself has ended. */
  private static final Duration OUTPUT_GRACE = Duration.ofSeconds(1);

  private static final Duration LOOK = Duration.ofMillis(10);
  private static final int SWEEPS_MAX = 100;

  /**
   * What a child is made of besides its process.
   *
   * @param group null where the server may make none
   */
  record Parts(
      Posix posix,
      Time time,
      Isolation isolation,
      ControlGroups.@Nullable Group group,
      String mark) {}

  private final Process process;
  private final Parts parts;
  private final ProcessTree family;
  private final ChildStreams streams;
  private final long begun;
  private volatile boolean stopping;

  RunningChild(Process process, Parts parts, ChildStreams streams) {
    this.process = process;
    this.parts = parts;
    this.family = new ProcessTree(process, parts.mark());
    this.streams = streams;
    this.begun = parts.time().nanos();
  }

  /** False when the time is over. */
  boolean await(Duration timeout) throws InterruptedException {
    return process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Blocks until its command has ended, whoever interrupts. */
  void awaitEnd() {
    process.onExit().join();
  }

  /**
   * TERM, 5 s, KILL of everything. Returns when the command has ended; an interrupt kills at once.
   */
  void stop() {
    stopping = true;
    try {
      members().forEach(ProcessHandle::destroy);
      if (parts.isolation() == Isolation.PROCESS_GROUP) {
        process.toHandle().destroy();
      }
      if (process.waitFor(TERM_GRACE.toNanos(), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    kill();
  }

  /**
   * Of everything, at once. The streams of {@link Process} are not ours: its own destroy would
   * close them.
   */
  void kill() {
    stopping = true;
    if (parts.isolation() == Isolation.PROCESS_GROUP && process.isAlive()) {
      parts.posix().kill(-process.pid(), Posix.SIGKILL);
    }
    process.toHandle().destroyForcibly();
  }

  boolean isStopping() {
    return stopping;
  }

  /**
   * Waits for the rest of the output, then ends whatever the command left behind. Afterwards
   * nothing of it runs; an interrupt shortens the wait only.
   */
  void clear() {
    boolean interrupted = Thread.interrupted();
    if (process.isAlive()) {
      kill();
    }
    try {
      if (!interrupted && streams.output().join(OUTPUT_GRACE)) {
        streams.errors().join(OUTPUT_GRACE);
      }
    } catch (InterruptedException _) {
      interrupted = true;
    }
    interrupted |= sweep();
    try {
      streams.output().join(LOOK);
      streams.errors().join(LOOK);
    } catch (InterruptedException _) {
      interrupted = true;
    }
    streams.all().forEach(ChildPipe::abandon);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Kills until nobody is left; true when it was interrupted meanwhile. */
  private boolean sweep() {
    boolean interrupted = false;
    if (parts.group() != null) {
      parts.group().closeUp();
    }
    for (int sweep = 1; sweep <= SWEEPS_MAX; sweep++) {
      List<ProcessHandle> left = leftBehind();
      left.forEach(ProcessHandle::destroyForcibly);
      ControlGroups.Group group = parts.group();
      if (left.isEmpty() && (group == null || group.remove())) {
        return interrupted;
      }
      try {
        parts.time().sleep(LOOK);
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    LOG.warn("child {}: something of it still runs", process.pid());
    return interrupted;
  }

  private List<ProcessHandle> leftBehind() {
    List<ProcessHandle> left = new ArrayList<>();
    ControlGroups.Group group = parts.group();
    if (group != null) {
      group.members().forEach(pid -> ProcessHandle.of(pid).ifPresent(left::add));
    }
    if (parts.isolation() == Isolation.PROCESS_GROUP) {
      left.addAll(family.all().values());
    }
    left.removeIf(handle -> handle.pid() == process.pid() || !handle.isAlive());
    return left;
  }

  private List<ProcessHandle> members() {
    return List.copyOf(
        parts.isolation() == Isolation.PROCESS_GROUP
            ? family.all().values()
            : family.descendants().values());
  }

  int exitCode() {
    return process.isAlive() ? 128 + Posix.SIGKILL : process.exitValue();
  }

  Duration lived() {
    return Duration.ofNanos(parts.time().nanos() - begun);
  }
}
