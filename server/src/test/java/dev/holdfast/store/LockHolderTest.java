package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockHolderTest {
  @TempDir Path data;

  @Test
  void namesTheProcessThatHoldsTheLockAndTheOneOfThePidFileOnlyWhereLocksAreNotListed()
      throws Exception {
    assertThat(LockHolder.find(data)).isEmpty();
    long self = ProcessHandle.current().pid();
    Files.writeString(data.resolve("holdfast.pid"), self + " 2026-01-01T00:00:00Z\n");
    assertThat(LockHolder.find(data)).contains(self);
    try (RandomAccessFile file =
            new RandomAccessFile(data.resolve("holdfast.lock").toFile(), "rw");
        FileLock lock = file.getChannel().lock()) {
      assertThat(lock.isValid()).isTrue();
      assertThat(LockHolder.find(data)).contains(self);
    }
  }
}
