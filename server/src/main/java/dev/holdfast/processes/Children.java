package dev.holdfast.processes;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.libc.ProcessCalls;
import dev.holdfast.processes.ChildrenConfig.Sandbox;
import dev.holdfast.processes.ProcessSpec.Limits;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs child processes: started safely, bounded, and gone when their call or the server is.
 * Thread-safe.
 */
public final class Children implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Children.class);
  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(10);
  private static final Path OWN_NAMESPACE = Path.of("/proc/self/ns/pid");

  private final ChildrenConfig config;
  private final Isolation isolation;
  private final Optional<ControlGroups> groups;
  private final boolean isRoot;
  private final Spawner spawner;
  private final PipeLoop pipes;
  private final ChildLauncher launcher;
  private final Semaphore places;
  private final Semaphore lineProcessPlaces;
  private final Time time;
  private final Set<RunningChild> running = ConcurrentHashMap.newKeySet();
  private final Set<LineProcess> kept = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** How children are kept together, strongest first; see {@code doctor}. */
  public enum Isolation {
    BUBBLEWRAP,
    NAMESPACES,
    PROCESS_GROUP
  }

  private Children(
      ChildrenConfig config, Isolation isolation, Optional<ControlGroups> groups, Time time) {
    this.config = config;
    this.isolation = isolation;
    this.groups = groups;
    this.spawner = new Spawner();
    this.pipes = PipeLoop.start(time);
    this.places = new Semaphore(config.childrenMax(), true);
    this.lineProcessPlaces = new Semaphore(config.childrenMax(), true);
    this.time = time;
    this.isRoot = ProcessCalls.isRoot();
    String searchPath = System.getenv().getOrDefault("PATH", "");
    SandboxCommand sandbox =
        new SandboxCommand(
            isolation,
            Programs.of(searchPath),
            new HiddenPlaces(config.hidden(), config.secretFiles()),
            isRoot);
    this.launcher = new ChildLauncher(sandbox, groups, config.owner(), spawner, pipes, time);
  }

  /**
   * Tries what the configuration asks for, strongest first, by running a child in it. Blocks for
   * some tens of milliseconds.
   *
   * @throws CallFailedException PERMANENT when what was asked for does not work on this machine
   */
  public static Children open(ChildrenConfig config, Time time)
      throws CallFailedException, InterruptedException {
    return open(config, ControlGroups.find(), time);
  }

  /** With the control groups that there are, or with none. */
  static Children open(ChildrenConfig config, Optional<ControlGroups> groups, Time time)
      throws CallFailedException, InterruptedException {
    List<String> reasons = new ArrayList<>();
    for (Isolation isolation : candidates(config.sandbox())) {
      Children children = new Children(config, isolation, groups, time);
      Optional<String> problem = children.probe();
      if (problem.isEmpty()) {
        LOG.info("children: isolated by {}", isolation);
        return children;
      }
      reasons.add(isolation + ": " + problem.get());
      children.close();
    }
    String message = "Children cannot be run as configured; " + String.join("; ", reasons);
    throw new CallFailedException(Failure.of(FailureCode.IO, message).as(FailureKind.PERMANENT));
  }

  private static List<Isolation> candidates(Sandbox sandbox) {
    return switch (sandbox) {
      case AUTO -> List.of(Isolation.values());
      case BUBBLEWRAP -> List.of(Isolation.BUBBLEWRAP);
      case NAMESPACES -> List.of(Isolation.NAMESPACES);
      case NONE -> List.of(Isolation.PROCESS_GROUP);
    };
  }

  /** Why children cannot be run so; empty when they can. */
  private Optional<String> probe() throws InterruptedException {
    Optional<String> missing = launcher.missing();
    if (missing.isPresent()) {
      return Optional.of("there is no " + missing.get());
    }
    Path folder = null;
    try {
      folder = Files.createTempDirectory(config.trialFolder(), "holdfast-probe-").toRealPath();
      String own = Files.readSymbolicLink(OWN_NAMESPACE).toString();
      ProcessSpec readLink =
          new ProcessSpec(
              List.of("readlink", OWN_NAMESPACE.toString()),
              folder,
              Map.of(),
              "",
              PROBE_TIMEOUT,
              Limits.DEFAULT,
              1000);
      ChildResult result = run(readLink);
      if (result.exitCode() != 0) {
        return Optional.of("exit code " + result.exitCode() + " " + result.errors().strip());
      }
      boolean isSeparate = !result.output().strip().equals(own);
      return isSeparate || isolation == Isolation.PROCESS_GROUP
          ? Optional.empty()
          : Optional.of("the child was in the server's own namespace");
    } catch (CallFailedException e) {
      return Optional.of(e.failure().message());
    } catch (IOException e) {
      return Optional.of(e.toString());
    } finally {
      remove(folder);
    }
  }

  public Isolation isolation() {
    return isolation;
  }

  /** Whether the kernel bounds the memory of a child and all that it starts together. */
  public boolean boundsMemory() {
    return groups.filter(ControlGroups::boundsMemory).isPresent();
  }

  /** Whether a child may do to the machine whatever it likes: root without walls. */
  public boolean isUnconfinedRoot() {
    return isRoot && isolation == Isolation.PROCESS_GROUP;
  }

  /** Which isolation it is and what that means, for people; one line per fact. */
  public String describe() {
    return new IsolationReport(isolation, groups, isRoot).text();
  }

  /**
   * Runs a child to its end and everything it started with it. Blocks, also for a place when too
   * many run; when its time is over or the thread is interrupted the child is ended: TERM, 5 s,
   * KILL; a second interrupt kills at once. When this returns or throws, nothing of the child runs
   * any more.
   *
   * @throws CallFailedException when it could not be started: PERMANENT when there is no such
   *     command, TRANSIENT when there is no room for it now
   */
  public ChildResult run(ProcessSpec spec) throws CallFailedException, InterruptedException {
    return run(spec, _ -> {});
  }

  /**
   * As the other one.
   *
   * @param listener hears each whole line of the child's output of at most 16 KiB as it comes, on a
   *     thread that serves all children: it must not block
   */
  public ChildResult run(ProcessSpec spec, Consumer<String> listener)
      throws CallFailedException, InterruptedException {
    if (!places.tryAcquire(spec.timeout().toNanos(), TimeUnit.NANOSECONDS)) {
      String message = "All " + config.childrenMax() + " places for child processes are taken.";
      throw new CallFailedException(Failure.of(FailureCode.OVERLOADED, message));
    }
    try {
      return runNow(spec, listener);
    } finally {
      places.release();
    }
  }

  private ChildResult runNow(ProcessSpec spec, Consumer<String> listener)
      throws CallFailedException, InterruptedException {
    CapturedStreams streams = new CapturedStreams(spec, listener);
    RunningChild child = start(spec.launch(), streams, ChildWatch.LOOK_EVERY);
    boolean timedOut = false;
    try {
      timedOut = !child.await(spec.timeout());
      if (timedOut) {
        child.stop();
      }
    } catch (InterruptedException e) {
      child.stop();
      throw e;
    } finally {
      child.clear();
      running.remove(child);
    }
    Optional<ChildResult> result = streams.result(child, timedOut);
    if (result.isEmpty()) {
      LOG.warn(
          "children: {} prevented a child from starting: {}", isolation, streams.wrapperErrors());
      String message = "A child cannot be started now: " + streams.wrapperErrors();
      throw new CallFailedException(Failure.of(FailureCode.IO, message));
    }
    return result.get();
  }

  /**
   * Starts a child that is kept and talked to in lines; it ends by itself, by {@link
   * LineProcess#end} or with the server. Blocks for some tens of milliseconds. Kept children have
   * places of their own.
   *
   * @throws CallFailedException when it could not be started: PERMANENT when there is no such
   *     command, TRANSIENT when there is no room for it now
   */
  public LineProcess open(LineProcessSpec spec) throws CallFailedException, InterruptedException {
    if (!lineProcessPlaces.tryAcquire()) {
      String message = "All " + config.childrenMax() + " places for kept processes are taken.";
      throw new CallFailedException(Failure.of(FailureCode.OVERLOADED, message));
    }
    boolean isOpen = false;
    try {
      LineStreams streams = new LineStreams(spec);
      RunningChild child = start(spec.launch(), streams, ChildWatch.LOOK_AT_LEAST_EVERY);
      LineProcess process =
          new LineProcess(child, streams.streams(), () -> launcher.hidesSecretsFrom(child));
      kept.add(process);
      Thread.ofVirtual().name("child").start(() -> follow(process, child));
      isOpen = true;
      return process;
    } finally {
      if (!isOpen) {
        lineProcessPlaces.release();
      }
    }
  }

  private void follow(LineProcess process, RunningChild child) {
    try {
      process.follow();
    } finally {
      kept.remove(process);
      running.remove(child);
      lineProcessPlaces.release();
    }
  }

  /** The caller sees to it that the child is cleared. */
  private RunningChild start(Launch launch, ChildStreams.Factory streams, Duration pauseMax)
      throws CallFailedException, InterruptedException {
    RunningChild child = closed ? null : launcher.start(launch, streams);
    if (child != null) {
      running.add(child);
      if (!closed) {
        ChildWatch watch = new ChildWatch(child, launch, !boundsMemory(), pauseMax, time);
        Thread.ofVirtual().name("child watch").start(watch::run);
        return child;
      }
      child.kill();
      child.clear();
      running.remove(child);
    }
    throw new CallFailedException(Failure.of(FailureCode.OVERLOADED, "The server is stopping."));
  }

  /**
   * Ends all that still run: TERM, 5 s, KILL, all at the same time. Blocks until they have ended;
   * more are refused.
   */
  @Override
  public void close() {
    closed = true;
    List<Thread> endings = new ArrayList<>();
    running.forEach(child -> endings.add(Thread.ofVirtual().start(child::stop)));
    kept.forEach(process -> endings.add(Thread.ofVirtual().start(process::close)));
    try {
      for (Thread ending : endings) {
        ending.join();
      }
    } catch (InterruptedException _) {
      running.forEach(RunningChild::kill);
      Thread.currentThread().interrupt();
    }
    spawner.close();
    pipes.close();
  }

  private static void remove(@Nullable Path folder) {
    try {
      if (folder != null) {
        Files.deleteIfExists(folder);
      }
    } catch (IOException e) {
      LOG.debug("children: {} could not be removed ({})", folder, e.toString());
    }
  }
}
