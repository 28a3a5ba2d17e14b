package dev.holdfast.kit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Files that are never half, whatever crashes. */
public final class DurableFile {
  private DurableFile() {}

  /**
   * Puts a text in the place of what is there. Returns when it is on disk, and its name too.
   *
   * @param draft in the same folder, which nobody else writes now; what a crash left there is
   *     written over
   */
  public static void write(Path file, Path draft, String text) throws IOException {
    ByteBuffer left = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    try (FileChannel channel =
        FileChannel.open(
            draft,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      while (left.hasRemaining()) {
        int _ = channel.write(left);
      }
      channel.force(true);
    }
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel folder = FileChannel.open(file.resolveSibling(""))) {
      folder.force(true); // without it a power cut may bring the old file back
    }
  }
}
