package dev.holdfast.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/**
 * Remembers why what was printed could not be written: a {@link java.io.PrintWriter} says nothing.
 */
final class WatchedOutput extends OutputStream {
  /** What the kernel calls the end of a reader, such as {@code head}, that has seen enough. */
  private static final String READER_ENDED = "Broken pipe";

  private final OutputStream output;
  private volatile Optional<String> failure = Optional.empty();

  WatchedOutput(OutputStream output) {
    this.output = output;
  }

  /** Why something is missing; empty when nothing is, or nobody wants it. */
  Optional<String> failure() {
    return failure.filter(reason -> !reason.contains(READER_ENDED));
  }

  @Override
  public void write(int octet) throws IOException {
    write(new byte[] {(byte) octet}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      output.write(bytes, offset, length);
    } catch (IOException e) {
      failure = Optional.of(String.valueOf(e.getMessage()));
      throw e;
    }
  }

  @Override
  public void flush() throws IOException {
    output.flush();
  }
}
