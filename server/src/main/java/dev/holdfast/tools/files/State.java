package dev.holdfast.tools.files;

/** What stands at a spot, as far as undoing goes. */
sealed interface State {
  /** No file. */
  record Absent() implements State {}

  /**
   * @param sha256 of the content, in hex
   * @param mode the rights, of nine bits; 0 for those that new files get
   */
  record Present(String sha256, long size, int mode) implements State {}

  /** Whether both are the same content; rights do not count. */
  default boolean isLike(State other) {
    return switch (this) {
      case Absent _ -> other instanceof Absent;
      case Present(String sha256, long size, _) ->
          other instanceof Present there && there.sha256.equals(sha256) && there.size == size;
    };
  }
}
