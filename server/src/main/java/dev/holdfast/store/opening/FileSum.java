package dev.holdfast.store.opening;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The sum of a whole database file, so that a byte that changes while no server runs is noticed.
 * None for a large file: a start would wait too long for it.
 */
final class FileSum {
  /** So much is read in a second or two. */
  static final long BYTES_MAX = 256L * 1024 * 1024;

  private static final int AT_ONCE = 1 << 20;

  private FileSum() {}

  /** Only while this process has the file not open. */
  static Optional<String> of(Path file) throws IOException {
    if (Files.size(file) > BYTES_MAX) {
      return Optional.empty();
    }
    CRC32C sum = new CRC32C();
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = new byte[AT_ONCE];
      for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
        sum.update(bytes, 0, read);
      }
    }
    return Optional.of(Long.toHexString(sum.getValue()));
  }
}
