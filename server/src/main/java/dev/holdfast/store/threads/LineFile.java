package dev.holdfast.store.threads;

import dev.holdfast.store.engine.AtomicFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that grows by whole lines. What a full disk refuses is kept in memory and written with a
 * later append, behind the last whole line. The file is open from an append to its sync, so that
 * the sync hears of every failed write. Used by one thread at a time; no interrupt closes it.
 */
final class LineFile {
  private static final Logger LOG = LoggerFactory.getLogger(LineFile.class);
  private static final byte NEWLINE = '\n';

  private final Path path;
  private final Torn torn;
  private final AtomicLong unwrittenBudget;
  private final Deque<byte[]> unwritten = new ArrayDeque<>();
  private @Nullable RandomAccessFile open;
  private long good;

  /** Whether a sync has confirmed all of it: also what a run before this one has left behind. */
  private boolean durable;

  private boolean created;

  /**
   * What to do with a last line that has no end: keep it when {@code whole} says so, else cut it
   * off or fence it.
   */
  record Torn(boolean cut, Predicate<byte[]> whole) {
    static final Torn FENCE = new Torn(false, _ -> true);
  }

  /**
   * @param unwrittenBudget how many bytes all files together may still keep in memory
   */
  LineFile(Path path, Torn torn, AtomicLong unwrittenBudget) {
    this.path = path;
    this.torn = torn;
    this.unwrittenBudget = unwrittenBudget;
  }

  /**
   * Appends a line, without its end. Returns when it is written or kept.
   *
   * @throws IOException when it can neither be written nor kept
   */
  void append(byte[] line) throws IOException {
    byte[] bytes = new byte[line.length + 1];
    System.arraycopy(line, 0, bytes, 0, line.length);
    bytes[line.length] = NEWLINE;
    if (unwrittenBudget.addAndGet(-bytes.length) < 0) {
      unwrittenBudget.addAndGet(bytes.length);
      throw new IOException("too much is waiting for the disk: " + path);
    }
    boolean first = unwritten.isEmpty();
    unwritten.add(bytes);
    try {
      flush();
    } catch (IOException e) {
      if (first) {
        LOG.warn("store: {} is kept in memory for now: {}", path, e.getMessage());
      }
    }
  }

  /** What is not in the file yet, oldest first, each with its line end. */
  List<byte[]> unwritten() {
    return List.copyOf(unwritten);
  }

  /** Also while another thread appends. */
  boolean hasUnwritten() {
    return !unwritten.isEmpty();
  }

  /** How long the file was after the last append, in bytes. */
  long length() {
    return good;
  }

  /** Whether a file was made since this was last asked; its folder then needs a sync. */
  boolean takeCreated() {
    boolean was = created;
    created = false;
    return was;
  }

  void flush() throws IOException {
    while (!unwritten.isEmpty()) {
      RandomAccessFile file = open();
      byte[] bytes = unwritten.getFirst();
      durable = false;
      try {
        file.seek(good);
        file.write(bytes);
      } catch (IOException e) {
        cutBack(file);
        throw e;
      }
      good += bytes.length;
      unwritten.removeFirst();
      unwrittenBudget.addAndGet(bytes.length);
    }
  }

  /**
   * Writes what waits and fsyncs, also what was there before and whose sync nobody has seen.
   *
   * @throws java.io.SyncFailedException when the fsync failed
   */
  void sync() throws IOException {
    flush();
    boolean isUnsure = !durable && Files.exists(path); // lines of a run that was killed, perhaps
    RandomAccessFile file = open == null && isUnsure ? open() : open;
    if (file != null) {
      file.getFD().sync();
      durable = true;
      close();
    }
  }

  /** Before the file is replaced, or after an unsynced append. */
  void close() {
    RandomAccessFile file = open;
    open = null;
    if (file != null) {
      try {
        file.close();
      } catch (IOException _) {
        // Nothing is lost by it: writes are not buffered here.
      }
    }
  }

  /** Forgets what waits, because the file was replaced by one that has it. */
  void forget() {
    unwritten.forEach(bytes -> unwrittenBudget.addAndGet(bytes.length));
    unwritten.clear();
    close();
  }

  private RandomAccessFile open() throws IOException {
    RandomAccessFile file = open;
    if (file == null) {
      created |= !Files.exists(path) && AtomicFiles.create(path);
      file = new RandomAccessFile(path.toFile(), "rw");
      try {
        good = mendTail(file);
      } catch (IOException e) {
        file.close();
        throw e;
      }
      open = file;
    }
    return file;
  }

  private void cutBack(RandomAccessFile file) {
    try {
      file.setLength(good);
    } catch (IOException _) {
      close(); // then the tail is mended at the next try
    }
  }

  /** Returns the length of the file up to the end of its last line. */
  private long mendTail(RandomAccessFile file) throws IOException {
    long length = file.length();
    long start = lineStart(file, length);
    if (start == length) {
      return length;
    }
    byte[] tail = new byte[Math.toIntExact(length - start)];
    file.seek(start);
    file.readFully(tail);
    if (torn.whole().test(tail) || !torn.cut()) {
      file.seek(length);
      file.write(NEWLINE);
      return length + 1;
    }
    file.setLength(start);
    return start;
  }

  /** Where the last line without an end starts; {@code length} when every line has one. */
  private static long lineStart(RandomAccessFile file, long length) throws IOException {
    if (length > 0) {
      file.seek(length - 1);
      if (file.read() == NEWLINE) {
        return length; // as nearly always
      }
    }
    byte[] block = new byte[8192];
    long end = length;
    while (end > 0) {
      int size = (int) Math.min(block.length, end);
      file.seek(end - size);
      file.readFully(block, 0, size);
      for (int i = size - 1; i >= 0; i--) {
        if (block[i] == NEWLINE) {
          return end - size + i + 1;
        }
      }
      end -= size;
    }
    return 0;
  }
}
