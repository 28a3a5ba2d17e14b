package dev.holdfast.store.opening;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.Crc;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code data/holdfast.commits}: how many transactions of this run were confirmed. SQLite takes a
 * write-ahead log that was cut for one that ends there, and would serve without the commits behind
 * the cut. Written after the fsync of the commit and not synced itself: after a power cut it may
 * know too little, but never too much. Used by the writer's thread.
 */
final class CommitMark implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CommitMark.class);
  static final String NAME = "holdfast.commits";
  private static final int BYTES = Integer.BYTES + Long.BYTES + Long.BYTES;
  private static final int CRC_AT = Integer.BYTES + Long.BYTES;

  private final RandomAccessFile file;
  private final int epoch;
  private long written = -1;

  private CommitMark(RandomAccessFile file, int epoch) {
    this.file = file;
    this.epoch = epoch;
  }

  /** Begins anew for a run that is known by {@code epoch}. */
  static CommitMark begin(Path folder, int epoch) throws IOException {
    Path path = folder.resolve(NAME);
    AtomicFiles.create(path);
    return new CommitMark(new RandomAccessFile(path.toFile(), "rw"), epoch);
  }

  /**
   * How many commits the database has lost; zero when it has all, when the mark is of another run,
   * and when there is none.
   */
  static long missing(Path folder, int epoch, long commits) throws IOException {
    Path path = folder.resolve(NAME);
    if (!Files.isRegularFile(path) || Files.size(path) != BYTES) {
      return 0;
    }
    byte[] bytes = Files.readAllBytes(path);
    ByteBuffer mark = ByteBuffer.wrap(bytes);
    if (mark.getLong(CRC_AT) != Crc.of(bytes, 0, CRC_AT)) {
      LOG.warn("store: {} is damaged and is ignored", NAME);
      return 0;
    }
    return mark.getInt(0) == epoch ? Math.max(0, mark.getLong(Integer.BYTES) - commits) : 0;
  }

  static void remove(Path folder) throws IOException {
    AtomicFiles.delete(folder.resolve(NAME));
  }

  /** After a commit, before anybody hears of it. */
  void write(long commits) {
    if (commits == written) {
      return;
    }
    byte[] bytes = new byte[BYTES];
    ByteBuffer mark = ByteBuffer.wrap(bytes).putInt(0, epoch).putLong(Integer.BYTES, commits);
    mark.putLong(CRC_AT, Crc.of(bytes, 0, CRC_AT));
    try {
      file.seek(0);
      file.write(bytes);
      written = commits;
    } catch (IOException e) {
      LOG.debug("store: {} could not be updated: {}", NAME, e.getMessage());
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
