package dev.holdfast.codingagent;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Of two tasks that want the session of one chat thread at once only one gets it. */
final class SessionLock implements AutoCloseable {
  private final FileChannel channel;
  private final @Nullable FileLock lock;

  private SessionLock(FileChannel channel, @Nullable FileLock lock) {
    this.channel = channel;
    this.lock = lock;
  }

  /** Never waits. */
  static SessionLock tryFor(Path file) throws IOException {
    Files.createDirectories(file.resolveSibling(""));
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    return new SessionLock(channel, channel.tryLock());
  }

  boolean isHeld() {
    return lock != null;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
