package dev.holdfast.store;

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
  void namesTheProcessThatHoldsThisLockAndTheOneOfThePidFileOnlyIfThatIsAboutThisFolder()
      throws Exception {
    assertThat(LockHolder.find(data)).isEmpty();
    long self = ProcessHandle.current().pid();
    String told = Holder.self(data, TestStore.NOW).text();
    Files.writeString(data.resolve("holdfast.pid"), told);
    assertThat(LockHolder.find(data)).contains(self);
    Path copy = Files.createDirectory(data.resolve("copy"));
    Files.writeString(copy.resolve("holdfast.pid"), told);
    assertThat(LockHolder.find(copy)).isEmpty();
    Files.delete(data.resolve("holdfast.pid"));
    assertThat(LockHolder.find(data)).isEmpty();
    try (RandomAccessFile file =
            new RandomAccessFile(data.resolve("holdfast.lock").toFile(), "rw");
        FileLock lock = file.getChannel().lock()) {
      assertThat(lock.isValid()).isTrue();
      assertThat(LockHolder.find(data)).contains(self);
    }
  }
}
