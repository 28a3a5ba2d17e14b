package dev.holdfast.processes;

import org.jspecify.annotations.Nullable;

/** Writes the whole of a child's input and closes it. */
final class StdinWriter extends PipeWriter {
  private byte @Nullable [] input;

  StdinWriter(int end, byte[] input) {
    super(end);
    this.input = input;
  }

  @Override
  byte @Nullable [] next() {
    byte[] all = input;
    input = null;
    return all;
  }
}
