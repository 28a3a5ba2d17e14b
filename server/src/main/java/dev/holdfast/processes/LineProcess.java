package dev.holdfast.processes;

import dev.holdfast.api.CallFailedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** A child that is kept and talked to in lines; it ends with the server. Thread-safe. */
public final class LineProcess implements AutoCloseable {
  /** TERM, 5 s, KILL, and what it takes to find and end all that it has started. */
  private static final Duration END_MAX = Duration.ofSeconds(8);

  private final RunningChild child;
  private final Streams streams;
  private final BooleanSupplier hidesSecrets;
  private final CompletableFuture<ChildExit> exit = new CompletableFuture<>();
  private final AtomicBoolean isEnding = new AtomicBoolean();

  /** What serves its three streams. */
  record Streams(LineWriter input, LineReader output, ErrorTail errors) {}

  /**
   * @param hidesSecrets whether its view is still as a child's must be
   */
  LineProcess(RunningChild child, Streams streams, BooleanSupplier hidesSecrets) {
    this.child = child;
    this.streams = streams;
    this.hidesSecrets = hidesSecrets;
  }

  /**
   * Whether it sees no more of the files of secrets than one that were started now: its view is as
   * old as it is, and a file may have become one since, or have come from elsewhere. Looks at some
   * files.
   */
  public boolean hidesSecrets() {
    return hidesSecrets.getAsBoolean();
  }

  /**
   * Hands over a line, which is written whole and in its turn. Waits for room while the child does
   * not read.
   *
   * @param line without an end of line in it
   * @throws CallFailedException INVALID when it is too long, TRANSIENT when there is no room for it
   *     in time or the child reads no more
   */
  public void write(String line, Duration timeout)
      throws CallFailedException, InterruptedException {
    if (line.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("one line at a time");
    }
    streams.input().write(line, timeout);
  }

  /** Ends its input after what waits to be written. Returns at once. */
  public void closeInput() {
    streams.input().close();
  }

  /**
   * The next line of its output; empty when none comes in time. Lines that nobody takes hold the
   * child up.
   *
   * @throws CallFailedException when none will come any more: its output has ended, or one was too
   *     long where that is a failure
   */
  public Optional<OutputLine> read(Duration timeout)
      throws CallFailedException, InterruptedException {
    return streams.output().read(timeout);
  }

  /** The last lines of its standard error. */
  public List<String> errors() {
    return streams.errors().hasStarted() ? streams.errors().lines() : List.of();
  }

  /** What all of its processes held together when they were looked at last, in bytes. */
  public long memory() {
    return child.memory();
  }

  /** All that belongs to it, by their ids. */
  public List<Long> processes() {
    return child.isRunning() ? child.processes() : List.of();
  }

  /** Whether one of its processes was stopped and does nothing until it is let go on. */
  public boolean isStopped() {
    return processes().stream().anyMatch(ProcessTree::isStopped);
  }

  /** Completes when nothing of it runs any more. */
  public CompletableFuture<ChildExit> exit() {
    return exit.copy();
  }

  /** Ends it and all that it has started: TERM, 5 s, KILL. Returns at once; see {@link #exit}. */
  public void end() {
    if (!exit.isDone() && isEnding.compareAndSet(false, true)) {
      closeInput();
      Thread.ofVirtual().name("child end").start(child::stop);
    }
  }

  /** Ends it and waits until it is gone, 8 s at most. */
  @Override
  public void close() {
    end();
    try {
      exit.get(END_MAX.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException _) {
      child.kill();
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException _) {
      child.kill(); // whoever follows it tells of what is left
    }
  }

  /** Blocks until nothing of it runs any more. */
  void follow() {
    child.awaitEnd();
    child.clear();
    exit.complete(
        new ChildExit(
            streams.errors().hasStarted(),
            child.exitCode(),
            streams.errors().lines(),
            child.lifetime()));
  }
}
