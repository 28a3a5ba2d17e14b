package dev.holdfast.store.opening;

import dev.holdfast.store.engine.AtomicFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * {@code data/clean_shutdown}: written last at a clean stop, removed before serving. It holds the
 * run's nonce, which the database holds too, so that a marker of another time or place proves
 * nothing.
 */
final class CleanMarker {
  private static final String NAME = "clean_shutdown";
  private static final int BYTES_MAX = 1000;

  private CleanMarker() {}

  /** The nonce; empty when there is no marker or it cannot be read. */
  static String read(Path dataDir) {
    Path file = dataDir.resolve(NAME);
    try {
      if (!Files.isRegularFile(file) || Files.size(file) > BYTES_MAX) {
        return "";
      }
      return Files.readString(file, StandardCharsets.US_ASCII).strip();
    } catch (IOException _) {
      return "";
    }
  }

  static void write(Path dataDir, String nonce) throws IOException {
    AtomicFiles.write(dataDir.resolve(NAME), (nonce + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  static void remove(Path dataDir) throws IOException {
    AtomicFiles.delete(dataDir.resolve(NAME));
  }
}
