package dev.holdfast.store.opening;

import dev.holdfast.store.engine.AtomicFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * {@code data/clean_shutdown}: written last at a clean stop, removed before serving. It holds the
 * run's nonce, which the database holds too, so that a marker of another time or place proves
 * nothing; and the sum of the database file, where that is small enough.
 *
 * @param nonce empty when there is no marker or it cannot be read
 */
record CleanMarker(String nonce, Optional<String> sum) {
  static final String NAME = "clean_shutdown";
  private static final int BYTES_MAX = 1000;
  private static final CleanMarker NONE = new CleanMarker("", Optional.empty());

  static CleanMarker read(Path dataDir) {
    Path file = dataDir.resolve(NAME);
    try {
      if (!Files.isRegularFile(file) || Files.size(file) > BYTES_MAX) {
        return NONE;
      }
      String[] words = Files.readString(file, StandardCharsets.ISO_8859_1).strip().split("\\s+", 2);
      return new CleanMarker(words[0], words.length > 1 ? Optional.of(words[1]) : Optional.empty());
    } catch (IOException _) {
      return NONE;
    }
  }

  boolean isThere() {
    return !nonce.isEmpty();
  }

  /** Whether the database is another one than at the clean stop. Before it is opened. */
  boolean contradicts(Path database) throws IOException {
    return sum.isPresent() && !sum.equals(FileSum.of(database));
  }

  void write(Path dataDir) throws IOException {
    String text = nonce + sum.map(digits -> " " + digits).orElse("") + "\n";
    AtomicFiles.write(dataDir.resolve(NAME), text.getBytes(StandardCharsets.US_ASCII));
  }

  static void remove(Path dataDir) throws IOException {
    AtomicFiles.delete(dataDir.resolve(NAME));
  }
}
