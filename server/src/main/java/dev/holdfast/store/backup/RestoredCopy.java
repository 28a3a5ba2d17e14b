package dev.holdfast.store.backup;

import dev.holdfast.store.engine.AtomicFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * Whether a data folder is a copy that was restored while its original may still run: until an
 * operator promotes it, it must not act as the original. Thread-safe.
 */
public final class RestoredCopy {
  /** Marks such a folder, by being there. Belongs to no backup. */
  static final String NAME = "holdfast.copy";

  private final Path mark;
  private final CountDownLatch promoted;

  private RestoredCopy(Path mark, boolean isMarked) {
    this.mark = mark;
    this.promoted = new CountDownLatch(isMarked ? 1 : 0);
  }

  /** For one run of a server. Blocks on the disk. */
  public static RestoredCopy in(Path folder) {
    Path mark = folder.resolve(NAME);
    return new RestoredCopy(mark, Files.exists(mark));
  }

  /** Whether the server must not act as the original. Answers from memory. */
  public boolean isHeld() {
    return promoted.getCount() > 0;
  }

  /** Blocks until it may. */
  public void awaitPromotion() throws InterruptedException {
    promoted.await();
  }

  /**
   * From now on it is the original, over restarts too; durable on return.
   *
   * @return whether this call has made it so
   */
  public boolean promote() throws IOException {
    boolean removed = AtomicFiles.delete(mark);
    promoted.countDown();
    return removed;
  }
}
