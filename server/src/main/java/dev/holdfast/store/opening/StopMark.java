package dev.holdfast.store.opening;

import dev.holdfast.store.engine.AtomicFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * {@code data/stop_mark}: the last run was stopped in order, even if the disk took nothing any
 * more. It is written at the start, under another name, with the nonce of the run; the stop only
 * renames it, which takes no room.
 */
final class StopMark {
  static final String NAME = "stop_mark";
  static final String READY = "stop_mark.ready";
  private static final int BYTES_MAX = 1000;

  private StopMark() {}

  /** Whether it tells of the run with that nonce. */
  static boolean tellsOf(Path dataDir, String nonce) {
    Path file = dataDir.resolve(NAME);
    try {
      return Files.isRegularFile(file)
          && Files.size(file) <= BYTES_MAX
          && Files.readString(file, StandardCharsets.ISO_8859_1).equals(nonce);
    } catch (IOException _) {
      return false;
    }
  }

  /** At a start. */
  static void prepare(Path dataDir, String nonce) throws IOException {
    boolean _ = AtomicFiles.delete(dataDir.resolve(NAME));
    AtomicFiles.write(dataDir.resolve(READY), nonce.getBytes(StandardCharsets.US_ASCII));
  }

  /** At a stop, when nothing runs any more. */
  static void set(Path dataDir) throws IOException {
    Path _ =
        Files.move(dataDir.resolve(READY), dataDir.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
  }
}
