package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** A tmpfs of a few MiB that can be filled and freed. */
public final class TinyDisk implements AutoCloseable {
  private final Path mountPoint;
  private final Path ballast;

  /** Mounts it; skips the test where that is not allowed. */
  public TinyDisk(Path mountPoint, int mebibytes) {
    Commands.assumeRoot();
    this.mountPoint = mountPoint;
    this.ballast = mountPoint.resolve("ballast");
    try {
      Files.createDirectories(mountPoint);
      Commands.run(
          "mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", mountPoint.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (IllegalStateException e) {
      Assumptions.abort("mounting is not allowed here: " + e.getMessage());
    }
  }

  public Path path() {
    return mountPoint;
  }

  /** Writes ballast until not one byte more fits. */
  public void fill() {
    byte[] block = new byte[65_536];
    try (OutputStream out = Files.newOutputStream(ballast)) {
      for (int size = block.length; size >= 1; size = size / 2) {
        writeWhileItFits(out, block, size);
      }
    } catch (IOException e) {
      // The close of a full file may fail too; the disk is full, which is what was wanted.
    }
  }

  private static void writeWhileItFits(OutputStream out, byte[] block, int size) {
    try {
      while (true) {
        out.write(block, 0, size);
      }
    } catch (IOException e) {
      // Full at this block size: the next smaller one fills the rest.
    }
  }

  public void free() {
    try {
      Files.deleteIfExists(ballast);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    Commands.run("umount", "-l", mountPoint.toString());
  }
}
