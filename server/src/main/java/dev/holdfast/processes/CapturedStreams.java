package dev.holdfast.processes;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The streams of a child that gets all its input at once and is read to its end. */
final class CapturedStreams implements ChildStreams.Factory {
  /** Of one line that is heard. */
  private static final int LINE_BYTES_MAX = 16_384;

  private final ProcessSpec spec;
  private final Consumer<String> listener;
  private @Nullable StdoutReader output;
  private @Nullable StdoutReader errors;

  /** {@code listener}: as {@link Children#run(ProcessSpec, Consumer)} says. */
  CapturedStreams(ProcessSpec spec, Consumer<String> listener) {
    this.spec = spec;
    this.listener = listener;
  }

  @Override
  public boolean hasInput() {
    return !spec.input().isEmpty();
  }

  @Override
  public ChildStreams create(ChildStreams.Ends ends) {
    LineSplitter lines = new LineSplitter(LINE_BYTES_MAX, this::heard);
    StdoutReader out =
        new StdoutReader(ends.output(), spec.outputBytesMax(), new byte[0], lines::take);
    StdoutReader err =
        new StdoutReader(ends.errors(), spec.outputBytesMax(), SandboxCommand.STARTED);
    output = out;
    errors = err;
    byte[] input = spec.input().getBytes(StandardCharsets.UTF_8);
    return new ChildStreams(
        out, err, hasInput() ? Optional.of(PipeWriter.of(ends.input(), input)) : Optional.empty());
  }

  private void heard(OutputLine line) {
    if (line.isWhole()) {
      listener.accept(line.text());
    }
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
            out.bytesSeen() + err.bytesSeen(),
            out.isCut() || err.isCut(),
            timedOut,
            child.exceeded(),
            child.lifetime()));
  }

  String wrapperErrors() {
    return errors == null ? "" : errors.text().strip();
  }
}
