package dev.holdfast.tools.files;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/**
 * A change that a tool call asks for.
 *
 * @param arguments as the model wrote them: with the tool they say whether a call is the same
 * @param paths the files that it may change
 */
record ChangeTask(String tool, String arguments, List<AllowedPath> paths, Planner planner) {
  ChangeTask {
    paths = List.copyOf(paths);
  }

  /** Decides what is to be done, when the old state is known and kept. */
  interface Planner {
    /**
     * @param old of each path, in their order
     * @throws FileFailedException when nothing is to be done
     */
    Plan plan(List<OldFile> old) throws FileFailedException, IOException;
  }

  /**
   * What stood at a path.
   *
   * @param copy of the content, as long as it is planned; nothing is there when there was no file
   * @param blob the copy's name; empty when there was no file
   */
  record OldFile(AllowedPath path, AllowedFiles.Snapshot snapshot, Path copy, String blob) {
    boolean exists() {
      return snapshot.status().isPresent();
    }

    FileState state() {
      return snapshot.state();
    }

    /**
     * @throws FileFailedException when it is larger than {@code max}
     */
    byte[] content(int max) throws IOException, FileFailedException {
      if (state() instanceof FileState.Present(_, long size, _) && size > max) {
        throw FileFailedException.refused(
            path.shown() + ": is larger than " + (max >> 20) + " MiB");
      }
      try (InputStream in = new FileInputStream(copy.toFile())) {
        return in.readAllBytes();
      }
    }
  }

  /**
   * What is to be done.
   *
   * @param summary what the model hears when it is done
   * @param after of each path, in their order
   */
  record Plan(String summary, List<After> after) {
    Plan {
      after = List.copyOf(after);
    }
  }

  /** What is to stand at a path. */
  sealed interface After {
    /** No file. */
    record Gone() implements After {}

    /** A file of these bytes; one that was there keeps its rights. */
    @SuppressWarnings("ArrayRecordComponent") // never compared, and a copy of 10 MiB is no gift
    record Written(byte[] bytes) implements After {}

    /** The file of another path of the task, which is Gone from there. */
    record MovedFrom(int index) implements After {}

    default FileState state(OldFile own, List<OldFile> all) {
      return switch (this) {
        case Gone _ -> new FileState.Absent();
        case Written(byte[] bytes) ->
            new FileState.Present(
                Sha256.of(bytes),
                bytes.length,
                own.state() instanceof FileState.Present was ? was.mode() : 0);
        case MovedFrom(int index) -> all.get(index).state();
      };
    }
  }
}
