package dev.holdfast.processes;

import dev.holdfast.time.Time;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The streams of a child that gets all its input at once and is read to its end. */
final class OneShot implements ChildStreams.Maker {
  private final ProcessSpec spec;
  private final Posix posix;
  private final Time time;
  private @Nullable StdoutReader output;
  private @Nullable StdoutReader errors;

  OneShot(ProcessSpec spec, Posix posix, Time time) {
    this.spec = spec;
    this.posix = posix;
    this.time = time;
  }

  @Override
  public boolean hasInput() {
    return !spec.input().isEmpty();
  }

  @Override
  public ChildStreams over(ChildStreams.Ends ends) {
    StdoutReader out =
        new StdoutReader(posix, ends.output(), spec.outputBytesMax(), new byte[0], time);
    StdoutReader err =
        new StdoutReader(posix, ends.errors(), spec.outputBytesMax(), SandboxCommand.STARTED, time);
    output = out;
    errors = err;
    byte[] input = spec.input().getBytes(StandardCharsets.UTF_8);
    return new ChildStreams(
        out,
        err,
        hasInput() ? Optional.of(new StdinWriter(posix, ends.input(), input)) : Optional.empty());
  }

  /** Empty when the command itself was never reached; {@link #wrapperErrors} says why. */
  Optional<ChildResult> result(RunningChild child, boolean timedOut) {
    StdoutReader out = output;
    StdoutReader err = errors;
    if (out == null || err == null || (!err.hasStarted() && !child.isStopping())) {
      return Optional.empty();
    }
    return Optional.of(
        new ChildResult(
            child.exitCode(),
            out.text(),
            err.hasStarted() ? err.text() : "",
            out.seen() + err.seen(),
            out.isCut() || err.isCut(),
            timedOut,
            child.lived()));
  }

  String wrapperErrors() {
    return errors == null ? "" : errors.text().strip();
  }
}
