package dev.holdfast.processes;

import dev.holdfast.libc.ProcessCalls;
import dev.holdfast.processes.ChildResult.Exceeded;
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

  private static final Duration POLL_INTERVAL = Duration.ofMillis(10);
  private static final int KILL_ROUNDS_MAX = 100;

  /**
   * How its processes are kept together, and found again.
   *
   * @param group null where the server may make none
   * @param covered what it is not shown
   */
  record Containment(
      Isolation isolation,
      ControlGroups.@Nullable Group group,
      String mark,
      CoveredPlaces covered) {}

  private final Process process;
  private final Containment containment;
  private final ProcessTree tree;
  private final ChildStreams streams;
  private final Time time;
  private final long begun;
  private volatile boolean stopping;
  private volatile Exceeded exceeded = Exceeded.NOTHING;
  private volatile long memory;

  RunningChild(Process process, Containment containment, ChildStreams streams, Time time) {
    this.process = process;
    this.containment = containment;
    this.tree = new ProcessTree(process, containment.mark());
    this.streams = streams;
    this.time = time;
    this.begun = time.nanos();
  }

  /** What it is not shown, as it was when it started. */
  CoveredPlaces covered() {
    return containment.covered();
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
      // First: a shell whose last child ends while it waits would end too, before it hears of it.
      if (containment.isolation() == Isolation.PROCESS_GROUP) {
        process.toHandle().destroy();
      }
      members().forEach(ProcessHandle::destroy);
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
    if (containment.isolation() == Isolation.PROCESS_GROUP && process.isAlive()) {
      ProcessCalls.kill(-process.pid(), ProcessCalls.SIGKILL);
    }
    process.toHandle().destroyForcibly();
  }

  /** Kills it because of what it holds too much of. */
  void end(Exceeded what) {
    exceeded = what;
    kill();
  }

  /** What it, or a process of it, was ended for; known when it was cleared. */
  Exceeded exceeded() {
    return exceeded;
  }

  /** What all of its processes held together when they were looked at last, in bytes. */
  long memory() {
    return memory;
  }

  void lookedAt(long memoryBytes) {
    memory = memoryBytes;
  }

  boolean isRunning() {
    return process.isAlive();
  }

  /** All that belongs to it, itself too. */
  List<Long> processes() {
    List<Long> processes = new ArrayList<>();
    processes.add(process.pid());
    ControlGroups.Group group = containment.group();
    if (group != null) {
      processes.addAll(group.members());
    } else {
      members().forEach(handle -> processes.add(handle.pid()));
    }
    return processes.stream().distinct().toList();
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
    if (exceeded == Exceeded.NOTHING
        && containment.group() != null
        && containment.group().ranOutOfMemory()) {
      exceeded = Exceeded.MEMORY;
    }
    interrupted |= killLeftovers();
    try {
      streams.output().join(POLL_INTERVAL);
      streams.errors().join(POLL_INTERVAL);
    } catch (InterruptedException _) {
      interrupted = true;
    }
    streams.all().forEach(ChildPipe::abandon);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Kills until nobody is left; true when it was interrupted meanwhile. */
  private boolean killLeftovers() {
    boolean interrupted = false;
    if (containment.group() != null) {
      containment.group().forbidNewProcesses();
    }
    for (int round = 1; round <= KILL_ROUNDS_MAX; round++) {
      List<ProcessHandle> left = leftovers();
      left.forEach(ProcessHandle::destroyForcibly);
      ControlGroups.Group group = containment.group();
      if (left.isEmpty() && (group == null || group.remove())) {
        return interrupted;
      }
      try {
        time.sleep(POLL_INTERVAL);
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    LOG.warn("child {}: something of it still runs", process.pid());
    return interrupted;
  }

  private List<ProcessHandle> leftovers() {
    List<ProcessHandle> left = new ArrayList<>();
    ControlGroups.Group group = containment.group();
    if (group != null) {
      group.members().forEach(pid -> ProcessHandle.of(pid).ifPresent(left::add));
    }
    if (containment.isolation() == Isolation.PROCESS_GROUP) {
      left.addAll(tree.all().values());
    }
    left.removeIf(handle -> handle.pid() == process.pid() || !handle.isAlive());
    return left;
  }

  private List<ProcessHandle> members() {
    return List.copyOf(
        containment.isolation() == Isolation.PROCESS_GROUP
            ? tree.all().values()
            : tree.descendants().values());
  }

  int exitCode() {
    return process.isAlive() ? 128 + ProcessCalls.SIGKILL : process.exitValue();
  }

  Duration lifetime() {
    return Duration.ofNanos(time.nanos() - begun);
  }
}
