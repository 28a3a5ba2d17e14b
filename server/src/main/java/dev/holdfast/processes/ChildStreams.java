package dev.holdfast.processes;

import java.util.List;
import java.util.Optional;

/** What serves the streams of one child. */
record ChildStreams(ChildPipe output, ChildPipe errors, Optional<ChildPipe> input) {

  /** Makes what serves our ends; each closes its own when it is done. */
  interface Factory {
    boolean hasInput();

    /** {@code ends.input()} is -1 without an input. */
    ChildStreams create(Ends ends);
  }

  /** The numbers of our ends of the pipes. */
  record Ends(int input, int output, int errors) {}

  List<ChildPipe> all() {
    return input.map(in -> List.of(output, errors, in)).orElse(List.of(output, errors));
  }
}
