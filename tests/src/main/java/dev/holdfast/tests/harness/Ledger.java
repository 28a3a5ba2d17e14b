package dev.holdfast.tests.harness;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A file that each line is appended to and synced before the call returns: what the outside world
 * really saw.
 */
public final class Ledger implements AutoCloseable {
  private final FileOutputStream file;

  public Ledger(Path path) {
    try {
      this.file = new FileOutputStream(path.toFile(), true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public synchronized void append(String line) {
    try {
      file.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      file.getFD().sync();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
