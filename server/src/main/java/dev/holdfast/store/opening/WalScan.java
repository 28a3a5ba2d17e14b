package dev.holdfast.store.opening;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells a write-ahead log that ends in an unfinished commit, as after a power cut, from one that
 * was damaged further up. SQLite takes either for the end of the log and would silently drop every
 * commit behind the bad byte. Commits are fsynced one after the other, so when whole commits follow
 * a bad frame, that frame was once confirmed.
 *
 * <p>Source: the SQLite file format, section 4, "The Write-Ahead Log".
 */
final class WalScan {
  private static final int HEADER = 32;
  private static final int FRAME_HEADER = 24;
  private static final int MAGIC = 0x377f0682;
  private static final int UNFINISHED_COMMITS_MAX = 1;

  private final ByteOrder order;
  private int sum1;
  private int sum2;

  private WalScan(ByteOrder order) {
    this.order = order;
  }

  /**
   * Whether confirmed commits stand behind a bad byte. The database must not be open in this
   * process.
   */
  static boolean damaged(Path log) throws IOException {
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(log), 1 << 20))) {
      byte[] bytes = in.readNBytes(HEADER);
      if (bytes.length < HEADER) {
        return false; // nothing was ever committed to it
      }
      ByteBuffer header = ByteBuffer.wrap(bytes);
      boolean big = (header.getInt(0) & 1) == 1;
      WalScan scan = new WalScan(big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
      scan.add(bytes, 24);
      int page = header.getInt(8);
      boolean good =
          (header.getInt(0) & ~1) == MAGIC
              && page >= 512
              && page <= 65_536
              && scan.matches(header.getInt(24), header.getInt(28));
      return good ? scan.frames(in, page, header.getLong(16)) : in.read() >= 0;
    }
  }

  private boolean frames(DataInputStream in, int page, long salt) throws IOException {
    boolean good = true;
    int commitsBehind = 0;
    while (true) {
      byte[] head = in.readNBytes(FRAME_HEADER);
      byte[] data = in.readNBytes(page);
      if (data.length < page) {
        return commitsBehind > UNFINISHED_COMMITS_MAX;
      }
      ByteBuffer frame = ByteBuffer.wrap(head);
      boolean ours = frame.getLong(8) == salt;
      if (good) {
        add(head, 8);
        add(data, page);
        good = ours && matches(frame.getInt(16), frame.getInt(20));
      }
      if (!good && ours && frame.getInt(4) != 0) {
        commitsBehind++;
      }
    }
  }

  private void add(byte[] bytes, int length) {
    ByteBuffer words = ByteBuffer.wrap(bytes).order(order);
    for (int i = 0; i < length; i += 8) {
      sum1 += words.getInt(i) + sum2;
      sum2 += words.getInt(i + 4) + sum1;
    }
  }

  private boolean matches(int stored1, int stored2) {
    return sum1 == stored1 && sum2 == stored2;
  }
}
