package dev.holdfast.processes;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes the streams of a child that is talked to in lines. */
final class LineStreams implements ChildStreams.Factory {
  private final LineProcessSpec spec;
  private LineProcess.@Nullable Streams streams;

  LineStreams(LineProcessSpec spec) {
    this.spec = spec;
  }

  @Override
  public boolean hasInput() {
    return true;
  }

  @Override
  public ChildStreams create(ChildStreams.Ends ends) {
    LineProcess.Streams streams =
        new LineProcess.Streams(
            new LineWriter(ends.input(), spec.inputBytesMax()),
            new LineReader(ends.output(), spec),
            new ErrorTail(ends.errors()));
    this.streams = streams;
    return new ChildStreams(streams.output(), streams.errors(), Optional.of(streams.input()));
  }

  /** Once the child has started. */
  LineProcess.Streams streams() {
    return Objects.requireNonNull(streams);
  }
}
