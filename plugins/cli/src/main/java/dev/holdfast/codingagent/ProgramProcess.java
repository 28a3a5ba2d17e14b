package dev.holdfast.codingagent;

import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.kit.JsonText;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A coding agent that runs, and is talked to in lines of JSON. Closing it ends all that it has
 * started.
 */
final class ProgramProcess implements AutoCloseable {
  private static final int LINE_BYTES_MAX = 16 << 20;
  private static final int QUEUED_MAX = 64;
  private static final int ERROR_LINES_MAX = 20;
  private static final int ERROR_UNITS_MAX = 400;

  /** How often whoever waits for a line gets a chance to do something else. */
  private static final Duration TICK = Duration.ofMillis(250);

  /** For a program that was told to stop its work. */
  private static final Duration STOP_GRACE = Duration.ofSeconds(10);

  private static final Duration END_GRACE = Duration.ofSeconds(2);

  private final Process process;
  private final TimeLimits limits;
  private final BlockingQueue<Line> lines = new ArrayBlockingQueue<>(QUEUED_MAX);
  private final Deque<String> errors = new ArrayDeque<>();
  private final Thread errorReader;
  private final long begun = System.nanoTime();
  private volatile long heardAt = begun;
  private boolean isStopping;
  private long stoppedAt;

  private sealed interface Line {
    record Text(String text) implements Line {}

    record End() implements Line {}
  }

  private ProgramProcess(Process process, TimeLimits limits) {
    this.process = process;
    this.limits = limits;
    Thread _ = Thread.ofVirtual().start(this::readOutput);
    errorReader = Thread.ofVirtual().start(this::readErrors);
    Runtime.getRuntime().addShutdownHook(new Thread(this::kill));
  }

  static ProgramProcess start(List<String> command, Path folder, TimeLimits limits)
      throws ActionRefusedException {
    try {
      return new ProgramProcess(
          new ProcessBuilder(command).directory(folder.toFile()).start(), limits);
    } catch (IOException e) {
      throw new ActionRefusedException(
          ActionRefusedException.FAILED,
          "The coding agent cannot be started: " + e.getMessage() + ".");
    }
  }

  /** Writes one line. What cannot be written is told by {@link #next}: the program has ended. */
  void write(Map<String, Object> message) {
    try {
      OutputStream out = process.getOutputStream();
      out.write((JsonText.write(message) + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    } catch (IOException _) {
      heardAt = System.nanoTime();
    }
  }

  /** Writes a text, and ends the input. */
  void writeAll(String text) {
    try (OutputStream out = process.getOutputStream()) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException _) {
      heardAt = System.nanoTime();
    }
  }

  void closeInput() {
    try {
      process.getOutputStream().close();
    } catch (IOException _) {
      heardAt = System.nanoTime();
    }
  }

  /**
   * The next message: a line that is a JSON object; other lines are passed over.
   *
   * @param onWait runs now and then while nothing comes
   * @return empty when the program has ended its output, or some time after {@link #stops}
   * @throws ActionRefusedException when it has said nothing for too long, or takes too long in all
   */
  Optional<Map<String, Object>> next(Runnable onWait)
      throws ActionRefusedException, InterruptedException {
    while (true) {
      Line line = lines.poll(TICK.toMillis(), TimeUnit.MILLISECONDS);
      switch (line) {
        case Line.Text(String text) -> {
          Optional<Map<String, Object>> message = object(text);
          if (message.isPresent()) {
            return message;
          }
        }
        case Line.End() -> {
          return Optional.empty();
        }
        case null -> {
          onWait.run();
          if (isStopping && System.nanoTime() - stoppedAt > STOP_GRACE.toNanos()) {
            return Optional.empty();
          }
          checkLimits();
        }
      }
      checkTotal();
    }
  }

  /** It was told to stop its work: nothing that it does not say soon is waited for. */
  void stops() {
    isStopping = true;
    stoppedAt = System.nanoTime();
  }

  private static Optional<Map<String, Object>> object(String text) {
    if (!text.startsWith("{")) {
      return Optional.empty();
    }
    try {
      return Optional.of(JsonText.object(text));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private void checkLimits() throws ActionRefusedException {
    if (System.nanoTime() - heardAt > limits.idle().toNanos()) {
      throw new ActionRefusedException(
          ActionRefusedException.TIMED_OUT,
          "The coding agent has said nothing for %d s and was stopped. What it has done so far stays."
              .formatted(limits.idle().toSeconds()));
    }
  }

  private void checkTotal() throws ActionRefusedException {
    if (System.nanoTime() - begun > limits.work().toNanos()) {
      throw new ActionRefusedException(
          ActionRefusedException.TIMED_OUT,
          "The coding agent took longer than %d s (its limit of %d s less %d s to end it in order) and was stopped. What it has done so far stays."
              .formatted(
                  limits.work().toSeconds(),
                  limits.task().toSeconds(),
                  limits.ending().toSeconds()));
    }
  }

  /** How long it has run. */
  Duration lifetime() {
    return Duration.ofNanos(System.nanoTime() - begun);
  }

  /** Why it has ended without an answer, as far as it has said so. */
  ActionRefusedException ended() throws InterruptedException {
    boolean hasEnded = process.waitFor(END_GRACE.toMillis(), TimeUnit.MILLISECONDS);
    boolean _ = errorReader.join(END_GRACE);
    String how = hasEnded ? " with exit code " + process.exitValue() : "";
    String said = errors();
    return new ActionRefusedException(
        ActionRefusedException.FAILED,
        "The coding agent ended%s without an answer%s"
            .formatted(how, said.isEmpty() ? "." : ": " + said));
  }

  /** The last that it wrote to its standard error. */
  String errors() {
    synchronized (errors) {
      String all = String.join(" ", errors);
      return all.length() <= ERROR_UNITS_MAX
          ? all
          : "…" + all.substring(all.length() - ERROR_UNITS_MAX);
    }
  }

  private void readOutput() {
    try (InputStream in = new BufferedInputStream(process.getInputStream(), 1 << 16)) {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      boolean isTooLong = false;
      for (int one = in.read(); one >= 0; one = in.read()) {
        if (one != '\n') {
          isTooLong |= line.size() == LINE_BYTES_MAX;
          if (!isTooLong) {
            line.write(one);
          }
          continue;
        }
        heardAt = System.nanoTime();
        if (!isTooLong) {
          lines.put(new Line.Text(line.toString(StandardCharsets.UTF_8)));
        }
        line.reset();
        isTooLong = false;
      }
    } catch (IOException _) {
      // It has ended; that is told below.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    try {
      lines.put(new Line.End());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void readErrors() {
    try (InputStream in = process.getErrorStream()) {
      byte[] chunk = new byte[4096];
      for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
        heardAt = System.nanoTime();
        keep(new String(chunk, 0, count, StandardCharsets.UTF_8));
      }
    } catch (IOException _) {
      // It has ended.
    }
  }

  private void keep(String text) {
    synchronized (errors) {
      text.lines().map(String::strip).filter(line -> !line.isEmpty()).forEach(errors::addLast);
      while (errors.size() > ERROR_LINES_MAX) {
        errors.removeFirst();
      }
    }
  }

  /** Lets it end by itself for a moment, and ends it and all that it has started. */
  @Override
  public void close() {
    closeInput();
    try {
      boolean _ = process.waitFor(END_GRACE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    kill();
  }

  private void kill() {
    List<ProcessHandle> all =
        Stream.concat(Stream.of(process.toHandle()), process.descendants())
            .collect(Collectors.toList());
    all.forEach(ProcessHandle::destroy);
    long end = System.nanoTime() + END_GRACE.toNanos();
    while (all.stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() < end) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
    all.forEach(ProcessHandle::destroyForcibly);
  }
}
