package dev.holdfast.processes;

import dev.holdfast.time.Time;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes the streams of a child that is talked to in lines. */
final class LineStreams implements ChildStreams.Maker {
  private final LineProcessSpec spec;
  private final Posix posix;
  private final Time time;
  private LineProcess.@Nullable Streams made;

  LineStreams(LineProcessSpec spec, Posix posix, Time time) {
    this.spec = spec;
    this.posix = posix;
    this.time = time;
  }

  @Override
  public boolean hasInput() {
    return true;
  }

  @Override
  public ChildStreams over(ChildStreams.Ends ends) {
    LineProcess.Streams streams =
        new LineProcess.Streams(
            new LineWriter(posix, ends.input(), spec.inputBytesMax()),
            new LineReader(posix, ends.output(), spec, time),
            new ErrorTail(posix, ends.errors(), time));
    made = streams;
    return new ChildStreams(streams.output(), streams.errors(), Optional.of(streams.input()));
  }

  /** Once the child has started. */
  LineProcess.Streams made() {
    return Objects.requireNonNull(made);
  }
}
