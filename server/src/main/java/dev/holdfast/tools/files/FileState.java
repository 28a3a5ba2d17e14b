package dev.holdfast.tools.files;

/** What stands at a path, as far as undoing goes. */
sealed interface FileState {
  /** No file. */
  record Absent() implements FileState {}

  /**
   * @param sha256 of the content, in hex
   * @param mode the rights, of nine bits; 0 for those that new files get
   */
  record Present(String sha256, long size, int mode) implements FileState {}

  /** Whether both are the same content; rights do not count. */
  default boolean isLike(FileState other) {
    return switch (this) {
      case Absent _ -> other instanceof Absent;
      case Present(String sha256, long size, _) ->
          other instanceof Present there && there.sha256.equals(sha256) && there.size == size;
    };
  }
}
